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

const NAME = 'telemetry'
const OFF = 'telemetry off'
const ON = 'telemetry on'
/** Of processor time for each request. */
const MOST_COST = 1.05
/**
 * How often both gateways are started, and the rounds of each pair. What the same code costs differs by several per cent
 * between two processes, as V8 compiles it differently, and stays the same while a process runs.
 */
const FULL = { starts: 7, rounds: 3 }
const QUICK = { starts: 2, rounds: 2 }

async function run(bench: Bench): Promise<Row[]> {
  const { starts, rounds } = bench.effort.rounds > 2 ? FULL : QUICK
  // The mock takes exports like every other request.
  const telemetry = { otlp_endpoint: `http://127.0.0.1:${bench.mock.port}` }
  const prepared = prepareGateway(workFolder(), bench.mock.port, { telemetry })
  const contest = (servers: Server[]) =>
    runRounds(bench, {
      name: `${NAME} c=64`,
      rounds,
      servers,
      connections: 64,
      body: chatBody({}),
      expect: EXPECT_JSON,
      config: 'plain',
    })
  const runs: Run[] = []
  for (let start = 0; start < starts; start += 1) {
    const ofStart = await withServers(
      bench,
      ['gateway'],
      (off) => withServers(bench, ['gateway'], (on) => contest([...off, ...on]), { label: ON, prepared }),
      { label: OFF },
    )
    runs.push(...ofStart)
  }
  const valuesOf = (reading: Reading): Values => {
    const values = medians(runs, reading)
    return { gateway: values[ON] ?? Number.NaN, [OFF]: values[OFF] ?? Number.NaN }
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
