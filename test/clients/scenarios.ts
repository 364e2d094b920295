/** The scenarios for each agent. Every outcome is the result of a run. */
import type { Agent } from './agents.ts'
import { written } from './agents.ts'
import { lastWords, marker, secondMarker } from './model.ts'
import { must, type Outcome, shorten } from './outcome.ts'
import { type LogEntry, prices, type Ran, type Session, withSession } from './session.ts'
import { places, type VendorName } from './vendors/index.ts'

export interface Scenario {
  title: string
  run(agent: Agent, directory: string): Promise<Outcome>
}

const prompt = `Do the ${marker}: list the files, write made.txt, count its bytes and stop.`
const storyOf = ({ tools }: Agent) => [tools.list, tools.write, tools.run]
const yes: Outcome = { result: 'yes' }

export const modelOf = ({ models }: Agent, vendor: VendorName): string =>
  models?.[vendor] ?? places[vendor].model

/** A target at a vendor. */
export const targetAt = (agent: Agent, vendor: VendorName) => ({
  provider: `@${vendor}`,
  override_params: { model: modelOf(agent, vendor) },
})

/** The model to connect with, and the config of its key if the agent writes plain names. */
export function modelAt(
  agent: Agent,
  vendor: VendorName,
): { model: string; config?: Record<string, unknown> } {
  const model = modelOf(agent, vendor)
  if (agent.isPlain !== true) return { model: `@${vendor}/${model}` }
  if (vendor === agent.native) return { model: `@${vendor}/${model}` }
  return {
    model: modelOf(agent, agent.native),
    config: targetAt(agent, vendor),
  }
}

export const toldOf = ({ output, code, isTimedOut }: Ran) =>
  isTimedOut ? `it did not end: ${shorten(output, 100)}` : `exit ${code}: ${shorten(output)}`

/** The vendors' refusals come first: they explain the agent's output. */
function mustHaveRun(session: Session, ran: Ran): void {
  const refused = session.vendors.calls.find(({ refusal }) => refusal !== undefined)
  must(refused === undefined, `${refused?.vendor} refused: ${shorten(refused?.refusal ?? '')}`)
  must(!ran.isTimedOut && ran.code === 0, toldOf(ran))
}

/** Whether the log has the tokens and the cost that the vendors counted. Returns the number of traces. */
export async function countTraces(session: Session): Promise<number> {
  const entries = await session.entries()
  const answered = session.vendors.calls.flatMap(({ usage }) => usage ?? [])
  const prompts = answered.reduce((sum, { prompt }) => sum + prompt, 0)
  const completions = answered.reduce((sum, { completion }) => sum + completion, 0)
  const sum = (member: string) => entries.reduce((total, entry) => total + Number(entry[member] ?? 0), 0)
  must(
    sum('req_units') === prompts,
    `the log has ${sum('req_units')} input tokens, the vendors counted ${prompts}`,
  )
  must(sum('res_units') === completions, `the log has ${sum('res_units')} output tokens, of ${completions}`)
  const cost = prompts * prices.request + completions * prices.response
  must(Math.abs(sum('cost') - cost) < 1e-6, `the log has a cost of ${sum('cost')}, of ${cost} cents`)
  return new Set(entries.map(({ trace_id }) => trace_id)).size
}

/** Returns the text of the cell about its traces. */
async function mustBeStory(session: Session, ran: Ran): Promise<string[]> {
  mustHaveRun(session, ran)
  must(ran.output.includes(lastWords), `its last words are missing: ${shorten(ran.output)}`)
  const made = await session.madeFile()
  must(made?.includes(written) === true, `the file is ${JSON.stringify(made)}`)
  const steps = Math.max(...session.vendors.calls.map(({ position }) => position.done ?? 0))
  must(steps === 3, `${steps} of 3 tools were run`)
  const traces = await countTraces(session)
  return traces === 1 ? [] : [`${traces} traces`]
}

/** A session that lists files, writes one, runs a command and ends. */
export const storyAt = (vendor: VendorName): Scenario => ({
  title: places[vendor].title,
  run: (agent, directory) =>
    withSession(
      { agent, directory, play: { steps: storyOf(agent) }, ...modelAt(agent, vendor) },
      async (session) => {
        const notes = await mustBeStory(session, await session.run(agent.words, { prompt }))
        return { ...yes, note: notes.join() }
      },
    ),
})

/** The vendor that fails in the middle, and the vendor of another format that continues. */
const fallback: Scenario = {
  title: 'fallback during a session',
  run(agent, directory) {
    const first = agent.native
    const second: VendorName = first === 'anthropic' ? 'openai' : 'anthropic'
    const config = {
      strategy: { mode: 'fallback' },
      targets: [targetAt(agent, first), targetAt(agent, second)],
    }
    const play = { steps: storyOf(agent), downFrom: { [first]: 2 } }
    return withSession({ agent, directory, play, config, model: modelOf(agent, first) }, async (session) => {
      const notes = await mustBeStory(session, await session.run(agent.words, { prompt }))
      const answered = (name: VendorName) =>
        session.vendors.calls.some((call) => call.vendor === name && call.usage !== null)
      must(answered(first) && answered(second), 'not both providers answered')
      return { ...yes, note: [`${places[first].title}, then ${places[second].title}`, ...notes].join(', ') }
    })
  },
}

const withStatus = (entries: readonly LogEntry[], status: number) =>
  entries.filter((entry) => entry.response_status_code === status).length

