/** Rate and p99 of chat completions by connections, from one to 256. */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { latencyP99, medians, perSecond, type Reading } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Point } from '../series.ts'
import type { ServerName } from '../servers.ts'

const NAME = 'curve'
const CONNECTIONS = [1, 4, 16, 64, 256]
const SERVERS: readonly ServerName[] = ['relay', 'reference', 'gateway']
const ROUNDS = 2

async function run(bench: Bench): Promise<Row[]> {
  const rates: Record<string, Point[]> = {}
  const tails: Record<string, Point[]> = {}
  const rows: Row[] = []
  await withServers(bench, SERVERS, {
    use: async (servers) => {
      for (const [index, connections] of CONNECTIONS.entries()) {
        const runs = await runRounds(bench, {
          name: `${NAME} c=${connections}`,
          servers,
          body: chatBody({}),
          expect: EXPECT_JSON,
          config: 'plain',
          connections,
          rounds: Math.min(ROUNDS, bench.effort.rounds),
          ...(index === 0 ? {} : { warmUp: false as const }),
        })
        const keep = (lines: Record<string, Point[]>, reading: Reading) => {
          for (const [server, value] of Object.entries(medians(runs, reading)))
            lines[server] = [...(lines[server] ?? []), [connections, value]]
        }
        keep(rates, perSecond)
        keep(tails, latencyP99)
        rows.push(
          makeRow({
            scenario: NAME,
            figure: `rate, c=${connections}`,
            unit: 'req/s',
            values: medians(runs, perSecond),
            ratioTo: { relay: null, reference: null },
          }),
          makeRow({
            scenario: NAME,
            figure: `latency p99, c=${connections}`,
            unit: 'ms',
            values: medians(runs, latencyP99),
          }),
        )
      }
    },
  })
  const x = { title: 'connections', scale: 'log' } as const
  const plot = { scenario: NAME, x }
  bench.series.push(
    {
      ...plot,
      name: 'rate',
      title: 'Chat completions a second by connections',
      y: { title: 'req/s' },
      lines: rates,
    },
    {
      ...plot,
      name: 'p99',
      title: 'Latency of the slowest hundredth by connections',
      y: { title: 'ms' },
      lines: tails,
    },
  )
  return rows
}

export const curve: Scenario = { name: NAME, run }
