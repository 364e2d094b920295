/** Aggregates requests: for engines without SQL, and to combine partial sums of those with it. */
import type { LogFields, LogGroup, LogTotals, LogValue } from '@gateway/contract'

export const noTotals: LogTotals = {
  requests: 0,
  cost: 0,
  saved_cost: 0,
  req_units: 0,
  res_units: 0,
  response_time: 0,
  successes: 0,
  errors: 0,
  simple_hits: 0,
  semantic_hits: 0,
  cacheable: 0,
  hit_time: 0,
  miss_time: 0,
  misses: 0,
  rescued_by_retry: 0,
  rescued_by_fallback: 0,
}

export const totalNames = Object.keys(noTotals) as readonly (keyof LogTotals)[]

/** The contribution of one entry. */
export function totalsOf(fields: Partial<LogFields>): LogTotals {
  const status = fields.response_status_code ?? 0
  const { cache_status: cache = null } = fields
  const time = fields.response_time ?? 0
  const isSuccess = status >= 200 && status <= 299
  const isHit = cache === 'HIT' || cache === 'SEMANTIC HIT'
  const isMiss = cache === 'MISS' || cache === 'SEMANTIC MISS'
  const isFallback = fields.is_fallback === true
  return {
    requests: 1,
    cost: fields.cost ?? 0,
    saved_cost: fields.saved_cost ?? 0,
    req_units: fields.req_units ?? 0,
    res_units: fields.res_units ?? 0,
    response_time: time,
    successes: Number(isSuccess),
    errors: Number(status >= 400),
    simple_hits: Number(cache === 'HIT'),
    semantic_hits: Number(cache === 'SEMANTIC HIT'),
    cacheable: Number(cache !== null && cache !== 'DISABLED'),
    hit_time: isHit ? time : 0,
    miss_time: isMiss ? time : 0,
    misses: Number(isMiss),
    rescued_by_retry: Number(isSuccess && !isFallback && (fields.retry_count ?? 0) > 0),
    rescued_by_fallback: Number(isSuccess && isFallback),
  }
}

export function addTotals(sum: LogTotals, other: LogTotals): void {
  for (const name of totalNames) sum[name] += other[name]
}

/** The start of the bucket that contains a time. */
export const bucketOf = (at: number, { sizeMs, offsetMs }: { sizeMs: number; offsetMs: number }): number =>
  Math.floor((at - offsetMs) / sizeMs) * sizeMs + offsetMs

/** The sums of a group, which may be added to. A class: V8 handles many objects made by a spread ten times as slowly. */
class Sum implements LogTotals {
  requests = 0
  cost = 0
  saved_cost = 0
  req_units = 0
  res_units = 0
  response_time = 0
  successes = 0
  errors = 0
  simple_hits = 0
  semantic_hits = 0
  cacheable = 0
  hit_time = 0
  miss_time = 0
  misses = 0
  rescued_by_retry = 0
  rescued_by_fallback = 0
  first_at = Number.POSITIVE_INFINITY
  last_at = Number.NEGATIVE_INFINITY
  readonly histogram = new Map<number, number>()
  readonly users = new Set<string>()
  /** Users that were counted elsewhere. */
  counted = 0

  constructor(
    readonly bucket: number | null,
    readonly values: readonly LogValue[],
  ) {}
}

/** Part of a group: one entry, or a partial sum from an engine. */
interface GroupPart {
  bucket: number | null
  values: readonly LogValue[]
  totals: LogTotals
  firstAt: number
  lastAt: number
}

/** Combines partial sums to groups. */
export function createGroups() {
  const groups = new Map<string, Sum>()

  function groupOf(bucket: number | null, values: readonly LogValue[]): Sum {
    const key = JSON.stringify([bucket, values])
    const known = groups.get(key)
    if (known !== undefined) return known
    const made = new Sum(bucket, values)
    groups.set(key, made)
    return made
  }

  return {
    of: groupOf,
    add({ bucket, values, totals, firstAt, lastAt }: GroupPart): void {
      const group = groupOf(bucket, values)
      addTotals(group, totals)
      group.first_at = Math.min(group.first_at, firstAt)
      group.last_at = Math.max(group.last_at, lastAt)
    },
    addBins(
      bucket: number | null,
      values: readonly LogValue[],
      bins: Iterable<readonly [bin: number, count: number]>,
    ): void {
      const { histogram } = groupOf(bucket, values)
      for (const [bin, count] of bins) histogram.set(bin, (histogram.get(bin) ?? 0) + count)
    },
    addUser(bucket: number | null, values: readonly LogValue[], user: string): void {
      groupOf(bucket, values).users.add(user)
    },
    /** Distinct users of a group, if the engine counts them. */
    addUserCount(bucket: number | null, values: readonly LogValue[], count: number): void {
      groupOf(bucket, values).counted += count
    },
    finish: (): LogGroup[] =>
      [...groups.values()].map(({ counted, ...group }) => ({ ...group, users: group.users.size + counted })),
  }
}