/** A refusal by the gateway: its message is shown, and the call is not repeated. */
function refusedWith(
  status: number,
  session: Session,
  { ran, words }: { ran: Ran; words: RegExp },
): Promise<Outcome> {
  return session.entries().then((entries) => {
    must(!ran.isTimedOut, toldOf(ran))
    const times = withStatus(entries, status)
    const statuses = entries.map((entry) => entry.response_status_code).join(', ')
    must(times > 0, `no ${status} in the log (${statuses}): ${toldOf(ran)}`)
    must(words.test(ran.output), `its message is not shown: ${shorten(ran.output)}`)
    must(times <= 2, `it repeats the call ${times} times`)
    return { ...yes, note: times === 1 ? 'one call' : `${times} calls` }
  })
}

const denial: Scenario = {
  title: 'denial (446)',
  run(agent, directory) {
    const config = { ...targetAt(agent, agent.native), input_guardrails: ['no-secret-words'] }
    const model = modelOf(agent, agent.native)
    return withSession({ agent, directory, play: { steps: [] }, config, model }, async (session) => {
      const ran = await session.run(agent.words, { prompt: `Say abracadabra, which is the ${marker}.` })
      return await refusedWith(446, session, { ran, words: /no-secret-words/ })
    })
  },
}

const budget: Scenario = {
  title: 'budget (412)',
  run(agent, directory) {
    const config = targetAt(agent, agent.native)
    const settings = {
      agent,
      directory,
      play: { steps: storyOf(agent) },
      config,
      model: modelOf(agent, agent.native),
    }
    const usageLimits = { credit_limit: 0.0015, periodic_reset: 'monthly' }
    return withSession({ ...settings, usageLimits }, async (session) =>
      refusedWith(412, session, {
        ran: await session.run(agent.words, { prompt }),
        words: /usage limit|credit|budget|exhausted/i,
      }),
    )
  },
}

const interrupt: Scenario = {
  title: 'Ctrl-C',
  run(agent, directory) {
    const settings = { agent, directory, play: { steps: [], hangs: true }, ...modelAt(agent, agent.native) }
    return withSession(settings, async (session) => {
      const isHanging = () =>
        session.vendors.calls.some(({ position, usage }) => position.done !== null && usage === null)
      let interrupted = 0
      const ran = await session.run(agent.words, {
        prompt,
        onStart(child) {
          const timer = setInterval(() => {
            if (!isHanging() || child.pid === undefined) return
            interrupted += 1
            // Sent to the whole group, like a terminal does. Some agents require a second one.
            process.kill(-child.pid, 'SIGINT')
            if (interrupted === 3) clearInterval(timer)
          }, 2000)
          child.on('exit', () => clearInterval(timer))
        },
      })
      must(interrupted > 0, `no call was made: ${toldOf(ran)}`)
      must(!ran.isTimedOut, 'it goes on')
      await new Promise((resolve) => setTimeout(resolve, 500))
      must(session.vendors.abandoned > 0, 'the call of the provider goes on')
      return { ...yes, note: interrupted === 1 ? '' : `after ${interrupted} signals` }
    })
  },
}

const resume: Scenario = {
  title: 'resume',
  async run(agent, directory) {
    const words = agent.resume
    if (words === undefined)
      return { result: 'not run', note: 'requires the id of the session when it runs without a terminal' }
    const settings = { agent, directory, play: { steps: storyOf(agent) }, ...modelAt(agent, agent.native) }
    return await withSession(settings, async (session) => {
      mustHaveRun(session, await session.run(agent.words, { prompt }))
      mustHaveRun(session, await session.run(words, { prompt: `Again, do the ${secondMarker}.` }))
      const earlier = Math.max(...session.vendors.calls.map(({ position }) => position.earlier))
      must(earlier >= 3, `the second session has ${earlier} of 3 results of the first`)
      return yes
    })
  },
}

const images: Scenario = {
  title: 'images',
  async run(agent, directory) {
    const { image } = agent
    if (image === undefined)
      return { result: 'not run', note: 'cannot attach an image when it runs without a terminal' }
    const steps = 'step' in image ? [image.step] : []
    const words = 'words' in image ? [...agent.words, ...image.words] : agent.words
    const vendor = agent.native === 'anthropic' ? 'openai' : 'anthropic'
    return await withSession(
      { agent, directory, play: { steps }, ...modelAt(agent, vendor) },
      async (session) => {
        const ran = await session.run(words, { prompt: `Look at the image; that is the ${marker}.` })
        mustHaveRun(session, ran)
        const seen = session.vendors.calls.some(({ position }) => position.images > 0)
        must(seen, `no image reached ${places[vendor].title}: ${toldOf(ran)}`)
        return { ...yes, note: `at ${places[vendor].title}` }
      },
    )
  },
}

const long: Scenario = {
  title: '300 kB',
  async run(agent, directory) {
    const words = agent.stdin
    if (words === undefined) return { result: 'not run', note: 'does not read a prompt from standard input' }
    const settings = { agent, directory, play: { steps: [] }, ...modelAt(agent, agent.native) }
    return await withSession(settings, async (session) => {
      const file = `${session.work}/long.txt`
      const { writeFile } = await import('node:fs/promises')
      await writeFile(
        file,
        `Read this; that is the ${marker}.\n${'The quick brown fox jumps. '.repeat(11_200)}\n`,
      )
      const ran = await session.run(words, { stdin: file })
      mustHaveRun(session, ran)
      const most = Math.max(0, ...session.vendors.calls.map(({ bytes }) => bytes))
      must(most > 300_000, `its largest request has ${Math.round(most / 1000)} kB: ${toldOf(ran)}`)
      return { ...yes, note: `${Math.round(most / 1000)} kB` }
    })
  },
}

export const others: readonly Scenario[] = [fallback, denial, budget, interrupt, resume, images, long]
