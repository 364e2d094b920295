/**
 * The cost of local checks: ten of them on a conversation of 2 kB and on one of 100 kB (processor time of a phase,
 * measured in this process), how long an adversarial pattern blocks the event loop, and the processor time of holding
 * back a stream of 500 chunks with three checks.
 */
import type { JsonObject } from '@gateway/contract'
import { discover } from '#core/discovery/discover'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { compileChecks, type Phase, runPhase } from '../check-phase.ts'
import { ROOT } from '../paths.ts'
import { chatBody, EXPECT_HELD } from '../requests.ts'
import { cpuMicroseconds, medians } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { longestBlock } from '../slow-patterns.ts'
import { median } from '../statistics.ts'
import { HELD_MODEL } from '../targets/wire-data.ts'

const NAME = 'checks'

/** Ten local checks, each in a separate guardrail. */
const TEN = [
  { regexMatch: { rule: 'sk-[A-Za-z0-9]{20}|(?i)internal use only', not: true } },
  { contains: { words: ['zanzibar', 'quux', 'xyzzy', 'plugh'], operator: 'none' } },
  { endsWith: { suffix: 'over and out', not: true } },
  { wordCount: { maxWords: 100_000 } },
  { sentenceCount: { maxSentences: 100_000 } },
  { characterCount: { maxCharacters: 1_000_000 } },
  { modelWhitelist: { models: ['bench-*'] } },
  { secrets: {} },
  { pii: {} },
  { promptInjection: {} },
]

/** Prose with numbers, names, code and questions, in messages of several hundred characters. */
const PARAGRAPHS = [
  'The committee met on Tuesday, 14 March 2023, to discuss the budget; 45 percent of the funds will go to schools. ',
  'Could you show me how to sort a list of objects by two keys in TypeScript? I tried `list.sort((a, b) => a.x - b.x)`. ',
  'Here is what I found: the function returns early when `options.timeoutMs` is 0, so the request never ends. ',
  'Please write to the team (see page 12) and tell them that all of the previous results were wrong. ',
  '{"id": 17, "name": "sensor-4", "values": [1.25, 3.5, 12], "status": "active", "updated": "2023-03-14T10:30:00Z"} ',
]

function conversation(bytes: number): Record<string, unknown> {
  const messages: { role: string; content: string }[] = []
  for (let left = bytes; left > 0; ) {
    const count = messages.length
    const content = PARAGRAPHS.map((_, index) => PARAGRAPHS[(index + count) % PARAGRAPHS.length]).join('')
    messages.push({ role: count % 2 === 0 ? 'user' : 'assistant', content: content.slice(0, left) })
    left -= content.length
  }
  return { model: 'bench-model', messages }
}

async function run(bench: Bench): Promise<Row[]> {
  const { registry } = await discover({ packages: [], disabled: [], directory: ROOT })
  const ten = compileChecks(registry, TEN)
  return [
    makeRow({
      scenario: NAME,
      figure: 'ten local checks on 2 kB, CPU',
      unit: 'µs',
      values: { gateway: await cpuOfPhase(bench, ten, { bytes: 2000, times: 400 }) },
      atMost: 150,
    }),
    makeRow({
      scenario: NAME,
      figure: 'ten local checks on 100 kB, CPU',
      unit: 'ms',
      values: { gateway: (await cpuOfPhase(bench, ten, { bytes: 100_000, times: 20 })) / 1000 },
      atMost: 5,
    }),
    makeRow({
      scenario: NAME,
      figure: 'slow patterns on 1 MB, longest block of the event loop',
      unit: 'ms',
      values: { gateway: await longestBlock(registry) },
      atMost: 20,
    }),
    await heldStream(bench),
  ]
}

/** Enough iterations for the JIT compiler. */
const WARM_UP_ROUNDS = 15

/**
 * Microseconds of processor time for one phase on a freshly parsed body; the parsing is measured separately and
 * subtracted. The minimum of the rounds, because disturbances only add time.
 */
async function cpuOfPhase(
  bench: Bench,
  phase: Phase,
  { bytes, times }: { bytes: number; times: number },
): Promise<number> {
  const body = JSON.stringify(conversation(bytes))
  const measure = async (work: (body: JsonObject) => Promise<void>) => {
    const before = process.cpuUsage()
    for (let time = 0; time < times; time += 1) await work(JSON.parse(body))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / times
  }
  const rounds: number[] = []
  for (let round = -WARM_UP_ROUNDS; round < 3 * bench.effort.rounds; round += 1) {
    const whole = await measure((parsed) => runPhase(phase, parsed))
    const parsing = await measure(async () => undefined)
    if (round >= 0) rounds.push(whole - parsing)
  }
  return Math.min(...rounds)
}

/** Streams with and without the checks alternate: disturbances then affect both. */
async function heldStream(bench: Bench): Promise<Row> {
  return await withServers(bench, ['gateway'], {
    use: async (servers) => {
      const plain: number[] = []
      const held: number[] = []
      await streams(bench, servers, { config: 'plain', warmUp: true })
      for (let round = 0; round < bench.effort.rounds; round += 1) {
        plain.push(await streams(bench, servers, { config: 'plain', warmUp: false }))
        held.push(await streams(bench, servers, { config: 'held', warmUp: round === 0 }))
      }
      return makeRow({
        scenario: NAME,
        figure: '500 chunks held back for 3 checks, CPU more than without',
        unit: '%',
        values: { gateway: (median(held) / median(plain) - 1) * 100 },
        atMost: 25,
      })
    },
  })
}

/** Microseconds of processor time a stream. */
async function streams(
  bench: Bench,
  servers: readonly Server[],
  { config, warmUp }: { config: 'plain' | 'held'; warmUp: boolean },
): Promise<number> {
  const runs = await runRounds(bench, {
    name: `${NAME} ${config} c=16`,
    servers,
    connections: 16,
    body: chatBody({ model: HELD_MODEL, stream: true }),
    expect: EXPECT_HELD,
    config,
    rounds: 1,
    warmUp: warmUp ? { requests: 500 } : false,
  })
  return medians(runs, cpuMicroseconds).gateway ?? Number.NaN
}

export const checks: Scenario = { name: NAME, run }
