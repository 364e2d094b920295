/** What callers notice of a shadow: their p99 on a gateway that shadows a tenth of the requests, and on one that does not. */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import type { Run } from '../judge.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { latencyP99, medians, type Values } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import { median } from '../statistics.ts'

const NAME = 'shadow'
const OFF = 'shadow off'
const ON = 'shadow on'
const SHADOW = { config: 'translated', sample_percent: 10, budget_per_day: 1000 }
/** Of the p99 without a shadow. */
const MOST_P99 = 1.03
/** One connection leaves the gateway time for shadows; 64 leave it none. */
const CONNECTIONS = [1, 64] as const
/** Runs are short and many: the machine's own speed changes within seconds. */
const FULL = { rounds: 24, runMs: 1000 }
const QUICK = { rounds: 4, runMs: 500 }

async function run(bench: Bench): Promise<Row[]> {
  const effort = bench.effort.rounds > 2 ? FULL : QUICK
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
          for (const connections of CONNECTIONS) {
            const runs = await runRounds(bench, {
              name: `${NAME} c=${connections}`,
              ...effort,
              servers: [...off, ...on],
              connections,
              body: chatBody({}),
              expect: EXPECT_JSON,
              config: 'plain',
            })
            rows.push(rowOf(connections, runs))
          }
          return rows
        },
        { label: ON, prepared },
      ),
    { label: OFF },
  )
}

/** The ratio is the median over the pairs of runs that followed each other. */
function rowOf(connections: number, runs: readonly Run[]): Row {
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
    figure: `p99 of callers with a tenth of the requests shadowed, c=${connections}`,
    unit: 'ms',
    values,
    ratioAtMost: { [OFF]: MOST_P99 },
  })
}

export const shadow: Scenario = { name: NAME, run }
