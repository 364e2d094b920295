/** Sums facts and aggregates by columns and time buckets. */
import type { LogAggregation, LogFilter, LogTotals } from '@gateway/contract'
import { aggregateFields, createGroups, metadataGroup, noTotals, totalNames } from '@gateway/domain'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { all, type ConditionOptions, conditionsOf, type LogTable } from './conditions.ts'
import { type GroupValues, valueReader } from './group-values.ts'
import { keysOf } from './keys.ts'
import { canAddRows, createRowSums } from './row-sums.ts'
import type { Groups, Scan } from './scan-types.ts'
import { slices } from './slices.ts'
import { statusNumbers, totalOf } from './totals.ts'

interface GroupRow extends LogTotals, GroupValues {
  bucket: number | null
  first_at: number
  last_at: number
  /**
   * Bins of response times. SQLite: JSON with one bin per row. Postgres: bins, with the number of rows of each in
   * `counts`.
   */
  bins?: number[] | string
  counts?: number[]
  /** Distinct users: JSON on SQLite. */
  users?: string
}

/** Adds the rows of a table to the groups. */
export async function addGroups(groups: Groups, scan: Scan): Promise<void> {
  const query = await groupQuery(scan, true)
  await addRows(groups, scan, { rows: (await query.execute(scan.queries)).rows })
  if (scan.table === 'log_aggregates' && scan.aggregation.histogram === true)
    await addStoredBins(groups, scan)
  if (scan.table === 'log_facts' && scan.aggregation.users === true && scan.engine === 'postgres')
    await addUserCounts(groups, scan)
}

/** Above this many groups of a slice, its rows are added one by one. */
const manyGroups = 500

/** Adds facts of SQLite slice by slice. The queries differ only in their bounds, so each is compiled once. */
async function addSlices(groups: Groups, scan: Scan, filter: LogFilter): Promise<void> {
  const { queries, aggregation } = scan
  const compiled = new Map<boolean, CompiledQuery<GroupRow>>()
  const bounds = sql`log_facts.id >= ${null} and log_facts.id < ${null}`
  const compile = async (isByBucket: boolean): Promise<CompiledQuery<GroupRow>> => {
    const bounded = { ...scan, conditions: [...scan.conditions, bounds] }
    const made = (await groupQuery(bounded, isByBucket)).compile(queries)
    compiled.set(isByBucket, made)
    return made
  }
  const rowByRow = canAddRows(aggregation) ? createRowSums(groups, scan) : null
  // Almost every row has its own group then.
  let areGroupsMany = aggregation.by.some((name) => name.startsWith(metadataGroup))
  for await (const { from, to, bucket } of slices(filter, aggregation.interval, queries)) {
    if (areGroupsMany && rowByRow !== null) {
      await rowByRow({ from, to, bucket })
      continue
    }
    const isByBucket = bucket === undefined
    const query = compiled.get(isByBucket) ?? (await compile(isByBucket))
    const parameters = [...query.parameters.slice(0, -2), from, to]
    const { rows } = await queries.executeQuery<GroupRow>({ ...query, parameters })
    await addRows(groups, scan, { rows, bucket })
    areGroupsMany = rows.length > manyGroups
  }
}

