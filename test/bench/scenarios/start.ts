/** The time from the start of the process to its first 200 on the readiness route. */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import type { Values } from '../results.ts'
import { makeRow, type Row } from '../rows.ts'
import { median } from '../statistics.ts'

const NAME = 'start'
const MOST_MS = 1_000

async function run(bench: Bench): Promise<Row[]> {
  const values: Values = {}
  for (const name of ['relay', 'reference', 'gateway'] as const) {
    const times: number[] = []
    for (let round = 0; round < bench.effort.rounds; round += 1) {
      await withServers(bench, [name], {
        use: async (servers) => {
          times.push(...servers.map(({ readyMs }) => readyMs))
        },
      })
    }
    if (times.length > 0) values[name] = median(times)
  }
  return [
    makeRow({
      scenario: NAME,
      figure: 'start to ready',
      unit: 'ms',
      values,
      ratioTo: { relay: null, reference: null },
      atMost: MOST_MS,
    }),
  ]
}

export const start: Scenario = { name: NAME, run }
