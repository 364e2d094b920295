/**
 * What callers notice of a shadow: their p99 on a gateway that shadows a tenth of the requests, as a ratio to one that
 * does not. Requests arrive at constant rates: a loop of callers who wait for each other would saturate the gateway, and
 * its p99 is that of a queue. A second gateway without a shadow shows how far two equal gateways are apart. A saturated run
 * shows that shadows are dropped first.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { GATEWAY_KEY, prepareGateway } from '../gateway-config.ts'
import { isDisturbed, type Run } from '../judge.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { latencyP99, medians, perSecond } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { median } from '../statistics.ts'
import { SLOW_MODEL, SLOW_MS } from '../targets/wire-data.ts'

const NAME = 'shadow'
const OFF = 'shadow off'
const OFF_AGAIN = 'shadow off, again'
const ON = 'shadow on'
const SHADOW = { config: 'held', sample_percent: 10, budget_per_day: 1000 }
/** The maximum ratio to the p99 without a shadow. */
const MOST_P99 = 1.03
/** Of the rate that saturates the gateway: of a busy gateway, and of one with room for shadows. */
const LOAD_SHARES = [0.45, 0.1] as const
/** Runs are short and many: the machine's own speed changes within seconds. */
const FULL = { rounds: 12, runMs: 2500 }
const QUICK = { rounds: 4, runMs: 500 }

interface Load {
  title: string
  body: string
  /** Of the rate that saturates the gateway; 1: callers who do not wait between requests. */
  share: 1 | (typeof LOAD_SHARES)[number]
}

const SATURATING_CONNECTIONS = 64
/** More than are ever under way at the open rate. */
const OPEN_CONNECTIONS = 512

const slow = chatBody({ model: SLOW_MODEL })
const LOADS: readonly Load[] = [
  { title: 'saturated', body: chatBody({}), share: 1 },
  ...LOAD_SHARES.map((share) => ({
    title: `at ${100 * share} % of that rate, an upstream of ${SLOW_MS} ms`,
    body: slow,
    share,
  })),
]

async function run(bench: Bench): Promise<Row[]> {
  const prepared = prepareGateway(workFolder(), bench.mock.port, { shadow: SHADOW })
  const start = (label: string, settings: object, use: (servers: Server[]) => Promise<Row[]>) =>
    withServers(bench, ['gateway'], { use, setting: { label, ...settings } })
  return start(OFF, {}, (off) =>
    start(ON, { prepared }, (on) =>
      start(OFF_AGAIN, {}, async (again) => {
        const rows: Row[] = []
        let fullPerS = Number.NaN
        for (const load of LOADS) {
          const { runs, share } = await measure(bench, load, {
            servers: [...off, ...on, ...again],
            on,
            ratePerS: Math.round(load.share * fullPerS),
          })
          rows.push(...rowsOf(load.title, runs, share))
          if (load.share < 1) continue
          fullPerS = medians(runs, perSecond)[OFF] ?? Number.NaN
          rows.push(rateRow(fullPerS))
        }
        return rows
      }),
    ),
  )
}

interface Measuring {
  servers: readonly Server[]
  on: readonly Server[]
  ratePerS: number
}

/** `share`: of the sampled requests, those that were shadowed. */
async function measure(bench: Bench, load: Load, { servers, on, ratePerS }: Measuring) {
  const effort = bench.effort.rounds > 2 ? FULL : QUICK
  const before = await shadowsOf(on)
  const runs = await runRounds(bench, {
    name: `${NAME}, ${load.title}`,
    ...effort,
    servers,
    ...(load.share === 1
      ? { connections: SATURATING_CONNECTIONS }
      : { connections: OPEN_CONNECTIONS, ratePerS, warmUp: false }),
    body: load.body,
    expect: EXPECT_JSON,
    config: 'plain',
  })
  const after = await shadowsOf(on)
  const ran = after.completed - before.completed
  return { runs, share: (100 * ran) / Math.max(1, after.all - before.all) }
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

/** Ratios are medians over the rounds, in each of which the runs followed each other. */
function rowsOf(title: string, runs: readonly Run[], share: number): Row[] {
  const without = medians(runs, latencyP99)[OFF] ?? Number.NaN
  const p99 = (label: string, figure: string, bound: object) =>
    makeRow({
      scenario: NAME,
      figure: `p99 of callers, ${figure}, ${title}`,
      unit: 'ms',
      values: { gateway: without * median(ratiosToOff(runs, label)), [OFF]: without },
      ...bound,
    })
  return [
    p99(ON, 'a tenth of the requests shadowed', { ratioAtMost: { [OFF]: MOST_P99 } }),
    p99(OFF_AGAIN, 'another gateway without a shadow', { ratioTo: { [OFF]: null } }),
    makeRow({
      scenario: NAME,
      figure: `sampled requests that were shadowed, ${title}`,
      unit: '%',
      values: { gateway: share },
    }),
  ]
}

const rateRow = (ratePerS: number): Row =>
  makeRow({
    scenario: NAME,
    figure: 'the saturated rate, shadow off',
    unit: 'req/s',
    values: { gateway: ratePerS },
  })

/** The ratios of the rounds in which other processes disturbed neither run; of all rounds if every one was disturbed. */
function ratiosToOff(runs: readonly Run[], label: string): number[] {
  const off = new Map(runs.filter(({ server }) => server === OFF).map((run) => [run.round, run]))
  const pairs = runs
    .filter(({ server }) => server === label)
    .flatMap((run) => {
      const without = off.get(run.round)
      return without === undefined ? [] : [{ run, without }]
    })
  const quiet = pairs.filter(({ run, without }) => !isDisturbed(run) && !isDisturbed(without))
  return (quiet.length > 0 ? quiet : pairs).map(({ run, without }) => latencyP99(run) / latencyP99(without))
}

export const shadow: Scenario = { name: NAME, run }
