/** The totals that `totalsOf` of the domain computes for one entry, as SQL sums over all rows. */
import type { LogTotals } from '@gateway/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../database.ts'
import { integer } from '../values.ts'
import type { LogTable } from './conditions.ts'
import type { LogNames } from './names.ts'

const statusTexts = ['HIT', 'SEMANTIC HIT', 'MISS', 'SEMANTIC MISS', 'DISABLED'] as const
/** Numbers of the names of cache statuses. */
export type Statuses = Readonly<Record<(typeof statusTexts)[number], RawBuilder<number>>>

export async function statusNumbers(names: LogNames, queries: Queries): Promise<Statuses> {
  const numbers = await names.find(queries, statusTexts)
  return Object.fromEntries(statusTexts.map((text) => [text, integer(numbers.get(text) ?? -1)])) as Statuses
}

const when = (condition: RawBuilder<unknown>, then: RawBuilder<unknown> = sql`1`) =>
  sql`case when ${condition} then ${then} else 0 end`

const time = sql`coalesce(response_time, 0)`
const isSuccess = sql`response_status_code between 200 and 299`
const isMiss = (is: Statuses) => sql`cache_status in (${is.MISS}, ${is['SEMANTIC MISS']})`

export function totalOf(table: LogTable, name: keyof LogTotals, is: Statuses): RawBuilder<unknown> {
  if (table === 'log_aggregates') return sql`coalesce(sum(${sql.ref(name)}), 0)`
  return name === 'requests' ? sql`count(*)` : sql`coalesce(sum(${shareOf(name, is)}), 0)`
}

/** The contribution of one row of facts to a total. */
export function shareOf(name: keyof LogTotals, is: Statuses): RawBuilder<unknown> {
  switch (name) {
    case 'requests':
      return sql`1`
    case 'successes':
      return when(isSuccess)
    case 'errors':
      return when(sql`response_status_code >= 400`)
    case 'simple_hits':
      return when(sql`cache_status = ${is.HIT}`)
    case 'semantic_hits':
      return when(sql`cache_status = ${is['SEMANTIC HIT']}`)
    case 'cacheable':
      return when(sql`cache_status <> ${is.DISABLED}`)
    case 'hit_time':
      return when(sql`cache_status in (${is.HIT}, ${is['SEMANTIC HIT']})`, time)
    case 'miss_time':
      return when(isMiss(is), time)
    case 'misses':
      return when(isMiss(is))
    case 'rescued_by_retry':
      return when(sql`${isSuccess} and retry_count > 0 and coalesce(is_fallback, 0) = 0`)
    case 'rescued_by_fallback':
      return when(sql`${isSuccess} and is_fallback = 1`)
    default:
      return sql`coalesce(${sql.ref(name)}, 0)`
  }
}
