/** A session of ten turns on Anthropic, of which the provider's cache answers nothing without marks and most with them. */
import type { Agent } from './agents.ts'
import { marker } from './model.ts'
import { must, type Outcome, shorten } from './outcome.ts'
import { modelOf, targetAt } from './scenarios.ts'
import { withSession } from './session.ts'

const turns = 10

/** Tokens of all prompts, and those of them that came from the cache. */
async function measure(agent: Agent, directory: string, promptCache: 'off' | 'auto') {
  const { list, run, write } = agent.tools
  const steps = Array.from({ length: turns - 1 }, (_, turn) => [list, run][turn % 2] ?? list).with(1, write)
  const config = { ...targetAt(agent, 'anthropic'), prompt_cache: promptCache }
  const play = { steps, caches: true }
  const model = modelOf(agent, agent.native)
  return await withSession({ agent, directory, play, config, model }, async (session) => {
    const ran = await session.run(agent.words, {
      prompt: `Do the ${marker}: look at the files until told to stop.`,
    })
    const { calls } = session.vendors
    const refused = calls.find(({ refusal }) => refusal !== undefined)
    must(refused === undefined, `refused: ${shorten(refused?.refusal ?? '')}`)
    const done = Math.max(...calls.map(({ position }) => position.done ?? 0))
    must(done === turns - 1, `${done + 1} of ${turns} turns: ${shorten(ran.output)}`)
    const sum = (of: (usage: NonNullable<(typeof calls)[number]['usage']>) => number) =>
      calls.reduce((all, { usage }) => all + (usage === null ? 0 : of(usage)), 0)
    const cached = sum(({ read = 0 }) => read)
    const entries = await session.entries()
    const logged = entries.reduce((all, { cached_units: units }) => all + Number(units ?? 0), 0)
    must(logged === cached, `the log has ${logged} cached tokens, of ${cached}`)
    return { prompt: sum(({ prompt }) => prompt), cached }
  })
}

const figure = (count: number) => count.toLocaleString('en-US')

export async function promptCache(agent: Agent, directory: string): Promise<Outcome> {
  const off = await measure(agent, directory, 'off')
  const auto = await measure(agent, directory, 'auto')
  must(auto.cached > off.cached || agent.marksPrompts === true, `${auto.cached} cached tokens`)
  const cellOf = ({ prompt, cached }: typeof off) => `${figure(cached)} of ${figure(prompt)}`
  return { result: 'yes', note: `${cellOf(off)} without, ${cellOf(auto)} with` }
}
