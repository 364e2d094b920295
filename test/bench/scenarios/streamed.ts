/** Streamed chat completions of 50 chunks: streams a second on 64 connections, first chunk on one. */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { chatBody, EXPECT_STREAM } from '../requests.ts'
import { cpuMicroseconds, firstEventP50, medians, mediansAdded, perSecond } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'

const NAME = 'streamed'

async function run(bench: Bench): Promise<Row[]> {
  return await withServers(bench, ['direct', 'relay', 'reference', 'gateway'], {
    use: async (servers) => {
      const body = chatBody({ stream: true })
      const shared = { servers, body, expect: EXPECT_STREAM, config: 'plain' } as const
      const many = await runRounds(bench, { ...shared, name: `${NAME} c=64`, connections: 64 })
      const one = await runRounds(bench, { ...shared, name: `${NAME} c=1`, connections: 1, warmUp: false })
      const row = { scenario: NAME, ratioTo: { relay: null, reference: null } }
      return [
        makeRow({
          scenario: NAME,
          figure: '50 chunks, rate, c=64',
          unit: 'streams/s',
          values: medians(many, perSecond),
          ratioTo: { relay: 0.75, reference: 5 },
        }),
        makeRow({
          ...row,
          figure: 'first chunk, added p50, c=1',
          unit: 'ms',
          values: mediansAdded(one, firstEventP50),
          atMost: 1,
        }),
        makeRow({
          ...row,
          figure: 'CPU per stream, c=64',
          unit: 'µs',
          values: medians(many, cpuMicroseconds),
        }),
      ]
    },
  })
}

export const streamed: Scenario = { name: NAME, run }
