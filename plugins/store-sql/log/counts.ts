/**
 * Counts entries. On SQLite the first page of the log would otherwise read all entries of its week to count them, so
 * the counts of periods of ten minutes are cached for the latest filters. A change to the log removes the counts of its
 * periods. A commit of another process, which changes `data_version`, removes all counts.
 * https://www.sqlite.org/pragma.html#pragma_data_version
 */
import type { LogFilter } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database, Queries } from '../database.ts'
import { all, type ConditionOptions, conditionsOf } from './conditions.ts'
import type { LogNames } from './names.ts'

export interface LogCounts {
  count(filter: LogFilter): Promise<number>
  /**
   * Must be called in the transaction that changes entries.
   * @param ids of the changed entries; all if absent
   */
  forget(ids?: readonly string[]): void
}

export function createCounts({ engine, read }: Database, names: LogNames): LogCounts {
  const cache = engine === 'sqlite' ? createCache(names) : null
  return {
    count(filter) {
      const range = rangeOf(filter)
      if (cache === null || range === null) return countAll(filter, { engine, names, queries: read })
      // One snapshot. Writes wait for its end, so no period changes between reading its count and caching it.
      return read.transaction().execute((queries) => cache.count(filter, range, queries))
    },
    forget: (ids) => cache?.forget(ids),
  }
}

async function countAll(filter: LogFilter, options: ConditionOptions): Promise<number> {
  const conditions = all(await conditionsOf(filter, options))
  const { rows } = await sql<{ count: number }>`select count(*) as count from log_facts
    where ${conditions}`.execute(options.queries)
  return rows[0]?.count ?? 0
}

/** Milliseconds since the epoch, the first inclusive, the second exclusive. */
type Range = readonly [from: number, to: number]

const periodMs = 600_000
/** The most cached counts of a filter: more than two months. */
const maxPeriods = 10_000
const maxFilters = 16
/** An id has 48 bits for its time. */
const endOfTime = 2 ** 48 - 1

/** The first 48 bits of an id. */
const timeIn = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

const periodOf = (at: number) => Math.floor(at / periodMs) * periodMs

/** Null for an unlimited range, and for filters that other indexes or tables answer. */
function rangeOf({ from, to, ids, search, weighted_feedback, fields }: LogFilter): Range | null {
  if (from === undefined || from < 0 || ids !== undefined || fields?.trace_id !== undefined) return null
  if (search !== undefined || weighted_feedback !== undefined) return null
  return [Math.floor(from), Math.min(Math.floor(to ?? endOfTime), endOfTime)]
}

/** Whole periods up to the current one, and what remains of the range before and after them. */
function divide([from, to]: Range, nowMs: number): { periods: Range; rest: Range[] } {
  const first = periodOf(from + periodMs - 1)
  const last = periodOf(Math.min(to, nowMs + periodMs))
  return last <= first || last - first > maxPeriods * periodMs
    ? { periods: [from, from], rest: [[from, to]] }
    : {
        periods: [first, last],
        rest: [
          [from, first],
          [last, to],
        ],
      }
}

function createCache(names: LogNames) {
  /** By filter, the counts by the start of their period. The filter used last comes last. */
  const counts = new Map<string, Map<number, number>>()
  let version: number | undefined

  /** Whether another process has changed the file since the last count. */
  async function hasChanged(queries: Queries): Promise<boolean> {
    const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(queries)
    const known = version
    version = rows[0]?.data_version
    return version !== known
  }

  function countsOf(key: string): Map<number, number> {
    const known = counts.get(key) ?? new Map<number, number>()
    // Periods of earlier ranges.
    if (known.size > maxPeriods) known.clear()
    counts.delete(key)
    counts.set(key, known)
    const [oldest] = counts.keys()
    if (counts.size > maxFilters && oldest !== undefined) counts.delete(oldest)
    return known
  }

  async function count(filter: LogFilter, range: Range, queries: Queries): Promise<number> {
    const { from: _, to: __, ...others } = filter
    if (await hasChanged(queries)) {
      // It may write continually, and one count takes less time than the counts of all periods.
      counts.clear()
      return countAll(filter, { engine: 'sqlite', names, queries })
    }
    const known = countsOf(JSON.stringify(others))
    const { periods, rest } = divide(range, Date.now())
    const missing: Range[] = []
    let sum = 0
    for (let start = periods[0]; start < periods[1]; start += periodMs) {
      const cached = known.get(start)
      if (cached === undefined) missing.push([start, start + periodMs])
      else sum += cached
    }
    const conditions = all(await conditionsOf(others, { engine: 'sqlite', names, queries }))
    const ranges = JSON.stringify([...missing, ...rest])
    const { rows } = await sql<{ place: number; count: number }>`select range.key as place,
      (select count(*) from log_facts where id >= ${firstId(0)} and id < ${firstId(1)} and ${conditions}) as count
      from json_each(${ranges}) as range`.execute(queries)
    for (const { place, count } of rows) {
      sum += count
      const period = missing[place]
      if (period !== undefined) known.set(period[0], count)
    }
    return sum
  }

  return {
    count,
    forget(ids?: readonly string[]): void {
      if (ids === undefined) counts.clear()
      for (const period of new Set(ids?.map((id) => periodOf(timeIn(id)))))
        for (const known of counts.values()) known.delete(period)
    },
  }
}

/** A prefix of all ids of a time: the start or the end of a range. */
const firstId = (place: 0 | 1) => sql`unhex(printf('%012x', range.value ->> ${sql.lit(place)}))`
