/**
 * Corrections of tables made by the first forms of two migrations that were changed after their publication. They run
 * before the next migration that depends on those tables, and change nothing in other stores.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Engine, Queries } from '../database.ts'

async function hasRows(query: RawBuilder<unknown>, queries: Queries): Promise<boolean> {
  return (await query.execute(queries)).rows.length > 0
}

/** Version 2 had the bodies of entries in a second table. */
export async function repairFirstLog(queries: Queries, engine: Engine): Promise<void> {
  const secondTable =
    engine === 'postgres'
      ? sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'log_data'`
      : sql`select 1 from sqlite_schema where type = 'table' and name = 'log_data'`
  if (!(await hasRows(secondTable, queries))) return
  const statements = [
    sql`alter table log_entries add column data text not null default '{}'`,
    sql`update log_entries set data = coalesce(
      (select log_data.data from log_data where log_data.id = log_entries.id), '{}')`,
    sql`drop table log_data`,
  ]
  for (const statement of statements) await statement.execute(queries)
}

/** Version 11 changed nothing on Postgres: an entry without a trace had null, which now means its own id. */
export async function repairFirstTraces(queries: Queries, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return
  const fullIndex = sql`select 1 from pg_indexes where schemaname = current_schema()
    and indexname = 'log_facts_trace' and indexdef not like '%WHERE%'`
  if (!(await hasRows(fullIndex, queries))) return
  const statements = [
    sql`drop index log_facts_trace`,
    sql`update log_facts set trace_id = '' where trace_id is null`,
    sql`create index log_facts_trace on log_facts (trace_id) where trace_id is not null`,
  ]
  for (const statement of statements) await statement.execute(queries)
}
