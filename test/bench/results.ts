/** The runs of a contest, summed up as medians over its rounds. */
import { isDisturbed, type Run } from './judge.ts'
import { median } from './statistics.ts'

/** A figure by server label. */
export type Values = Record<string, number>

/** Reads a figure of a single run. */
export type Reading = (run: Run) => number

/**
 * The runs that count: those without failures which other processes left alone, or all without failures
 * when none was left alone.
 */
function counted(runs: readonly Run[]): Run[] {
  const complete = runs.filter((run) => run.result.failed === 0 && run.result.completed > 0)
  const quiet = complete.filter((run) => !isDisturbed(run))
  return quiet.length > 0 ? quiet : complete
}

/** The runs by server label. */
export function byServer(runs: readonly Run[]): Map<string, Run[]> {
  const groups = new Map<string, Run[]>()
  for (const run of runs) groups.set(run.server, [...(groups.get(run.server) ?? []), run])
  return groups
}

/** The median of a reading for each server. */
export function medians(runs: readonly Run[], reading: Reading): Values {
  const values: Values = {}
  for (const [server, own] of byServer(runs)) values[server] = median(counted(own).map(reading))
  return values
}

/**
 * The median, for each server except the mock, of the time that it adds to the direct call of the same round, or to the
 * median of the direct calls if that call does not count.
 */
export function mediansAdded(runs: readonly Run[], reading: Reading): Values {
  const direct = counted(runs.filter(({ server }) => server === 'direct'))
  const byRound = new Map(direct.map((run) => [run.round, reading(run)]))
  const usual = median(direct.map(reading))
  const served = runs.filter(({ server }) => server !== 'direct')
  return medians(served, (run) => reading(run) - (byRound.get(run.round) ?? usual))
}

/** The gateway's value minus that of another server. */
export const beyond = (values: Values, other: string): Values => ({
  gateway: (values.gateway ?? Number.NaN) - (values[other] ?? Number.NaN),
})

export const perSecond: Reading = ({ result }) => (result.completed / result.elapsedMs) * 1000
export const latencyP50: Reading = ({ result }) => result.latencyMs.p50
export const latencyP99: Reading = ({ result }) => result.latencyMs.p99
export const firstEventP50: Reading = ({ result }) => result.firstEventMs.p50
/** Microseconds of the server's processor time for each request. */
export const cpuMicroseconds: Reading = ({ serverCpuMs, result }) => (serverCpuMs / result.completed) * 1000
