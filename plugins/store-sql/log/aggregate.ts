/** Adds up facts and aggregates by columns and buckets of time. */
import type { LogAggregation, LogFilter, LogTotals, LogValue } from '@gateway/contract'
import {
  aggregateFields,
  createGroups,
  isLogField,
  logColumns,
  metadataGroup,
  noTotals,
  totalNames,
} from '@gateway/core/domain'
import { type RawBuilder, sql } from 'kysely'
import type { Engine, Queries } from '../database.ts'
import {
  all,
  type Condition,
  type ConditionOptions,
  conditionsOf,
  integer,
  type LogTable,
  metadataValue,
  timeCondition,
} from './conditions.ts'
import type { LogNames } from './names.ts'
import { addScanned } from './scan.ts'
import type { Groups, Scan } from './scan-types.ts'

interface GroupRow extends LogTotals {
  bucket: number | null
  first_at: number
  last_at: number
  /** Bins of response times, and how many are in each. */
  bins?: number[]
  counts?: number[]
  [value: `value_${number}`]: string | number | null
}

/** Adds what a table has to the groups. */
export async function addGroups(groups: Groups, scan: Scan): Promise<void> {
  const { engine, queries, table, aggregation, names } = scan
  const { by, interval, histogram = false, users = false, totals: wanted = totalNames } = aggregation
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const bucket =
    interval === undefined
      ? sql`null`
      : sql`((${column('created_at')} - ${integer(interval.offsetMs)}) / ${integer(interval.sizeMs)})
          * ${integer(interval.sizeMs)} + ${integer(interval.offsetMs)}`
  const values = by.map(
    (name, index) => sql`${expressionOf(engine, table, name)} as ${sql.ref(`value_${index}`)}`,
  )
  const keys = [sql`${bucket} as bucket`, ...values]
  const places = sql.join(keys.map((_, index) => sql.raw(String(index + 1))))
  const isRows = engine === 'sqlite' && (by.length > 0 || histogram || users)
  if (isRows && table === 'log_facts') {
    const is = await statusTextsByNumber(names, queries)
    return addScanned(groups, {
      ...scan,
      bucket,
      values: by.map((name) => expressionOf(engine, table, name)),
      statuses: is,
      reader: (rows) => valueReader(names, queries, by, rows),
    })
  }
  const where = all(scan.conditions)
  const from = sql.table(table)
  const statuses = await statusNumbers(names, queries)
  const summed = [...new Set<keyof LogTotals>(['requests', ...wanted])]
  const totals = summed.map((name) => sql`${totalOf(table, name, statuses)} as ${sql.ref(name)}`)
  const ends =
    table === 'log_facts'
      ? sql`min(created_at) as first_at, max(created_at) as last_at`
      : sql`min(first_at) as first_at, max(last_at) as last_at`
  const columns = sql.join([...keys, ...totals, ends])
  const query =
    histogram && table === 'log_facts'
      ? byBin({ columns, keys: keyNames(by), summed, from: sql`${from} where ${where}`, places })
      : sql<GroupRow>`select ${columns} from ${from} where ${where} group by ${places}`
  const { rows } = await query.execute(queries)
  const read = await reader(names, queries, by, rows)
  for (const row of rows) {
    // Without groups a sum over nothing is a row too.
    if (row.requests === 0) continue
    const values = read(row)
    const sums = Object.fromEntries(summed.map((name) => [name, row[name]]))
    groups.add({
      bucket: row.bucket,
      values,
      totals: { ...noTotals, ...sums },
      firstAt: row.first_at,
      lastAt: row.last_at,
    })
    const { bins, counts = [] } = row
    if (bins !== undefined)
      groups.addBins(
        row.bucket,
        values,
        bins.map((bin, index) => [bin, counts[index] ?? 0]),
      )
  }
  if (histogram && table === 'log_aggregates') {
    const stored = await sql<GroupRow & { histogram: string }>`
      select ${sql.join(keys)}, histogram from ${from} where ${where}`.execute(queries)
    for (const row of stored.rows) {
      const bins = JSON.parse(row.histogram) as [bin: number, count: number][]
      groups.addBins(row.bucket, read(row), bins)
    }
  }
  if (users && table === 'log_facts') {
    const different = await sql<GroupRow & { user: number }>`
      select distinct ${sql.join(keys)}, end_user as ${sql.ref('user')}
      from ${from} where ${where} and end_user is not null`.execute(queries)
    for (const row of different.rows) groups.addUser(row.bucket, read(row), String(row.user))
  }
}

const keyNames = (by: readonly string[]) =>
  sql.join(['bucket', ...by.map((_, index) => `value_${index}`)].map((name) => sql.ref(name)))

interface ByBin {
  columns: RawBuilder<unknown>
  keys: RawBuilder<unknown>
  summed: readonly (keyof LogTotals)[]
  from: RawBuilder<unknown>
  places: RawBuilder<unknown>
}

