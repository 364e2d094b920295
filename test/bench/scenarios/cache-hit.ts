/** Cache hits in memory, against the relay, which asks the mock, and a Koa route that answers a constant. */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { cpuMicroseconds, medians, perSecond } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'

const NAME = 'cache-hit'
const PROOF = { head: '\r\nx-gateway-cache-status: hit' }

async function run(bench: Bench): Promise<Row[]> {
  return await withServers(bench, ['relay', 'koa', 'koa-unread', 'gateway'], {
    use: async (servers) => {
      const runs = await runRounds(bench, {
        name: `${NAME} c=64`,
        servers,
        connections: 64,
        body: chatBody({}),
        expect: EXPECT_JSON,
        proof: PROOF,
        config: 'cached',
      })
      const ratioTo = { relay: null, koa: null, 'koa-unread': null }
      return [
        makeRow({
          scenario: NAME,
          figure: 'hit in memory, rate, c=64',
          unit: 'req/s',
          values: medians(runs, perSecond),
          ratioTo: { relay: 0.8, koa: null, 'koa-unread': null },
        }),
        makeRow({
          scenario: NAME,
          figure: 'CPU per request, c=64',
          unit: 'µs',
          values: medians(runs, cpuMicroseconds),
          ratioTo,
        }),
      ]
    },
  })
}

export const cacheHit: Scenario = { name: NAME, run }
