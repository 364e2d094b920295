/** Notes on the runs behind a figure: failures, limits, disturbances. */
import { isDisturbed, limitOf, type Run } from './judge.ts'
import { byServer } from './results.ts'

/** A run, and the contest that it belongs to. */
export interface ContestRun {
  contest: string
  run: Run
}

/**
 * One sentence per finding. `limits`: also reports when the load generator was the limit, which matters only when the
 * load should saturate the server.
 */
export function remarksOn(contest: string, runs: readonly Run[], { limits }: { limits: boolean }): string[] {
  const remarks: string[] = []
  for (const [server, own] of byServer(runs)) {
    const found = [failures(own), limits && server !== 'direct' ? loadLimit(own) : '']
    for (const text of found) if (text !== '') remarks.push(`${contest}, ${server}: ${text}`)
  }
  return remarks
}

function failures(runs: readonly Run[]): string {
  const failed = runs.reduce((total, { result }) => total + result.failed, 0)
  if (failed === 0) return ''
  const all = runs.reduce((total, { result }) => total + result.failed + result.completed, 0)
  const reason = runs.find(({ result }) => result.failed > 0)?.result.firstFailure ?? ''
  return `${failed} of ${all} requests failed (${reason}); rounds with a failure do not count`
}

function loadLimit(runs: readonly Run[]): string {
  const limited = runs.filter((run) => limitOf(run) === 'load')
  if (limited.length * 2 <= runs.length) return ''
  return 'the load generator and the mock were the limit, the server could do more'
}

/** The contests and servers for which other processes disturbed every run. */
export function alwaysDisturbed(runs: readonly ContestRun[]): string[] {
  const always = new Map<string, boolean>()
  for (const { contest, run } of runs) {
    const label = `${contest} ${run.server}`
    always.set(label, (always.get(label) ?? true) && isDisturbed(run))
  }
  return [...always].filter(([, disturbed]) => disturbed).map(([label]) => label)
}

/** Names the figures that were measured while other processes used the machine, or returns an empty text. */
export function disturbances(runs: readonly ContestRun[]): string[] {
  const disturbed = runs.filter(({ run }) => isDisturbed(run)).length
  if (disturbed === 0) return []
  const labels = alwaysDisturbed(runs)
  const fate =
    labels.length === 0 ? '' : `; they had to count where there were no others: ${labels.join(', ')}`
  return [
    `other processes took over 10 % of a core in ${disturbed} of ${runs.length} runs, which do not count${fate}`,
  ]
}
