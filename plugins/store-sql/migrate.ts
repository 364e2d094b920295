/**
 * Migrates a store to this program's schema: forwards only, all or nothing, under a lock so that only one of several
 * starting processes does it. Errors: `invalid_config` if a newer program has written the store.
 */
import { GatewayError, type StoreOptions } from '@gateway/contract'
import { type RawBuilder, sql } from 'kysely'
import { type Database, type Engine, lockSpace, locks, type Queries } from './database.ts'

/** Which of SQLite's two files it applies to. Postgres has everything in one database. */
export type Part = 'main' | 'log'

export interface Migration {
  version: number
  name: string
  part: Part
  /** How many rows `up` rewrites one by one. Absent if that does not depend on the stored data. */
  countRows?(queries: Queries, engine: Engine): Promise<number>
  /** Calls `advance` after every page of rows. */
  up(queries: Queries, engine: Engine, advance: (rows: number) => void): Promise<void>
  /** Runs before `up`: corrects tables that an earlier form of a previous migration has made (`repairs.ts`). */
  prepare?(queries: Queries, engine: Engine): Promise<void>
}

export interface MigrateOptions {
  nowMs?: number
  progress?: StoreOptions['progress']
  confirmMigration?: StoreOptions['confirmMigration']
}

/** Applies missing migrations, all or none. Returns the versions that it applied. */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<number[]> {
  // Usually nothing is missing, and no lock is needed.
  if (await isMigrated(database, migrations)) return []
  return database.write(async (queries) => {
    const applied = await apply(queries, database.engine, { migrations, options })
    if (isUpgrade(applied, migrations)) {
      await waitIdly(database.engine, queries)
      await options.confirmMigration?.()
    }
    return applied
  })
}

/**
 * Migrates SQLite's two files together: an error in either leaves both unchanged, so that the previous version can
 * still open them. The log is committed first, because its migrations write the most.
 */
export async function migrateFiles(
  { main, log }: Record<Part, Database>,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<number[]> {
  const ofMain = migrations.filter(({ part }) => part === 'main')
  const ofLog = migrations.filter(({ part }) => part === 'log')
  if ((await isMigrated(main, ofMain)) && (await isMigrated(log, ofLog))) return []
  return main.write(async (queries) => {
    const applied = await apply(queries, main.engine, { migrations: ofMain, options })
    const work = async (logQueries: Queries) => {
      const all = [...applied, ...(await apply(logQueries, log.engine, { migrations: ofLog, options }))]
      if (isUpgrade(all, migrations)) await options.confirmMigration?.()
      return all
    }
    return log.write(work, { isDurable: true })
  })
}

/** Whether an earlier version has written to the store; false for a new one. */
const isUpgrade = (applied: readonly number[], migrations: readonly Migration[]) =>
  applied.length > 0 && applied.length < migrations.length

/** Lets a transaction of Postgres wait for other work as long as that takes. */
async function waitIdly(engine: Engine, queries: Queries): Promise<void> {
  if (engine === 'postgres') await sql`set local idle_in_transaction_session_timeout = 0`.execute(queries)
}

async function isMigrated(database: Database, migrations: readonly Migration[]): Promise<boolean> {
  return (await findTable(database)).length > 0 && (await findMissing(database.read, migrations)).length === 0
}

interface ApplyOptions {
  migrations: readonly Migration[]
  options: MigrateOptions
}

/** Applies missing migrations in the caller's transaction. */
async function apply(
  queries: Queries,
  engine: Engine,
  { migrations, options: { nowMs = Date.now(), progress } }: ApplyOptions,
): Promise<number[]> {
  await lock(engine, queries)
  await sql`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at bigint not null)`.execute(queries)
  const missing = await findMissing(queries, migrations)
  for (const { version, name, prepare, countRows, up } of missing) {
    await prepare?.(queries, engine)
    const total = (await countRows?.(queries, engine)) ?? 0
    let done = 0
    await up(queries, engine, (rows) => {
      done = Math.min(total, done + rows)
      if (total > 0) progress?.(`Migrating the store to version ${version}`, done, total)
    })
    await queries.insertInto('schema_migrations').values({ version, name, applied_at: nowMs }).execute()
  }
  return missing.map(({ version }) => version)
}

/** Whether the table exists: one row if it does. */
async function findTable({ engine, read }: Database): Promise<unknown[]> {
  const query =
    engine === 'postgres'
      ? sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'schema_migrations'`
      : sql`select 1 from sqlite_schema where type = 'table' and name = 'schema_migrations'`
  return (await query.execute(read)).rows
}

async function findMissing(queries: Queries, migrations: readonly Migration[]): Promise<Migration[]> {
  const rows = await queries.selectFrom('schema_migrations').select('version').execute()
  const present = rows.map(({ version }) => version)
  refuseNewer(present, migrations)
  return migrations.filter(({ version }) => !present.includes(version))
}

/** SQLite's transaction is already exclusive. */
async function lock(engine: Engine, queries: Queries): Promise<void> {
  if (engine !== 'postgres') return
  await sql`select pg_advisory_xact_lock(${lockSpace}, ${locks.migrations})`.execute(queries)
}

function refuseNewer(present: readonly number[], migrations: readonly Migration[]): void {
  const newest = Math.max(0, ...migrations.map(({ version }) => version))
  const unknown = Math.max(0, ...present)
  if (unknown <= newest) return
  throw new GatewayError(
    'invalid_config',
    `The database has schema version ${unknown}, but this program supports versions up to ${newest}. A newer version of the gateway has written it: start that version, or use another database.`,
  )
}

export async function countTable(queries: Queries, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
    queries,
  )
  return Number(rows[0]?.count ?? 0)
}

/** The types that differ between the engines, for table definitions. */
export function typesOf(
  engine: Engine,
): Record<'text' | 'bytes' | 'json' | 'serial' | 'real' | 'id', RawBuilder<unknown>> {
  return engine === 'postgres'
    ? {
        // Byte collation, as on SQLite, independent of the database's collation.
        text: sql.raw('text collate "C"'),
        bytes: sql.raw('bytea'),
        json: sql.raw('jsonb'),
        serial: sql.raw('bigint generated always as identity primary key'),
        real: sql.raw('double precision'),
        id: sql.raw('uuid'),
      }
    : {
        text: sql.raw('text'),
        bytes: sql.raw('blob'),
        json: sql.raw('text'),
        serial: sql.raw('integer primary key autoincrement'),
        real: sql.raw('real'),
        // Sixteen bytes.
        id: sql.raw('blob'),
      }
}
