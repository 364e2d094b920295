/** Removes entries, completely or leaving hourly aggregates. */
import type { LogFilter, LogGroup, LogTotals } from '@gateway/contract'
import { aggregateFields, columnKind, createGroups, isLogField, totalNames } from '@gateway/domain'
import { sql } from 'kysely'
import type { Database, EngineQueries, Queries } from '../database.ts'
import { insertRows, type RowInsert } from '../rows.ts'
import { integer } from '../values.ts'
import { addGroups } from './aggregate.ts'
import { all, type Condition, conditionsOf, timeCondition } from './conditions.ts'
import type { LogCounts } from './counts.ts'
import { recordErasure } from './erasures.ts'
import type { LogNames } from './names.ts'
import { dayMs, type Partitions } from './partitions.ts'
import { removeFacts } from './remove-facts.ts'

export interface Pruning {
  database: Database
  names: LogNames
  partitions: Partitions | null
  counts: LogCounts
}

const hourMs = 3_600_000
/** The key of aggregates. */
export const aggregateKey = ['organisation_id', 'workspace_id', ...aggregateFields]

const aggregateInsert: RowInsert = {
  table: 'log_aggregates',
  columns: ['created_at', ...aggregateKey, ...totalNames, 'first_at', 'last_at', 'histogram'],
  onConflict: 'do nothing',
}

/** Adds facts to the aggregates. */
async function keepAggregates(
  { database, names }: Pruning,
  queries: Queries,
  conditions: readonly Condition[],
): Promise<number> {
  const groups = createGroups()
  const aggregation = { by: aggregateKey, interval: { sizeMs: hourMs, offsetMs: 0 }, histogram: true }
  const { engine } = database
  await addGroups(groups, { engine, names, queries, table: 'log_facts', conditions, aggregation })
  const found = groups.finish()
  await insertAggregates({ engine, queries }, found, await names.find(queries, found.flatMap(namesOf)))
  return found.reduce((sum, { requests }) => sum + requests, 0)
}

const isNumbered = aggregateKey.map((name) => !isLogField(name) || columnKind(name) === 'name')

export const namesOf = ({ values }: Pick<LogGroup, 'values'>): string[] =>
  values.flatMap((value, index) => (isNumbered[index] === true && typeof value === 'string' ? [value] : []))

/** One group of the aggregates' key in one hour. */
export type AggregateGroup = Omit<LogGroup, 'users'>

export function insertAggregates(
  connection: EngineQueries,
  groups: readonly AggregateGroup[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = groups.flatMap((group) => aggregateValues(group, numbers))
  return insertRows(connection, aggregateInsert, rows)
}

function aggregateValues(
  group: AggregateGroup,
  numbers: ReadonlyMap<string, number>,
): (string | number | null)[] {
  const values = group.values.map((value, index) =>
    isNumbered[index] === true && typeof value === 'string' ? (numbers.get(value) ?? null) : Number(value),
  )
  return [
    group.bucket,
    ...group.values.map((value, index) => (value === null ? null : (values[index] ?? null))),
    ...totalNames.map((name: keyof LogTotals) => group[name]),
    group.first_at,
    group.last_at,
    JSON.stringify([...group.histogram]),
  ]
}

/** The oldest entries that match the conditions, and their number. */
async function portion(
  { database: { engine } }: Pruning,
  queries: Queries,
  { conditions, limit }: { conditions: readonly Condition[]; limit: number },
): Promise<{ count: number; conditions: readonly Condition[] }> {
  const { rows } = await sql<{ id: unknown; created_at: number }>`select id, created_at from log_facts
    where ${all(conditions)} order by created_at, id limit ${integer(limit)}`.execute(queries)
  const last = rows.at(-1)
  if (last === undefined) return { count: 0, conditions }
  const upTo =
    engine === 'sqlite'
      ? sql`log_facts.id <= ${last.id}`
      : sql`(log_facts.created_at, log_facts.id) <= (${integer(last.created_at)}, ${last.id}::uuid)`
  return { count: rows.length, conditions: [...conditions, upTo] }
}

export async function erase(pruning: Pruning, filter: LogFilter, limit: number): Promise<number> {
  const { database, names, counts } = pruning
  await recordErasure(database, filter, Date.now())
  return database.write(async (queries) => {
    const conditions = await conditionsOf(filter, { engine: database.engine, names, queries })
    const some = await portion(pruning, queries, { conditions, limit })
    if (some.count > 0) {
      counts.forget()
      await removeFacts(database.engine, queries, some.conditions)
    }
    return some.count
  })
}

interface PruneOptions {
  before: number
  limit: number
  organisationId: string | undefined
}

export async function prune(
  pruning: Pruning,
  { before, limit, organisationId }: PruneOptions,
): Promise<number> {
  const { database, names, partitions, counts } = pruning
  const { engine } = database
  if (organisationId === undefined) {
    const [day] = (await partitions?.listBefore(before)) ?? []
    if (day !== undefined) return dropDay(pruning, partitions, day)
  }
  return database.write(async (queries) => {
    const filter = organisationId === undefined ? {} : { organisation_id: organisationId }
    const conditions = await conditionsOf({ to: before, ...filter }, { engine, names, queries })
    const some = await portion(pruning, queries, { conditions, limit })
    if (some.count > 0) {
      counts.forget()
      await keepAggregates(pruning, queries, some.conditions)
      await removeFacts(database.engine, queries, some.conditions)
    }
    await removeFeedback(pruning, queries, { before, organisationId })
    return some.count
  })
}

/** Drops a day on Postgres in which nothing is visible any more. Also empty days, because there may be more of them. */
async function dropDay(pruning: Pruning, partitions: Partitions | null, day: number): Promise<number> {
  const { engine } = pruning.database
  return pruning.database.write(async (queries) => {
    const within = [
      timeCondition(engine, { table: 'log_facts', sign: '>=', at: day }),
      timeCondition(engine, { table: 'log_facts', sign: '<', at: day + dayMs }),
    ]
    const count = await keepAggregates(pruning, queries, within)
    await partitions?.drop(queries, day)
    return Math.max(1, count)
  })
}

interface RemoveFeedbackOptions {
  before: number
  organisationId: string | undefined
}

async function removeFeedback(
  { names }: Pruning,
  queries: Queries,
  { before, organisationId }: RemoveFeedbackOptions,
): Promise<void> {
  const number =
    organisationId === undefined
      ? null
      : ((await names.find(queries, [organisationId])).get(organisationId) ?? -1)
  const ofOne = number === null ? sql`` : sql`and organisation_id = ${integer(number)}`
  await sql`delete from log_feedback where created_at < ${integer(Math.floor(before))} ${ofOne}`.execute(
    queries,
  )
}

export async function pruneAggregates(
  { database, names }: Pruning,
  { before, organisationId }: PruneOptions,
): Promise<number> {
  return database.write(async (queries) => {
    const options = { engine: database.engine, names, queries, table: 'log_aggregates' as const }
    const filter = organisationId === undefined ? {} : { organisation_id: organisationId }
    const conditions = all(await conditionsOf({ to: before, ...filter }, options))
    const { rows } = await sql<{ count: number }>`select count(*) as count from log_aggregates
      where ${conditions}`.execute(queries)
    await sql`delete from log_aggregates where ${conditions}`.execute(queries)
    return rows[0]?.count ?? 0
  })
}