/** Groups with the distribution of their response times: facts are read once, and added up by bin first. */
function byBin({ columns, keys, summed, from, places }: ByBin): RawBuilder<GroupRow> {
  const sums = summed.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`)
  return sql<GroupRow>`select ${keys}, ${sql.join(sums)}, min(first_at) as first_at, max(last_at) as last_at,
      array_agg(bin) as bins, array_agg(requests::integer) as counts
    from (select ${columns}, latency_bin as bin from ${from} group by ${places}, latency_bin) as by_bin
    group by ${keys}`
}

/** Whether aggregates of what was pruned can answer. */
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
    ...rest
  } = filter
  const known: ReadonlySet<string> = new Set(['workspace_id', 'organisation_id', ...aggregateFields])
  const used = [fields, ...either, ...anyOf].flatMap((match) => Object.keys(match))
  const isPlain = Object.values(rest).every((value) => value === undefined)
  return isPlain && !users && [...used, ...by].every((name) => known.has(name))
}

function expressionOf(engine: Engine, table: LogTable, name: string): RawBuilder<unknown> {
  if (name.startsWith(metadataGroup)) return metadataValue(engine, name.slice(metadataGroup.length))
  if (isLogField(name) || name === 'workspace_id' || name === 'organisation_id')
    return sql.ref(`${table}.${name}`)
  throw new RangeError(`The log has no column ${name}.`)
}

const statusTexts = ['HIT', 'SEMANTIC HIT', 'MISS', 'SEMANTIC MISS', 'DISABLED'] as const
type Statuses = Readonly<Record<(typeof statusTexts)[number], RawBuilder<number>>>

async function statusNumbers(names: LogNames, queries: Queries): Promise<Statuses> {
  const numbers = await names.find(queries, statusTexts)
  return Object.fromEntries(statusTexts.map((text) => [text, integer(numbers.get(text) ?? -1)])) as Statuses
}

const when = (condition: RawBuilder<unknown>, then: RawBuilder<unknown> = sql`1`) =>
  sql`sum(case when ${condition} then ${then} else 0 end)`

const isSuccess = sql`response_status_code between 200 and 299`

/** What `totalsOf` of the domain says of one entry, over all rows. */
function totalOf(table: LogTable, name: keyof LogTotals, is: Statuses): RawBuilder<unknown> {
  const sum = sql`coalesce(sum(${sql.ref(name)}), 0)`
  if (table === 'log_aggregates') return sum
  switch (name) {
    case 'requests':
      return sql`count(*)`
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
      return sum
  }
}

const time = sql`coalesce(response_time, 0)`
const isMiss = (is: Statuses) => sql`cache_status in (${is.MISS}, ${is['SEMANTIC MISS']})`

type Cell = string | number | null

/** Reads the values of groups: names for numbers. */
async function valueReader(
  names: LogNames,
  queries: Queries,
  by: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<(row: readonly Cell[]) => LogValue[]> {
  const kinds = by.map((name) => {
    if (name === 'workspace_id' || name === 'organisation_id') return 'name'
    return isLogField(name) ? logColumns[name] : 'text'
  })
  const numbers = new Set<number>()
  for (const row of rows)
    for (const [index, kind] of kinds.entries()) {
      const value = row[index]
      if (kind === 'name' && typeof value === 'number') numbers.add(value)
    }
  const texts = await names.read(queries, numbers)
  return (row) =>
    kinds.map((kind, index) => {
      const value = row[index] ?? null
      if (value === null) return null
      if (kind === 'name') return texts.get(Number(value)) ?? null
      return kind === 'boolean' ? value === 1 : value
    })
}

async function reader(
  names: LogNames,
  queries: Queries,
  by: readonly string[],
  rows: readonly GroupRow[],
): Promise<(row: GroupRow) => LogValue[]> {
  const cellsOf = (row: GroupRow) => by.map((_, index) => row[`value_${index}`] ?? null)
  const read = await valueReader(names, queries, by, rows.map(cellsOf))
  return (row) => read(cellsOf(row))
}

async function statusTextsByNumber(names: LogNames, queries: Queries) {
  const numbers = await names.find(queries, statusTexts)
  const numberOf = (text: (typeof statusTexts)[number]) => numbers.get(text) ?? -1
  return {
    hit: numberOf('HIT'),
    semanticHit: numberOf('SEMANTIC HIT'),
    miss: numberOf('MISS'),
    semanticMiss: numberOf('SEMANTIC MISS'),
    disabled: numberOf('DISABLED'),
  }
}

const sliceRows = 5000

/**
 * Ranges of the facts that are read one by one. SQLite works in one thread, for other calls too: they have their turn
 * between two slices.
 */
async function* slices(
  { from = 0, to }: LogFilter,
  { engine, queries }: ConditionOptions,
): AsyncGenerator<readonly Condition[]> {
  const end = to === undefined ? [] : [timeCondition(engine, 'log_facts', '<', to)]
  let begin: Condition = timeCondition(engine, 'log_facts', '>=', from)
  for (;;) {
    const { rows } = await sql<{ id: Buffer }>`select id from log_facts where ${all([begin, ...end])}
      order by id limit 1 offset ${integer(sliceRows)}`.execute(queries)
    const [next] = rows
    yield next === undefined ? [begin, ...end] : [begin, sql`log_facts.id < ${next.id}`]
    if (next === undefined) return
    begin = sql`log_facts.id >= ${next.id}`
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Facts, and aggregates where those can answer. */
export async function aggregate(
  filter: LogFilter,
  aggregation: LogAggregation,
  options: ConditionOptions,
): Promise<ReturnType<Groups['finish']>> {
  const groups = createGroups()
  const tables: LogTable[] = isOfAggregates(filter, aggregation)
    ? ['log_facts', 'log_aggregates']
    : ['log_facts']
  for (const table of tables) {
    // A slice has both bounds: of several the engine may choose the wider ones, and read all of the range for each slice.
    const { from: _, to: __, ...withoutTimes } = filter
    const isSliced = options.engine === 'sqlite' && table === 'log_facts'
    const conditions = await conditionsOf(isSliced ? withoutTimes : filter, { ...options, table })
    const parts = isSliced ? slices(filter, options) : [[]]
    for await (const slice of parts)
      await addGroups(groups, { ...options, table, conditions: [...conditions, ...slice], aggregation })
  }
  return groups.finish()
}
