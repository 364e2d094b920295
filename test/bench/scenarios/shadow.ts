/**
 * What callers notice of a shadow: their p99 on a gateway that shadows a tenth of the requests, and on one that does not,
 * with an upstream that takes its time, and at a load that leaves no time for shadows.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { GATEWAY_KEY, prepareGateway } from '../gateway-config.ts'
import type { Run } from '../judge.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { latencyP99, medians, type Values } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { median } from '../statistics.ts'
import { SLOW_MODEL, SLOW_MS } from '../targets/wire-data.ts'

const NAME = 'shadow'
const OFF = 'shadow off'
const ON = 'shadow on'
const SHADOW = { config: 'held', sample_percent: 10, budget_per_day: 1000 }
/** Of the p99 without a shadow. */
const MOST_P99 = 1.03
/** Runs are short and many: the machine's own speed changes within seconds. */
const FULL = { rounds: 16, runMs: 2000 }
const QUICK = { rounds: 4, runMs: 500 }

interface Load {
  title: string
  connections: number
  body: string
  /** The least share of the sampled requests that must run, so that the row says something about them. */
  leastRun: number
}

const LOADS: readonly Load[] = [
  {
    title: `an upstream of ${SLOW_MS} ms, c=16`,
    connections: 16,
    body: chatBody({ model: SLOW_MODEL }),
    leastRun: 0.99,
  },
  { title: 'an upstream that answers at once, c=64', connections: 64, body: chatBody({}), leastRun: 0 },
]

async function run(bench: Bench): Promise<Row[]> {
  const prepared = prepareGateway(workFolder(), bench.mock.port, { shadow: SHADOW })
  return withServers(
    bench,
    ['gateway'],
    (off) =>
      withServers(
        bench,
        ['gateway'],
        async (on) => {
          const rows: Row[] = []
          for (const load of LOADS) rows.push(...(await measure(bench, load, { off, on })))
          return rows
        },
        { label: ON, prepared },
      ),
    { label: OFF },
  )
}

interface Servers {
  off: readonly Server[]
  on: readonly Server[]
}

async function measure(bench: Bench, load: Load, { off, on }: Servers): Promise<Row[]> {
  const effort = bench.effort.rounds > 2 ? FULL : QUICK
  const before = await shadowsOf(on)
  const runs = await runRounds(bench, {
    name: `${NAME}, ${load.title}`,
    ...effort,
    servers: [...off, ...on],
    connections: load.connections,
    body: load.body,
    expect: EXPECT_JSON,
    config: 'plain',
  })
  const after = await shadowsOf(on)
  const ran = after.completed - before.completed
  const share = (100 * ran) / Math.max(1, after.all - before.all)
  return [
    p99Row(load, runs),
    makeRow({
      scenario: NAME,
      figure: `sampled requests that were shadowed, ${load.title}`,
      unit: '%',
      values: { gateway: share },
      ...(load.leastRun === 0 ? {} : { atLeast: 100 * load.leastRun }),
    }),
  ]
}

/** Counted by the gateway since its start. */
async function shadowsOf(servers: readonly Server[]): Promise<{ completed: number; all: number }> {
  const counts = { completed: 0, all: 0 }
  for (const { port } of servers) {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
      headers: { 'x-gateway-api-key': GATEWAY_KEY },
    })
    for (const [, outcome, count] of (await response.text()).matchAll(
      /^gateway_shadow_total\{outcome="(\w+)"\} (\d+)$/gm,
    )) {
      counts.all += Number(count)
      if (outcome === 'completed') counts.completed += Number(count)
    }
  }
  return counts
}

/** The ratio is the median over the pairs of runs that followed each other. */
function p99Row({ title }: Load, runs: readonly Run[]): Row {
  const without = medians(runs, latencyP99)[OFF] ?? Number.NaN
  const off = runs.filter(({ server }) => server === OFF)
  const ratios = runs
    .filter(({ server }) => server === ON)
    .flatMap((own, index) => {
      const before = off[index]
      return before === undefined ? [] : latencyP99(own) / latencyP99(before)
    })
  const values: Values = { gateway: without * median(ratios), [OFF]: without }
  return makeRow({
    scenario: NAME,
    figure: `p99 of callers with a tenth of the requests shadowed, ${title}`,
    unit: 'ms',
    values,
    ratioAtMost: { [OFF]: MOST_P99 },
  })
}

export const shadow: Scenario = { name: NAME, run }