async function groupQuery(scan: Scan, isByBucket: boolean): Promise<RawBuilder<GroupRow>> {
  const { engine, names, queries, table, aggregation } = scan
  const { histogram = false, users = false, totals: wanted = totalNames } = aggregation
  const statuses = await statusNumbers(names, queries)
  const { columns: keys, names: keyNames, places, groupBy } = keysOf(scan, isByBucket)
  const summed = [...new Set<keyof LogTotals>(['requests', ...wanted])]
  const totals = summed.map((name) => sql`${totalOf(table, name, statuses)} as ${sql.ref(name)}`)
  const isFacts = table === 'log_facts'
  const ends = isFacts
    ? sql`min(created_at) as first_at, max(created_at) as last_at`
    : sql`min(first_at) as first_at, max(last_at) as last_at`
  const columns = [...keys, ...totals, ends]
  const from = sql`from ${sql.table(table)} where ${all(scan.conditions)}`
  if (isFacts && engine === 'sqlite') {
    if (histogram) columns.push(sql`json_group_array(latency_bin) as bins`)
    if (users)
      columns.push(sql`json_group_array(distinct end_user) filter (where end_user is not null) as users`)
  }
  if (!isFacts || engine === 'sqlite' || !histogram)
    return sql<GroupRow>`select ${sql.join(columns)} ${from} ${groupBy(places)}`
  // Facts are read once, and summed by bin first.
  const sums = summed.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`)
  const bin = sql.ref('latency_bin')
  return sql<GroupRow>`select ${sql.join([...keyNames, ...sums])}, min(first_at) as first_at,
      max(last_at) as last_at, array_agg(bin) as bins, array_agg(requests::integer) as counts
    from (select ${sql.join(columns)}, ${bin} as bin ${from} ${groupBy([...places, bin])}) as by_bin
    ${groupBy(keyNames)}`
}

interface AddRowsOptions {
  rows: readonly GroupRow[]
  bucket?: number | null | undefined
}

/** @param bucket the bucket of all rows. Undefined: each row has its own */
async function addRows(
  groups: Groups,
  { names, queries, aggregation }: Scan,
  { rows, bucket }: AddRowsOptions,
): Promise<void> {
  const read = await valueReader(names, queries, { by: aggregation.by, rows })
  const { totals: wanted = totalNames } = aggregation
  for (const row of rows) {
    // Without `group by`, a sum over no rows still returns a row.
    if (row.requests === 0 || row.requests === null) continue
    const at = bucket === undefined ? (row.bucket ?? null) : bucket
    const values = read(row)
    const totals = { ...noTotals, requests: row.requests }
    for (const name of wanted) totals[name] = row[name]
    groups.add({ bucket: at, values, totals, firstAt: row.first_at, lastAt: row.last_at })
    const { bins, counts = [] } = row
    if (typeof bins === 'string') groups.addBins(at, values, eachOnce(bins))
    else if (bins !== undefined)
      groups.addBins(
        at,
        values,
        bins.map((bin, index) => [bin, counts[index] ?? 0]),
      )
    if (row.users !== undefined)
      for (const user of numbers(row.users)) groups.addUser(at, values, String(user))
  }
}

/** Written by `json_group_array` from a column of numbers. */
const numbers = (json: string) => JSON.parse(json) as number[]

function* eachOnce(json: string): Generator<[bin: number, count: number]> {
  for (const bin of numbers(json)) yield [bin, 1]
}

async function addStoredBins(groups: Groups, scan: Scan): Promise<void> {
  const { names, queries, aggregation, conditions } = scan
  const { columns } = keysOf(scan, true)
  const { rows } = await sql<GroupRow & { histogram: string }>`
    select ${sql.join([...columns, sql`histogram`])} from log_aggregates where ${all(conditions)}`.execute(
    queries,
  )
  const read = await valueReader(names, queries, { by: aggregation.by, rows })
  for (const row of rows)
    groups.addBins(row.bucket ?? null, read(row), JSON.parse(row.histogram) as [number, number][])
}

/** The server counts distinct users, because there may be one per row. */
async function addUserCounts(groups: Groups, scan: Scan): Promise<void> {
  const { names, queries, aggregation, conditions } = scan
  const { columns, names: keyNames, groupBy } = keysOf(scan, true)
  const { rows } = await sql<GroupRow & { different: number }>`
    select ${sql.join([...keyNames, sql`count(*) as different`])}
    from (select distinct ${sql.join([...columns, sql`end_user`])} from log_facts
      where ${all(conditions)} and end_user is not null) as users
    ${groupBy(keyNames)}`.execute(queries)
  const read = await valueReader(names, queries, { by: aggregation.by, rows })
  for (const row of rows)
    if (row.different > 0) groups.addUserCount(row.bucket ?? null, read(row), row.different)
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
  filter: LogFilter,
  aggregation: LogAggregation,
  options: ConditionOptions,
): Promise<ReturnType<Groups['finish']>> {
  const groups = createGroups()
  const tables: LogTable[] = isOfAggregates(filter, aggregation)
    ? ['log_facts', 'log_aggregates']
    : ['log_facts']
  for (const table of tables) {
    // A slice has both bounds. With additional, wider bounds the engine might use those and read the whole range for
    // each slice.
    const { from: _, to: __, ...withoutTimes } = filter
    const isSliced = options.engine === 'sqlite' && table === 'log_facts'
    const conditions = await conditionsOf(isSliced ? withoutTimes : filter, { ...options, table })
    const scan = { ...options, table, conditions, aggregation }
    await (isSliced ? addSlices(groups, scan, filter) : addGroups(groups, scan))
  }
  return groups.finish()
}
