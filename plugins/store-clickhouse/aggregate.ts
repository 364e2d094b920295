/**
 * Sums facts and aggregates by columns and time buckets, with one query per table that runs completely in the server.
 */
import type { LogAggregation, LogFilter, LogGroup, LogTotals, LogValue } from '@gateway/contract'
import { aggregateFields, createGroups, totalNames } from '@gateway/domain'
import { type Bound, createBound } from './bound.ts'
import { all, conditionsOf, groupExpression } from './conditions.ts'
import type { Connection } from './connection.ts'
import { isReplaced, isUnfinished, openRemovals, type Removal } from './removal-rows.ts'

const isSuccess = 'response_status_code between 200 and 299'
const isHit = `cache_status in ('HIT', 'SEMANTIC HIT')`
const isMiss = `cache_status in ('MISS', 'SEMANTIC MISS')`
const sumOf = (column: string) => `sum(ifNull(${column}, 0))`

/** The totals that `totalsOf` of the domain computes for one entry, over all rows. */
const totals: Readonly<Record<keyof LogTotals, string>> = {
  requests: 'count()',
  cost: sumOf('cost'),
  saved_cost: sumOf('saved_cost'),
  req_units: sumOf('req_units'),
  res_units: sumOf('res_units'),
  response_time: sumOf('response_time'),
  successes: `countIf(${isSuccess})`,
  errors: 'countIf(response_status_code >= 400)',
  simple_hits: `countIf(cache_status = 'HIT')`,
  semantic_hits: `countIf(cache_status = 'SEMANTIC HIT')`,
  cacheable: `countIf(cache_status != 'DISABLED')`,
  hit_time: `sumIf(ifNull(response_time, 0), ${isHit})`,
  miss_time: `sumIf(ifNull(response_time, 0), ${isMiss})`,
  misses: `countIf(${isMiss})`,
  rescued_by_retry: `countIf(${isSuccess} and retry_count > 0 and not ifNull(is_fallback, false))`,
  rescued_by_fallback: `countIf(${isSuccess} and is_fallback)`,
}

/** Columns of a query get names that do not hide a column of the table. */
const totalName = (name: string) => `total_${name}`

interface Row {
  bucket_at: number | null
  first: number
  last: number
  /** Bins of response times, and the number of values in each. */
  histogram?: [bins: number[], counts: number[]]
  different_users?: number
  [column: `value_${number}` | `total_${string}`]: LogValue
}

interface Grouping {
  bound: Bound
  aggregation: LogAggregation
  where: string
}

/** The bucket of a time. */
export function bucketExpression(
  bound: Bound,
  interval: LogAggregation['interval'],
  column = 'created_at',
): string {
  if (interval === undefined) return 'null'
  const offset = bound.value('Int64', interval.offsetMs)
  const size = bound.value('Int64', interval.sizeMs)
  return `intDiv(${column} - ${offset}, ${size}) * ${size} + ${offset}`
}

const keysOf = ({ bound, aggregation: { by, interval } }: Grouping) => {
  const columns = [
    `${bucketExpression(bound, interval)} as bucket_at`,
    ...by.map((name, index) => `${groupExpression(bound, name)} as value_${index}`),
  ]
  return { columns, names: ['bucket_at', ...by.map((_, index) => `value_${index}`)].join(', ') }
}

/** Requests are always counted, to recognise empty groups. */
const summedBy = ({ totals: wanted = totalNames }: LogAggregation) => [
  ...new Set<keyof LogTotals>(['requests', ...wanted]),
]

/**
 * Sums facts of a group in one pass. For a histogram the groups are first split by bin: a hash table of bins is many
 * times faster than a map of bins for each row.
 */
function factsQuery(grouping: Grouping): string {
  const { histogram = false, users = false } = grouping.aggregation
  const { columns, names } = keysOf(grouping)
  const summed = summedBy(grouping.aggregation)
  const columnsOfTotals = summed.map((name) => `${totals[name]} as ${totalName(name)}`)
  const ends = ['min(created_at) as first', 'max(created_at) as last']
  const from = `from log_facts where ${grouping.where}`
  if (!histogram) {
    const others = users ? ['uniqExact(end_user) as different_users'] : []
    return `select ${[...columns, ...columnsOfTotals, ...ends, ...others].join(', ')} ${from} group by ${names}`
  }
  const state = users ? ['uniqExactState(end_user) as user_state'] : []
  const inner = [...columns, 'latency_bin', ...columnsOfTotals, ...ends, ...state]
  const outer = [
    names,
    ...summed.map((name) => `sum(by_bin.${totalName(name)}) as ${totalName(name)}`),
    'min(by_bin.first) as first, max(by_bin.last) as last',
    '(groupArray(latency_bin), groupArray(by_bin.total_requests)) as histogram',
    ...(users ? ['uniqExactMerge(user_state) as different_users'] : []),
  ]
  return `select ${outer.join(', ')} from (select ${inner.join(', ')} ${from} group by ${names}, latency_bin) as by_bin
    group by ${names}`
}

function aggregatesQuery(grouping: Grouping): string {
  const { columns, names } = keysOf(grouping)
  const { histogram = false } = grouping.aggregation
  const outer = [
    ...columns,
    ...summedBy(grouping.aggregation).map((name) => `sum(log_aggregates.${name}) as ${totalName(name)}`),
    'min(first_at) as first, max(last_at) as last',
    ...(histogram ? ['sumMap(bins, counts) as histogram'] : []),
  ]
  return `select ${outer.join(', ')} from log_aggregates where ${grouping.where} group by ${names}`
}

