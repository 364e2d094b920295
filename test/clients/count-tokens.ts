/** Counting: whether a client asks for a count, and gets the vendor's. */
import type { Agent } from './agents.ts'
import { must, type Outcome, shorten } from './outcome.ts'
import { withSession } from './session.ts'
import { places } from './vendors/index.ts'

export async function countTokens(agent: Agent, directory: string): Promise<Outcome> {
  const { count } = agent
  if (count === undefined)
    return { result: 'not run', note: 'none of its commands that run without a terminal counts tokens' }
  const model = `@${agent.native}/${places[agent.native].model}`
  return await withSession({ agent, directory, play: { steps: [] }, model }, async (session) => {
    const ran = await session.run(count)
    must(!ran.isTimedOut && ran.code === 0, shorten(ran.output))
    must(session.vendors.counts > 0, `no call for a count was made: ${shorten(ran.output)}`)
    const entries = await session.entries()
    const refused = entries.find(({ response_status_code: status }) => status !== 200)
    must(refused === undefined, `a call was answered ${refused?.response_status_code}`)
    return { result: 'yes', note: `${session.vendors.counts} calls` }
  })
}
