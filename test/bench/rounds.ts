/**
 * A contest: the servers take turns, round after round (A B C A B C …), after a warm-up that does not
 * count. Each run has a limit in requests and in time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import type { SavedConfig } from './gateway-config.ts'
import type { Layout, Run } from './judge.ts'
import type { Expectation, LoadJob } from './load/job.ts'
import { remarksOn } from './remarks.ts'
import { headersOf, pathOf, type Server } from './servers.ts'
import { busyMsByCore, cpuMs, residentBytes } from './usage.ts'

/** More requests than any server can answer within a run: the time is the effective limit. */
const MOST_REQUESTS = 100_000
/** Lets a server finish its work after an answer, such as writing log lines, before the next server runs. */
const PAUSE_MS = 100

export interface Contest {
  name: string
  servers: readonly Server[]
  /** With `ratePerS`: the most. */
  connections: number
  /** See {@link LoadJob}. */
  ratePerS?: number
  body: string
  expect: Expectation
  config: SavedConfig
  /** Instead of the usual ones. */
  headers?: (server: Server) => Readonly<Record<string, string>>
  /** See {@link LoadJob}. */
  counterBelow?: number
  /** Further requirements for the gateway's answers, in addition to {@link expect}, in the runs that count. */
  proof?: Partial<Expectation>
  /** Options of the run before the first round; false: no such run. */
  warmUp?: Partial<LoadJob> | false
  /** Defaults: the effort's. */
  rounds?: number
  runMs?: number
  requests?: number
  rampMs?: number
}

/** Runs all rounds. Failures, and limits other than the server's, become notes. */
export async function runRounds(bench: Bench, contest: Contest): Promise<Run[]> {
  const { rounds, warmUpRequests, warmUpMs } = bench.effort
  const { warmUp = {} } = contest
  for (const server of warmUp === false ? [] : contest.servers) {
    const job = { ...jobFor(bench, contest, server), ...warmUp }
    await bench.load.run({ ...job, requests: warmUpRequests, limitMs: warmUpMs })
  }
  const runs: Run[] = []
  for (let round = 1; round <= (contest.rounds ?? rounds); round += 1) {
    for (const server of contest.servers) runs.push(await runOnce(bench, contest, { server, round }))
  }
  bench.runs.push(...runs.map((run) => ({ contest: contest.name, run })))
  const saturates = contest.connections > 1 && contest.ratePerS === undefined
  bench.notes.push(...remarksOn(contest.name, runs, { limits: saturates }))
  return runs
}

async function runOnce(
  bench: Bench,
  contest: Contest,
  { server, round }: { server: Server; round: number },
): Promise<Run> {
  await sleep(PAUSE_MS)
  const job = jobFor(bench, contest, server)
  if (server.name === 'gateway') job.expect = { ...job.expect, ...contest.proof }
  const before = readCounters(bench, server)
  const result = await bench.load.run(job)
  const after = readCounters(bench, server)
  return {
    server: server.label,
    round,
    result,
    wallMs: after.at - before.at,
    serverCpuMs: after.serverCpuMs - before.serverCpuMs,
    mockCpuMs: after.mockCpuMs - before.mockCpuMs,
    busyMs: after.busyMs - before.busyMs,
    residentBytes: residentBytes(server.child.pid),
    layout: layoutOf(bench, server),
  }
}

function jobFor({ mock, effort }: Bench, contest: Contest, server: Server): LoadJob {
  return {
    port: server.port,
    path: pathOf(server.name),
    headers: contest.headers?.(server) ?? headersOf(server.name, mock.port, contest.config),
    ...(contest.counterBelow === undefined ? {} : { counterBelow: contest.counterBelow }),
    ...(contest.ratePerS === undefined ? {} : { ratePerS: contest.ratePerS }),
    body: contest.body,
    connections: contest.connections,
    requests: contest.requests ?? MOST_REQUESTS,
    limitMs: contest.runMs ?? (contest.connections === 1 ? effort.singleRunMs : effort.runMs),
    rampMs: contest.rampMs ?? 0,
    expect: contest.expect,
  }
}

interface Counters {
  at: number
  serverCpuMs: number
  mockCpuMs: number
  busyMs: number
}

function readCounters(bench: Bench, server: Server): Counters {
  const busy = busyMsByCore()
  return {
    at: performance.now(),
    serverCpuMs: cpuMs(server.child.pid),
    mockCpuMs: server === bench.mock ? 0 : cpuMs(bench.mock.child.pid),
    busyMs: coresInUse(bench, server).reduce((total, core) => total + (busy.get(core) ?? Number.NaN), 0),
  }
}

function coresInUse({ machine: { pins, cores } }: Bench, server: Server): readonly number[] {
  if (pins === null || server.cores === null) return cores
  return [...new Set([...server.cores, ...pins.load, ...pins.mock])]
}

function layoutOf(bench: Bench, server: Server): Layout {
  const { pins, cores } = bench.machine
  const total = coresInUse(bench, server).length
  if (pins === null || server.cores === null) return { server: cores.length, load: cores.length, total }
  return { server: server.cores.length, load: new Set([...pins.load, ...pins.mock]).size, total }
}