/** Whether aggregates of pruned entries can answer the query. */
function isOfAggregates(filter: LogFilter, { by, users = false }: LogAggregation): boolean {
  const {
    organisation_id: _,
    workspace_ids: __,
    from: ___,
    to: ____,
    own: _____,
    fields = {},
    either = [],
    anyOf = [],
    except = {},
    ...rest
  } = filter
  const known: ReadonlySet<string> = new Set(['workspace_id', 'organisation_id', ...aggregateFields])
  const used = [fields, ...either, ...anyOf, except].flatMap((match) => Object.keys(match))
  const isPlain = Object.values(rest).every((value) => value === undefined)
  return isPlain && !users && [...used, ...by].every((name) => known.has(name))
}

/** Sums facts, and also aggregates if they can answer the query. */
export async function aggregate(
  connection: Connection,
  filter: LogFilter,
  aggregation: LogAggregation,
): Promise<LogGroup[]> {
  if (!isOfAggregates(filter, aggregation)) {
    const groups = createGroups()
    await addTable(groups, { connection, table: 'log_facts', filter, aggregation, removals: [] })
    return groups.finish()
  }
  // Facts may become aggregates between the queries; both are then read again.
  for (let tries = 1; ; tries += 1) {
    const removals = await openRemovals(connection)
    const groups = createGroups()
    for (const table of ['log_facts', 'log_aggregates'] as const)
      await addTable(groups, { connection, table, filter, aggregation, removals })
    const later = await openRemovals(connection)
    if (tries === mostTries || JSON.stringify(later) === JSON.stringify(removals)) return groups.finish()
  }
}

const mostTries = 3

interface TableScan {
  connection: Connection
  table: 'log_facts' | 'log_aggregates'
  filter: LogFilter
  aggregation: LogAggregation
  removals: readonly Removal[]
}

async function addTable(groups: ReturnType<typeof createGroups>, scan: TableScan): Promise<void> {
  const { connection, table, filter, aggregation, removals } = scan
  const bound = createBound()
  const conditions = conditionsOf(filter, { bound, table })
  if (table === 'log_facts')
    for (const removal of removals.filter(isReplaced))
      conditions.push(`not (${all(conditionsOf(removal.filter, { bound }))})`)
  else {
    const ids = removals.filter(isUnfinished).map(({ id }) => id)
    if (ids.length > 0) conditions.push(`removal_id not in ${bound.value('Array(UUID)', ids)}`)
  }
  const grouping = { bound, aggregation, where: all(conditions) }
  const query = table === 'log_facts' ? factsQuery(grouping) : aggregatesQuery(grouping)
  for (const row of await connection.rows<Row>(query, bound.parameters)) {
    const values = aggregation.by.map((_, index) => row[`value_${index}`] ?? null)
    // Without groups, a sum over no rows still returns a row.
    if (row.total_requests === 0) continue
    groups.add({
      bucket: row.bucket_at,
      values,
      totals: totalsOf(row),
      firstAt: row.first,
      lastAt: row.last,
    })
    const [bins = [], counts = []] = row.histogram ?? []
    if (bins.length > 0)
      groups.addBins(
        row.bucket_at,
        values,
        bins.map((bin, index) => [bin, counts[index] ?? 0]),
      )
    if (row.different_users !== undefined) groups.addUserCount(row.bucket_at, values, row.different_users)
  }
}

const totalsOf = (row: Row): LogTotals =>
  Object.fromEntries(totalNames.map((name) => [name, Number(row[`total_${name}`] ?? 0)])) as Record<
    keyof LogTotals,
    number
  >

/** The key of aggregates in addition to their hour. */
export const aggregateKey = ['organisation_id', 'workspace_id', ...aggregateFields]

interface Kept {
  where: string
  bound: Bound
  removalId: string
}

/** Adds facts to the hourly aggregates. */
export function keepAggregates(connection: Connection, { where, bound, removalId }: Kept): Promise<void> {
  const hour = bucketExpression(bound, { sizeMs: 3_600_000, offsetMs: 0 })
  const inner = [
    `${hour} as hour`,
    ...aggregateKey,
    'latency_bin',
    ...totalNames.map((name) => `${totals[name]} as ${totalName(name)}`),
    'min(created_at) as first',
    'max(created_at) as last',
  ]
  const columns = ['created_at', ...aggregateKey, ...totalNames, 'first_at', 'last_at', 'bins', 'counts']
  const id = bound.value('UUID', removalId)
  return connection.run(
    `insert into log_aggregates (${columns.join(', ')}, removal_id)
    select hour, ${aggregateKey.join(', ')}, ${totalNames.map((name) => `sum(by_bin.${totalName(name)})`).join(', ')},
      min(by_bin.first), max(by_bin.last), groupArray(latency_bin), groupArray(by_bin.total_requests), ${id}
    from (select ${inner.join(', ')} from log_facts where ${where} group by hour, ${aggregateKey.join(', ')}, latency_bin) as by_bin
    group by hour, ${aggregateKey.join(', ')}`,
    bound.parameters,
  )
}
