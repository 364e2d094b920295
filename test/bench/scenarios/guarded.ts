/**
 * Chat completions with three local guardrails on the input and a cache lookup that misses: every body is
 * a different one. The relay takes the same bodies.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { cpuMicroseconds, latencyP50, medians, mediansAdded, perSecond } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'

const NAME = 'guarded'
/** The answers must show that the guardrails ran and that the cache was asked. */
const PROOF = { head: '\r\nx-gateway-cache-status: miss', firstBody: '"hook_results"' }

async function run(bench: Bench): Promise<Row[]> {
  return await withServers(bench, ['direct', 'relay', 'gateway'], {
    use: async (servers) => {
      const body = chatBody({ distinct: true })
      const shared = { servers, body, expect: EXPECT_JSON, proof: PROOF, config: 'guarded' } as const
      const many = await runRounds(bench, { ...shared, name: `${NAME} c=64`, connections: 64 })
      const one = await runRounds(bench, { ...shared, name: `${NAME} c=1`, connections: 1, warmUp: false })
      const row = { scenario: NAME, ratioTo: { relay: null } }
      return [
        makeRow({
          scenario: NAME,
          figure: '3 guardrails and a cache miss, rate, c=64',
          unit: 'req/s',
          values: medians(many, perSecond),
          ratioTo: { relay: 0.4 },
        }),
        makeRow({ ...row, figure: 'rate, c=1', unit: 'req/s', values: medians(one, perSecond) }),
        makeRow({
          ...row,
          figure: 'added latency p50, c=1',
          unit: 'ms',
          values: mediansAdded(one, latencyP50),
        }),
        makeRow({
          ...row,
          figure: 'CPU per request, c=64',
          unit: 'µs',
          values: medians(many, cpuMicroseconds),
        }),
      ]
    },
  })
}

export const guarded: Scenario = { name: NAME, run }
