/**
 * The cost of OpenTelemetry: a gateway that exports traces and metrics of every request, compared with one that exports
 * nothing.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import type { Run } from '../judge.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { cpuMicroseconds, medians, perSecond, type Reading, type Values } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { median } from '../statistics.ts'

const NAME = 'telemetry'
const OFF = 'telemetry off'
const ON = 'telemetry on'
/** The maximum ratio of processor time per request. */
const MOST_COST = 1.05
/**
 * The number of times that both gateways are started. The cost of the same code differs by several per cent between two
 * processes, because V8 compiles it differently. Runs are short and many: the machine's own speed changes within
 * seconds.
 */
const FULL = { starts: 7, rounds: 12, runMs: 600 }
const QUICK = { starts: 2, rounds: 4, runMs: 500 }

async function run(bench: Bench): Promise<Row[]> {
  const { starts, ...effort } = bench.effort.rounds > 2 ? FULL : QUICK
  // The mock takes exports like every other request.
  const telemetry = { otlp_endpoint: `http://127.0.0.1:${bench.mock.port}` }
  const prepared = prepareGateway(workFolder(), bench.mock.port, { telemetry })
  const contest = (servers: Server[]) =>
    runRounds(bench, {
      name: `${NAME} c=64`,
      ...effort,
      servers,
      connections: 64,
      body: chatBody({}),
      expect: EXPECT_JSON,
      config: 'plain',
    })
  const runs: Run[] = []
  for (let start = 0; start < starts; start += 1) {
    const ofStart = await withServers(bench, ['gateway'], {
      use: (off) =>
        withServers(bench, ['gateway'], {
          use: (on) => contest([...off, ...on]),
          setting: { label: ON, prepared },
        }),
      setting: { label: OFF },
    })
    runs.push(...ofStart)
  }
  const off = runs.filter(({ server }) => server === OFF)
  const on = runs.filter(({ server }) => server === ON)
  /** The ratio is the median over the pairs of runs that followed each other. */
  const valuesOf = (reading: Reading): Values => {
    const without = medians(runs, reading)[OFF] ?? Number.NaN
    const ratios = on.flatMap((run, index) => {
      const before = off[index]
      return before === undefined ? [] : reading(run) / reading(before)
    })
    return { gateway: without * median(ratios), [OFF]: without }
  }
  return [
    makeRow({
      scenario: NAME,
      figure: 'CPU per request with traces and metrics, c=64',
      unit: 'µs',
      values: valuesOf(cpuMicroseconds),
      ratioAtMost: { [OFF]: MOST_COST },
    }),
    makeRow({
      scenario: NAME,
      figure: 'rate with traces and metrics, c=64',
      unit: 'req/s',
      values: valuesOf(perSecond),
      ratioTo: { [OFF]: null },
    }),
  ]
}

export const telemetry: Scenario = { name: NAME, run }
