/**
 * 1,000 concurrent streams with 20 chunks per second each. Every chunk contains its number and its send time; the delay
 * is the difference to its arrival.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import type { Run } from '../judge.ts'
import { chatBody, EXPECT_PACED, EXPECT_STREAM, PACED_BODY } from '../requests.ts'
import { beyond, medians, mediansAdded, type Reading, type Values } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'

const NAME = 'many-streams'
const STREAMS = 1_000
/** Opens connections over a second: the streams must not send at the same moment. */
const RAMP_MS = 1_000
/** A stream of 80 chunks takes four seconds; a late one is not lost. */
const LIMIT_MS = 20_000
const MOST_BEYOND_RELAY_MS = 15
const MORE_STREAMS = 5_000

/** Fast streams: more events in less time. Their delays are meaningless, but are parsed in the same way. */
const WARM_UP = {
  connections: 64,
  rampMs: 0,
  body: chatBody({ stream: true }),
  expect: { ...EXPECT_STREAM, kind: 'timed-stream' as const },
}

const delayP99: Reading = ({ result }) => result.timed?.delayMs.p99 ?? Number.NaN
const delayP50: Reading = ({ result }) => result.timed?.delayMs.p50 ?? Number.NaN
const atOnce: Reading = ({ result }) => result.timed?.atOnce ?? Number.NaN
const cpuPercent: Reading = ({ serverCpuMs, wallMs }) => (serverCpuMs / wallMs) * 100

async function run(bench: Bench): Promise<Row[]> {
  return await withServers(bench, ['direct', 'relay', 'reference', 'gateway'], {
    use: async (servers) => {
      const runs = await runRounds(bench, {
        name: NAME,
        servers,
        connections: STREAMS,
        requests: STREAMS,
        body: PACED_BODY,
        expect: EXPECT_PACED,
        config: 'plain',
        rounds: bench.effort.longRounds,
        warmUp: WARM_UP,
        runMs: LIMIT_MS,
        rampMs: RAMP_MS,
      })
      const row = { scenario: NAME }
      const added = mediansAdded(runs, delayP99)
      return [
        makeRow({ ...row, figure: 'streams open at once', unit: 'streams', values: medians(runs, atOnce) }),
        makeRow({
          ...row,
          figure: 'chunks lost or out of order, worst round',
          unit: 'events',
          values: mostDamaged(runs),
          atMost: 0,
        }),
        makeRow({ ...row, figure: 'chunk delay p50', unit: 'ms', values: medians(runs, delayP50) }),
        makeRow({ ...row, figure: 'chunk delay p99', unit: 'ms', values: medians(runs, delayP99) }),
        makeRow({
          ...row,
          figure: 'chunk delay p99, added',
          unit: 'ms',
          values: added,
        }),
        makeRow({
          ...row,
          figure: "chunk delay p99, added over the relay's",
          unit: 'ms',
          values: beyond(added, 'relay'),
          atMost: MOST_BEYOND_RELAY_MS,
        }),
        makeRow({ ...row, figure: 'CPU of the server', unit: '%', values: medians(runs, cpuPercent) }),
        await manyMore(bench, servers),
      ]
    },
  })
}

/** Five times as many, which exceeds what one core sends in time: late ones are not lost. */
async function manyMore(bench: Bench, servers: readonly Server[]): Promise<Row> {
  const runs = await runRounds(bench, {
    name: `${NAME}, ${MORE_STREAMS}`,
    servers: servers.filter(({ name }) => name === 'gateway'),
    connections: MORE_STREAMS,
    requests: MORE_STREAMS,
    body: PACED_BODY,
    expect: EXPECT_PACED,
    config: 'plain',
    rounds: 1,
    warmUp: false,
    runMs: 3 * LIMIT_MS,
    rampMs: 5 * RAMP_MS,
  })
  return makeRow({
    scenario: NAME,
    figure: `chunks lost or out of order of ${MORE_STREAMS.toLocaleString('en-US')} streams`,
    unit: 'events',
    values: mostDamaged(runs),
    atMost: 0,
  })
}

/** Unlike the other figures over all rounds, including those with failures: nothing may be lost in any round. */
function mostDamaged(runs: readonly Run[]): Values {
  const values: Values = {}
  for (const { server, result } of runs) {
    const damaged = (result.timed?.lost ?? 0) + (result.timed?.reordered ?? 0)
    values[server] = Math.max(values[server] ?? 0, damaged)
  }
  return values
}

export const manyStreams: Scenario = { name: NAME, run }
