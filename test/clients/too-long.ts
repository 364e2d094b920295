/** A session that becomes too long for its model: tests whether the client compacts it and continues. */
import { type Agent, command } from './agents.ts'
import { lastWords, marker, type Step } from './model.ts'
import { must, shorten } from './outcome.ts'
import { countTraces, modelAt, type Scenario, toldOf } from './scenarios.ts'
import { withSession } from './session.ts'
import type { VendorCall } from './upstream.ts'
import { places, type VendorName, vendorNames } from './vendors/index.ts'

/** A command with much to read, different each time. */
const readMuch = ({ tools }: Agent, number: number): Step =>
  JSON.parse(JSON.stringify(tools.run).replace(command, `yes 'line ${number}' | head -c 4000`)) as Step

const whyNot = (calls: readonly VendorCall[]): string =>
  calls.some(({ isSummary, isTooLong }) => isSummary === true && isTooLong === true)
    ? 'it has the whole conversation summarised, which is too long as well'
    : "ends with the provider's error"

interface Compacted {
  agent: Agent
  directory: string
  /** The gateway compacts, not the agent. */
  asVendor?: readonly string[]
}

/**
 * A session that grows until its vendor refuses it: it is compacted and continues, immediately or at the next prompt.
 */
async function compactAt(
  vendor: VendorName,
  { agent, directory, asVendor = [] }: Compacted,
): Promise<'immediately' | 'at the next prompt'> {
  const steps = Array.from({ length: 20 }, (_, number) => readMuch(agent, number))
  const play = { steps, stepsAfter: [agent.tools.run], room: 40_000 }
  const place = `at ${places[vendor].title}`
  const named = (words: readonly string[]) => words.toSpliced(1, 0, ...asVendor)
  return await withSession({ agent, directory, play, ...modelAt(agent, vendor) }, async (session) => {
    const { calls } = session.vendors
    let ran = await session.run(named(agent.words), { prompt: `Do the ${marker}: read until told to stop.` })
    const isTold = () => ran.output.includes(lastWords)
    const isRefused = calls.some(({ isTooLong }) => isTooLong === true)
    must(isRefused, `${place} no request was too long: ${toldOf(ran)}`)
    const when = isTold() ? 'immediately' : 'at the next prompt'
    if (!isTold() && agent.resume !== undefined)
      ran = await session.run(named(agent.resume), { prompt: 'Go on.' })
    const refused = calls.find(({ refusal }) => refusal !== undefined)
    must(refused === undefined, `${place} refused: ${shorten(refused?.refusal ?? '')}`)
    must(isTold(), whyNot(calls))
    const isByAgent = calls.some(({ isSummary }) => isSummary === true)
    must(!isByAgent || asVendor.length === 0, `${place} it asked the model for the summary itself`)
    await countTraces(session)
    return when
  })
}

export const tooLong: Scenario = {
  title: 'too long',
  async run(agent, directory) {
    const found = new Set<string>()
    for (const vendor of vendorNames) found.add(await compactAt(vendor, { agent, directory }))
    const { asVendor } = agent
    if (asVendor !== undefined)
      for (const vendor of vendorNames) await compactAt(vendor, { agent, directory, asVendor })
    const by = asVendor === undefined ? 'by the agent' : 'by the agent and by the gateway'
    return { result: 'yes', note: `${by}, ${[...found].join(' or ')}` }
  },
}
