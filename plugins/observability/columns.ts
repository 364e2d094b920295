/** The columns of groups and summaries, each a function of the totals (management.md section 19). */
import type { Json, LogGroup, LogTotals } from '@gateway/contract'
import { toIso } from '@gateway/control-plane/engine'
import { addTotals, noTotals, percentile, totalNames } from '@gateway/domain'

export const rounded = (value: number): number => Math.round(value * 1e4) / 1e4
export const cents = (value: number): number => Math.round(value * 1e6) / 1e6
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
export const percent = (part: number, whole: number): number => rounded(100 * ratio(part, whole))

const time = (at: number): Json => (Number.isFinite(at) ? toIso(at) : null)

export const hitsOf = ({ simple_hits, semantic_hits }: LogGroup): number => simple_hits + semantic_hits

export const columns: Readonly<Record<string, (group: LogGroup) => Json>> = {
  cost: (group) => cents(group.cost),
  total_tokens: (group) => group.req_units + group.res_units,
  avg_tokens: (group) => ratio(group.req_units + group.res_units, group.requests),
  avg_input_tokens: (group) => ratio(group.req_units, group.requests),
  avg_output_tokens: (group) => ratio(group.res_units, group.requests),
  avg_latency: (group) => ratio(group.response_time, group.requests),
  p95_latency: (group) => percentile(group.histogram, 0.95),
  p99_latency: (group) => percentile(group.histogram, 0.99),
  success_rate: (group) => percent(group.successes, group.requests),
  error_count: (group) => group.errors,
  cache_hit_rate: (group) => percent(hitsOf(group), group.requests),
  first_seen: (group) => time(group.first_at),
  last_seen: (group) => time(group.last_at),
}

/** Columns that need the distribution of response times. */
export const needsHistogram = (names: Iterable<string>): boolean =>
  [...names].some((name) => name.startsWith('p95') || name.startsWith('p99'))

export const emptyGroup: LogGroup = {
  ...noTotals,
  bucket: null,
  values: [],
  first_at: Number.POSITIVE_INFINITY,
  last_at: Number.NEGATIVE_INFINITY,
  histogram: new Map(),
  users: 0,
}

/** Merges several groups into one. The numbers of users are added although the users may be the same. */
export function sumOf(groups: readonly LogGroup[]): LogGroup {
  const histogram = new Map<number, number>()
  const sum = { ...emptyGroup, histogram }
  for (const group of groups) {
    addTotals(sum, group)
    sum.users += group.users
    sum.first_at = Math.min(sum.first_at, group.first_at)
    sum.last_at = Math.max(sum.last_at, group.last_at)
    for (const [bin, count] of group.histogram) histogram.set(bin, (histogram.get(bin) ?? 0) + count)
  }
  return sum
}

/** The totals that functions of a group read; stores compute only these. */
export function totalsReadBy(functions: readonly ((group: LogGroup) => unknown)[]): (keyof LogTotals)[] {
  const read = new Set<PropertyKey>()
  const recording = new Proxy(emptyGroup, {
    get(group, name, receiver) {
      read.add(name)
      return Reflect.get(group, name, receiver)
    },
  })
  for (const each of functions) each(recording)
  return totalNames.filter((name) => read.has(name))
}
