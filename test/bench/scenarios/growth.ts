/**
 * The cost of a full store: chat completions, lists and a search through bodies with up to 1,000,000 log entries,
 * 100,000 keys, 10,000 saved configs and 1,000 policies in SQLite, compared with an empty store.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { type PreparedGateway, prepareGateway } from '../gateway-config.ts'
import { timesOf } from '../request-times.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { medians, perSecond, type Values } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import { configDraft, keyDraft, policyDraft, seedLog, seedStore } from '../seed.ts'
import type { Point } from '../series.ts'
import { median, quantile } from '../statistics.ts'

const NAME = 'growth'
const ENTRIES = 1_000_000
const KEYS = 100_000
const CONFIGS = 10_000
const POLICIES = 1_000
/** The parts of it that are measured, one after another. */
const STEPS = [0.01, 0.1, 1]
/** Within the retention. */
const DAYS = 29
const EMPTY = 'empty store'
const FULL = 'full store'
const LEAST_SHARE = 0.95
const MOST_LIST_MS = 20
const MOST_SEARCH_MS = 100
const LIST_PATHS = ['/v1/configs', '/v1/api-keys', '/v1/logs', '/v1/policies/rate-limits']
/** Enough for the slowest hundredth: of 100 lists, that would be a single one. */
const LISTS = 1_000
const WARM_UPS = 40
const SEARCHES = 10
/** The newest entries, about those of two and a half hours. */
const SKIPPED = Math.round((ENTRIES / DAYS / 24) * 2.5)

interface Step {
  entries: number
  rate: Values
  lists: readonly number[]
  searches: readonly number[]
}

async function run(bench: Bench): Promise<Row[]> {
  const steps = bench.effort.rounds > 2 ? STEPS : STEPS.slice(0, 1)
  const prepared = prepareGateway(workFolder(), bench.mock.port)
  const measured: Step[] = []
  for (const [index, share] of steps.entries()) {
    await fill(prepared, steps[index - 1] ?? 0, share)
    measured.push(await measure(bench, prepared, share * ENTRIES))
  }
  plot(bench, measured)
  const last = measured.at(-1)
  if (last === undefined) return []
  const of = `${last.entries.toLocaleString('en-US')} log entries`
  const row = { scenario: NAME }
  return [
    makeRow({
      ...row,
      figure: `chat at ${of}, rate, c=64`,
      unit: 'req/s',
      values: { gateway: last.rate[FULL] ?? Number.NaN, [EMPTY]: last.rate[EMPTY] ?? Number.NaN },
      ratioTo: { [EMPTY]: LEAST_SHARE },
    }),
    makeRow({
      ...row,
      figure: `lists p99 at ${of}`,
      unit: 'ms',
      values: { gateway: quantile(last.lists, 0.99) },
      atMost: MOST_LIST_MS,
    }),
    makeRow({
      ...row,
      figure: `search through bodies of an hour at ${of}, p50`,
      unit: 'ms',
      values: { gateway: median(last.searches) },
      atMost: MOST_SEARCH_MS,
    }),
  ]
}

/** Adds what belongs between two shares of the whole. */
async function fill({ dataDirectory }: PreparedGateway, from: number, to: number): Promise<void> {
  const url = `sqlite:${dataDirectory}/gateway.db`
  const kinds = [
    { most: KEYS, make: (index: number) => keyDraft(index, `gw-growth-${index}`, noLimits) },
    { most: CONFIGS, make: configDraft },
    { most: POLICIES, make: policyDraft },
  ]
  for (const { most, make } of kinds) {
    const first = Math.round(from * most)
    await seedStore(url, Math.round(to * most) - first, (index) => make(first + index))
  }
  await seedLog(url, { from: from * ENTRIES, to: to * ENTRIES, of: ENTRIES, days: DAYS })
}

const noLimits = { rate_limits: [], usage_limits: [] }

function measure(bench: Bench, prepared: PreparedGateway, entries: number): Promise<Step> {
  return withServers(bench, ['gateway'], {
    use: (empty) =>
      withServers(bench, ['gateway'], {
        use: async (full) => {
          const [server] = full
          const port = server?.port ?? 0
          const pathOf = (index: number) => LIST_PATHS[index % LIST_PATHS.length] ?? ''
          // This runs before the chats, whose entries would all be in the last hour.
          await timesOf(port, WARM_UPS, pathOf)
          const lists = await timesOf(port, LISTS, pathOf)
          const searches = await timesOf(port, SEARCHES, searchPath)
          const runs = await runRounds(bench, {
            name: `${NAME} ${entries}`,
            servers: [...empty, ...full],
            connections: 64,
            body: chatBody({}),
            expect: EXPECT_JSON,
            config: 'plain',
          })
          return { entries, rate: medians(runs, perSecond), lists, searches }
        },
        setting: { label: FULL, prepared },
      }),
    setting: { label: EMPTY },
  })
}

/** Searches for a text of one entry, within an hour that contains no chats of the previous steps. */
function searchPath(index: number): string {
  const at = (hours: number) => encodeURIComponent(new Date(Date.now() - hours * 3_600_000).toISOString())
  const entry = ENTRIES - 1 - SKIPPED - index
  return `/v1/logs?search=needle-${entry}&time_of_generation_min=${at(3)}&time_of_generation_max=${at(2)}`
}

function plot(bench: Bench, measured: readonly Step[]): void {
  const lineOf = (read: (step: Step) => number) => measured.map((step): Point => [step.entries, read(step)])
  bench.series.push({
    scenario: NAME,
    name: NAME,
    title: 'Rate of a gateway with a full store, as a share of one with an empty store',
    x: { title: 'log entries (with keys, configs and policies in proportion)', scale: 'log' },
    y: { title: 'share' },
    lines: { 'chat rate': lineOf(({ rate }) => (rate[FULL] ?? Number.NaN) / (rate[EMPTY] ?? Number.NaN)) },
  })
}

export const growth: Scenario = { name: NAME, run }
