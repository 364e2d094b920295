/**
 * Adds up facts row by row, in one pass: SQLite would sort them for every group. Rows leave it as one JSON text a slice,
 * which costs half of what values cost that cross over one by one.
 */
import type { LogTotals, LogValue } from '@gateway/contract'
import { noTotals, totalNames } from '@gateway/core/domain'
import { type RawBuilder, sql } from 'kysely'
import { all } from './conditions.ts'
import type { Groups, Scan } from './scan-types.ts'

/** What rows are read of, behind the bucket and the values of groups. */
const read = [
  ...['created_at', 'response_status_code', 'cache_status', 'is_fallback', 'retry_count', 'req_units'],
  ...['res_units', 'cost', 'saved_cost', 'response_time', 'latency_bin', 'end_user'],
]

/** What a total is made of, where it is not the column of its name. */
const status = ['response_status_code']
const cache = ['cache_status']
const timesOfCache = ['cache_status', 'response_time']
const columnsByTotal: Readonly<Partial<Record<keyof LogTotals, readonly string[]>>> = {
  requests: [],
  successes: status,
  errors: status,
  simple_hits: cache,
  semantic_hits: cache,
  cacheable: cache,
  hit_time: timesOfCache,
  miss_time: timesOfCache,
  misses: cache,
  rescued_by_retry: [...status, 'is_fallback', 'retry_count'],
  rescued_by_fallback: [...status, 'is_fallback'],
}

interface Sum {
  bucket: number | null
  values: (string | number | null)[]
  totals: LogTotals
  firstAt: number
  lastAt: number
  bins: Map<number, number>
  users: Set<number>
}

type Cell = string | number | null

interface Statuses {
  hit: number
  semanticHit: number
  miss: number
  semanticMiss: number
  disabled: number
}

export interface RowScan extends Scan {
  bucket: RawBuilder<unknown>
  values: readonly RawBuilder<unknown>[]
  statuses: Statuses
  /** Reads the values of a group: names for numbers. */
  reader(rows: readonly (readonly Cell[])[]): Promise<(values: readonly Cell[]) => LogValue[]>
}

export async function addScanned(groups: Groups, given: RowScan): Promise<void> {
  const { aggregation, conditions, queries, values } = given
  const { histogram = false, users = false, totals = totalNames } = aggregation
  const used = new Set(['created_at', ...totals.flatMap((name) => columnsByTotal[name] ?? [name])])
  if (histogram) used.add('latency_bin')
  if (users) used.add('end_user')
  const columns = read.map((name) => (used.has(name) ? sql.ref(`log_facts.${name}`) : sql`null`))
  const row = sql.join([given.bucket, ...values, ...columns])
  const found = await sql<{ rows: string }>`select json_group_array(json_array(${row})) as rows
    from log_facts where ${all(conditions)}`.execute(queries)
  // Written by SQLite: columns are numbers, texts and nulls.
  const rows = JSON.parse(found.rows[0]?.rows ?? '[]') as Cell[][]
  const sums = addRows(rows, values.length, given.statuses, { histogram, users })
  const toValues = await given.reader(sums.map((sum) => sum.values))
  for (const { bucket, totals, firstAt, lastAt, bins, users: different, ...sum } of sums) {
    const shown = toValues(sum.values)
    groups.add({ bucket, values: shown, totals, firstAt, lastAt })
    if (histogram) groups.addBins(bucket, shown, bins)
    for (const user of different) groups.addUser(bucket, shown, String(user))
  }
}

function addRows(
  rows: Iterable<readonly Cell[]>,
  width: number,
  is: Statuses,
  { histogram, users }: { histogram: boolean; users: boolean },
): Sum[] {
  const sums = new Map<Cell, Sum>()
  for (const cells of rows) {
    let key = cells[0] ?? null
    for (let at = 1; at <= width; at += 1)
      key = at === 1 && key === null ? (cells[1] ?? null) : `${key}\n${cells[at]}`
    let sum = sums.get(key)
    if (sum === undefined) {
      sum = {
        bucket: cells[0] as number | null,
        values: cells.slice(1, width + 1),
        totals: { ...noTotals },
        firstAt: Number.POSITIVE_INFINITY,
        lastAt: Number.NEGATIVE_INFINITY,
        bins: new Map(),
        users: new Set(),
      }
      sums.set(key, sum)
    }
    const at = cells[width + 1] as number
    const status = (cells[width + 2] ?? 0) as number
    const cache = (cells[width + 3] ?? 0) as number
    const isFallback = cells[width + 4] === 1
    const time = (cells[width + 10] ?? 0) as number
    const { totals } = sum
    const isSuccess = status >= 200 && status <= 299
    totals.requests += 1
    totals.req_units += (cells[width + 6] ?? 0) as number
    totals.res_units += (cells[width + 7] ?? 0) as number
    totals.cost += (cells[width + 8] ?? 0) as number
    totals.saved_cost += (cells[width + 9] ?? 0) as number
    totals.response_time += time
    if (isSuccess) {
      totals.successes += 1
      if (isFallback) totals.rescued_by_fallback += 1
      else if (((cells[width + 5] ?? 0) as number) > 0) totals.rescued_by_retry += 1
    } else if (status >= 400) totals.errors += 1
    if (cache !== 0 && cache !== is.disabled) {
      totals.cacheable += 1
      if (cache === is.hit || cache === is.semanticHit) {
        if (cache === is.hit) totals.simple_hits += 1
        else totals.semantic_hits += 1
        totals.hit_time += time
      } else if (cache === is.miss || cache === is.semanticMiss) {
        totals.misses += 1
        totals.miss_time += time
      }
    }
    if (at < sum.firstAt) sum.firstAt = at
    if (at > sum.lastAt) sum.lastAt = at
    if (histogram) {
      const bin = cells[width + 11] as number
      sum.bins.set(bin, (sum.bins.get(bin) ?? 0) + 1)
    }
    const user = cells[width + 12] ?? null
    if (users && user !== null) sum.users.add(user as number)
  }
  return [...sums.values()]
}
