/**
 * Removes entries, completely or leaving hourly aggregates. A past day is dropped as a whole; other entries are deleted
 * with a mask, and the next merge frees their space. The TTL of the tables is two days longer than the retention, for
 * times when no gateway runs. https://clickhouse.com/docs/guides/developer/ttl,
 * https://clickhouse.com/docs/sql-reference/statements/delete
 */
import type { LogFilter } from '@gateway/contract'
import { createBound } from './bound.ts'
import { all, conditionsOf } from './conditions.ts'
import type { Connection } from './connection.ts'
import { recordErasure } from './erasures.ts'
import { endRemovals, remove, replace } from './removals.ts'
import { endOf } from './tables.ts'

const dayMs = 86_400_000
const graceDays = 2
const tables = ['log_facts', 'log_contents'] as const

export interface Pruning {
  connection: Connection
  /** The current TTL of the tables, in days. */
  ttl: { days: number | null }
  now(): number
}

export async function prune(
  pruning: Pruning,
  before: number,
  organisationId: string | undefined,
): Promise<number> {
  await endRemovals(pruning.connection, { isPruner: true })
  if (organisationId === undefined) {
    await follow(pruning, before)
    const day = await firstDay(pruning, before)
    if (day !== null) return dropDay(pruning, day)
  }
  const filter =
    organisationId === undefined ? { to: before } : { to: before, organisation_id: organisationId }
  const count = await countOf(pruning, filter)
  if (count > 0) await replace(pruning.connection, { filter })
  await removeFeedback(pruning, filter)
  return count
}

/** Sets the TTL of the tables to the retention. */
async function follow({ connection, ttl, now }: Pruning, before: number): Promise<void> {
  // Rounded, because the pruning time was taken a moment earlier and the tables must not be altered each time.
  const days = Math.max(1, Math.round((now() - before) / dayMs)) + graceDays
  if (ttl.days === days) return
  for (const table of tables)
    await connection.run(`alter table ${table} modify ttl ${endOf('created_at', days)}
      settings materialize_ttl_after_modify = 0`)
  ttl.days = days
}

/** The first day with entries, if it ends before a time. */
async function firstDay({ connection }: Pruning, before: number): Promise<number | null> {
  const bound = createBound()
  const end = Math.floor(before / dayMs) * dayMs
  const [row] = await connection.rows<{ first: number; found: number }>(
    `select min(created_at) as first, count() as found from log_facts
    where created_at < ${bound.value('Int64', end)}`,
    bound.parameters,
  )
  return row === undefined || row.found === 0 ? null : Math.floor(row.first / dayMs) * dayMs
}

async function dropDay(pruning: Pruning, day: number): Promise<number> {
  const filter = { from: day, to: day + dayMs }
  const count = await countOf(pruning, filter)
  const partition = new Date(day).toISOString().slice(0, 10).replaceAll('-', '')
  await replace(pruning.connection, { filter, partition })
  return Math.max(1, count)
}

async function countOf({ connection }: Pruning, filter: LogFilter): Promise<number> {
  const bound = createBound()
  const [row] = await connection.rows<{ found: number }>(
    `select count() as found from log_facts where ${all(conditionsOf(filter, { bound }))}`,
    bound.parameters,
  )
  return row?.found ?? 0
}

async function removeFeedback({ connection }: Pruning, { to, organisation_id }: LogFilter): Promise<void> {
  const bound = createBound()
  const where = all(
    conditionsOf(
      { ...(organisation_id === undefined ? {} : { organisation_id }), ...(to === undefined ? {} : { to }) },
      { bound },
    ),
  )
  const [row] = await connection.rows<{ found: number }>(
    `select count() as found from log_feedback where ${where}`,
    bound.parameters,
  )
  if ((row?.found ?? 0) > 0) await connection.run(`delete from log_feedback where ${where}`, bound.parameters)
}

/**
 * Erases at most `limit` entries with their bodies. Their bytes are freed with the last of them rather than with a
 * later merge.
 */
export async function erase({ connection, now }: Pruning, filter: LogFilter, limit: number): Promise<number> {
  await recordErasure(connection, filter, now())
  await endRemovals(connection, { isPruner: false })
  const bound = createBound()
  const some = await connection.rows<{ id: string }>(
    `select id from log_facts where ${all(conditionsOf(filter, { bound }))}
    order by created_at, id limit ${bound.value('UInt64', limit)}`,
    bound.parameters,
  )
  if (some.length === 0) return 0
  await remove(connection, { filter: { ids: some.map(({ id }) => id) } })
  if (some.length < limit)
    for (const table of tables)
      await connection.run(`alter table ${table} apply deleted mask settings mutations_sync = 0`)
  return some.length
}

export async function pruneAggregates(
  { connection }: Pruning,
  before: number,
  organisationId: string | undefined,
): Promise<number> {
  const bound = createBound()
  const filter =
    organisationId === undefined ? { to: before } : { to: before, organisation_id: organisationId }
  const where = all(conditionsOf(filter, { bound, table: 'log_aggregates' }))
  const [row] = await connection.rows<{ found: number }>(
    `select count() as found from log_aggregates where ${where}`,
    bound.parameters,
  )
  if ((row?.found ?? 0) > 0)
    await connection.run(`delete from log_aggregates where ${where}`, bound.parameters)
  return row?.found ?? 0
}
