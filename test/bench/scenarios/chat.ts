/** Chat completions, not streamed: rate, latency and processor time, on 64 connections and on one. */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import {
  beyond,
  cpuMicroseconds,
  latencyP50,
  latencyP99,
  medians,
  mediansAdded,
  perSecond,
} from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'

const NAME = 'chat'

async function run(bench: Bench): Promise<Row[]> {
  return await withServers(bench, ['direct', 'relay', 'reference', 'gateway'], {
    use: async (servers) => {
      const shared = { servers, body: chatBody({}), expect: EXPECT_JSON, config: 'plain' } as const
      const many = await runRounds(bench, { ...shared, name: `${NAME} c=64`, connections: 64 })
      const one = await runRounds(bench, { ...shared, name: `${NAME} c=1`, connections: 1, warmUp: false })
      const ratioTo = { relay: null, reference: null }
      const added = { p50: mediansAdded(one, latencyP50), p99: mediansAdded(one, latencyP99) }
      const row = { scenario: NAME, ratioTo }
      return [
        makeRow({
          scenario: NAME,
          figure: 'rate, c=64',
          unit: 'req/s',
          values: medians(many, perSecond),
          ratioTo: { relay: 0.6, reference: 7 },
        }),
        makeRow({ ...row, figure: 'rate, c=1', unit: 'req/s', values: medians(one, perSecond) }),
        makeRow({ ...row, figure: 'added latency p50, c=1', unit: 'ms', values: added.p50 }),
        makeRow({ ...row, figure: 'added latency p99, c=1', unit: 'ms', values: added.p99 }),
        makeRow({
          scenario: NAME,
          figure: "added latency p50 over the relay's, c=1",
          unit: 'ms',
          values: beyond(added.p50, 'relay'),
          atMost: 0.1,
        }),
        makeRow({
          scenario: NAME,
          figure: "added latency p99 over the relay's, c=1",
          unit: 'ms',
          values: beyond(added.p99, 'relay'),
          atMost: 0.6,
        }),
        makeRow({
          scenario: NAME,
          figure: 'latency p99, c=64',
          unit: 'ms',
          values: medians(many, latencyP99),
          ratioAtMost: { relay: 2 },
        }),
        makeRow({
          ...row,
          figure: 'added latency p50, c=64',
          unit: 'ms',
          values: mediansAdded(many, latencyP50),
        }),
        makeRow({
          ...row,
          figure: 'added latency p99, c=64',
          unit: 'ms',
          values: mediansAdded(many, latencyP99),
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

export const chat: Scenario = { name: NAME, run }
