/**
 * The gateway on several versions of Node: rate, latency, processor time and memory of chat completions, each compared
 * with the version that runs the bench. `BENCH_NODES` lists the executables of the others, separated by commas.
 */
import { execFileSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import type { Run } from '../judge.ts'
import { chatBody, EXPECT_JSON, EXPECT_STREAM } from '../requests.ts'
import { cpuMicroseconds, latencyP99, medians, perSecond, type Reading } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'

const NAME = 'node-versions'

interface Installed {
  /** The label: `Node 24.1.0`. */
  label: string
  executable: string
}

async function run(bench: Bench): Promise<Row[]> {
  const installed = [process.execPath, ...(process.env.BENCH_NODES ?? '').split(',').filter(Boolean)].map(
    (executable): Installed => ({
      label: `Node ${execFileSync(executable, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()}`,
      executable,
    }),
  )
  if (installed.length === 1) {
    bench.notes.push(`${NAME} was left out: BENCH_NODES names no other executable of Node`)
    return []
  }
  return await startEach(bench, { installed, started: [] }, async (servers) => {
    const chat: Run[] = []
    const streams: Run[] = []
    // One version after the other: while it waits for its turn, a gateway may return memory to the system, and its next
    // requests then cost up to three times as much.
    for (const server of servers) {
      const shared = { servers: [server], connections: 64, config: 'plain' } as const
      chat.push(
        ...(await runRounds(bench, {
          ...shared,
          name: `${NAME} chat, ${server.label}`,
          body: chatBody({}),
          expect: EXPECT_JSON,
        })),
      )
      streams.push(
        ...(await runRounds(bench, {
          ...shared,
          name: `${NAME} streams, ${server.label}`,
          body: chatBody({ stream: true }),
          expect: EXPECT_STREAM,
        })),
      )
    }
    return rowsOf(installed, chat, streams)
  })
}

interface StartEachOptions {
  installed: readonly Installed[]
  started: readonly Server[]
}

/** One gateway for each version, with its own store; all run at the same time. */
function startEach(
  bench: Bench,
  { installed: [next, ...rest], started }: StartEachOptions,
  use: (servers: Server[]) => Promise<Row[]>,
): Promise<Row[]> {
  if (next === undefined) return use([...started])
  const prepared = prepareGateway(workFolder(), bench.mock.port)
  // The command is a script that looks for `node`.
  const env = { ...prepared.env, PATH: `${dirname(next.executable)}${delimiter}${process.env.PATH}` }
  return withServers(bench, ['gateway'], {
    use: (own) => startEach(bench, { installed: rest, started: [...started, ...own] }, use),
    setting: {
      label: next.label,
      prepared: { ...prepared, env },
    },
  })
}

function rowsOf(installed: readonly Installed[], chat: readonly Run[], streams: readonly Run[]): Row[] {
  const [first] = installed
  const base = first?.label ?? ''
  const figures: [figure: string, unit: Row['unit'], runs: readonly Run[], reading: Reading][] = [
    ['chat, rate, c=64', 'req/s', chat, perSecond],
    ['chat, CPU per request, c=64', 'µs', chat, cpuMicroseconds],
    ['chat, latency p99, c=64', 'ms', chat, latencyP99],
    ['streams, rate, c=64', 'streams/s', streams, perSecond],
    ['resident memory after the streams', 'MB', streams, ({ residentBytes }) => residentBytes / 1e6],
  ]
  return figures.flatMap(([figure, unit, runs, reading]) => {
    const values = medians(runs, reading)
    return installed.map(({ label }) =>
      makeRow({
        scenario: NAME,
        figure: `${figure}, ${label}`,
        unit,
        values: { gateway: values[label] ?? Number.NaN, [base]: values[base] ?? Number.NaN },
        ...(label === base ? {} : { ratioTo: { [base]: null } }),
      }),
    )
  })
}

export const nodeVersions: Scenario = { name: NAME, run }
