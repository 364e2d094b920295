/**
 * Two workers compared with one, both on two cores. With fewer than four cores the load generator and the mock share
 * these cores and become the limit; a missed target is then not judged. The processor time per request still shows the
 * cost of a second worker.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { limitOf, type Run } from '../judge.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { cpuMicroseconds, medians, perSecond, type Reading } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row, type RowParts } from '../rows.ts'

const NAME = 'workers'
const ONE = 'one worker'
const TWO = 'two workers'

async function run(bench: Bench): Promise<Row[]> {
  const cores = bench.machine.pins === null ? {} : { cores: bench.machine.pins.workers }
  const runs = await withServers(bench, ['gateway'], {
    use: (one) => {
      const compare = async (two: typeof one): Promise<Run[]> => await contest(bench, [...one, ...two])
      return withServers(bench, ['gateway'], { use: compare, setting: { ...cores, workers: 2, label: TWO } })
    },
    setting: { ...cores, workers: 1, label: ONE },
  })
  const rate = makeRow(
    parts('rate of two workers, c=64', 'req/s', { runs, reading: perSecond, atLeast: 1.7 }),
  )
  const cpu = makeRow(
    parts('CPU per request of two workers, c=64', 'µs', { runs, reading: cpuMicroseconds, atLeast: null }),
  )
  const limited = runs.some((run) => run.server === TWO && limitOf(run) === 'load')
  return [rate.verdict === 'no' && limited ? { ...rate, verdict: 'not judged' } : rate, cpu]
}

function contest(bench: Bench, servers: Parameters<typeof runRounds>[1]['servers']): Promise<Run[]> {
  return runRounds(bench, {
    name: `${NAME} c=64`,
    servers,
    connections: 64,
    body: chatBody({}),
    expect: EXPECT_JSON,
    config: 'plain',
  })
}

interface PartsOptions {
  runs: readonly Run[]
  reading: Reading
  atLeast: number | null
}

/** A row that has the figure of two workers as the gateway's, and one worker's for comparison. */
function parts(figure: string, unit: Row['unit'], { runs, reading, atLeast }: PartsOptions): RowParts {
  const values = medians(runs, reading)
  return {
    scenario: NAME,
    figure,
    unit,
    values: { gateway: values[TWO] ?? Number.NaN, [ONE]: values[ONE] ?? Number.NaN },
    ratioTo: { [ONE]: atLeast },
  }
}

export const workers: Scenario = { name: NAME, run }
