/**
 * Streamed chat completions of 50 chunks: streams a second on 64 connections, with chunks that arrive one by one and
 * with all in one packet; first chunk on one connection.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { chatBody, EXPECT_STREAM } from '../requests.ts'
import { cpuMicroseconds, firstEventP50, medians, mediansAdded, perSecond } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import { BURST_MODEL } from '../targets/wire-data.ts'

const NAME = 'streamed'

async function run(bench: Bench): Promise<Row[]> {
  return await withServers(bench, ['direct', 'relay', 'reference', 'gateway'], {
    use: async (servers) => {
      const body = chatBody({ stream: true })
      const shared = { servers, body, expect: EXPECT_STREAM, config: 'plain' } as const
      const many = await runRounds(bench, { ...shared, name: `${NAME} c=64`, connections: 64 })
      const inBurst = { ...shared, body: chatBody({ model: BURST_MODEL, stream: true }) }
      const burst = await runRounds(bench, { ...inBurst, name: `${NAME} burst c=64`, connections: 64 })
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
        makeRow({
          scenario: NAME,
          figure: '50 chunks in one packet, rate, c=64',
          unit: 'streams/s',
          values: medians(burst, perSecond),
          ratioTo: { relay: 0.75, reference: 5 },
        }),
        makeRow({
          ...row,
          figure: 'CPU per stream in one packet, c=64',
          unit: 'µs',
          values: medians(burst, cpuMicroseconds),
        }),
      ]
    },
  })
}

export const streamed: Scenario = { name: NAME, run }
