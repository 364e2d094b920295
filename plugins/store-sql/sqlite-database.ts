/**
 * A SQLite file, by better-sqlite3: synchronous, so it is opened in a worker thread. Whatever wants to write in one turn
 * is written in one transaction, each piece of work behind a savepoint of its own: one fsync for all of them.
 * https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_synchronous
 */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database as Driver } from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import type { Database, Queries, WriteOptions } from './database.ts'
import { codeOf } from './guard.ts'
import type { Schema } from './schema.ts'
import { SqliteDriver } from './sqlite-driver.ts'
import { cacheStatements } from './sqlite-statements.ts'

export interface SqliteOptions {
  /** Default: what a loss of power must not take, as for documents; else only a damaged file is out of the question. */
  isDurable?: boolean
}

/** Another process that writes is waited for: while the file is opened and migrated, and then as long as a request may wait. */
const openingTimeoutMs = 30_000
const journalWaitMs = 20
const busyTimeoutMs = 2000
/** Work in one transaction. */
const batchSize = 500

interface Waiting {
  work: (queries: Queries) => Promise<unknown>
  options: WriteOptions
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Opens a file, or `:memory:`. Throws what SQLite throws. */
export function openSqlite(path: string, { isDurable = true }: SqliteOptions = {}): Database {
  if (path !== ':memory:') makeFile(path)
  const driver = new SqliteDriver(path, { timeout: openingTimeoutMs })
  // A log is written in long runs: large pages take a third less time. It counts for a new file only.
  if (!isDurable) driver.pragma('page_size = 16384')
  keepJournal(driver)
  driver.pragma(`synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`)
  driver.pragma('foreign_keys = ON')
  // In KiB. What is written to a log is hardly ever read again soon.
  driver.pragma(`cache_size = ${isDurable ? -65536 : -2048}`)
  driver.pragma('temp_store = MEMORY')
  driver.pragma('journal_size_limit = 67108864')
  // SQLite's own `lower` knows ASCII only.
  driver.function('fold', { deterministic: true }, (text: unknown) => String(text ?? '').toLowerCase())
  const statements = cacheStatements(driver)
  const kysely = new Kysely<Schema>({ dialect: new SqliteDialect({ database: statements }) })
  let waiting: Waiting[] = []
  let draining: Promise<void> | null = null

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize)
      waiting = waiting.slice(batchSize)
      const isSynced = !isDurable && batch.some(({ options }) => options.isDurable === true)
      if (isSynced) driver.pragma('synchronous = FULL')
      try {
        await kysely.connection().execute((connection) => writeBatch(connection, batch))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      } finally {
        if (isSynced) driver.pragma('synchronous = NORMAL')
      }
    }
  }

  function schedule(): void {
    draining ??= new Promise<void>((resolve) => setImmediate(resolve)).then(drain).finally(() => {
      draining = null
    })
  }

  return {
    engine: 'sqlite',
    read: kysely,
    write<T>(work: (queries: Queries) => Promise<T>, options: WriteOptions = {}): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ work, options, resolve: (value) => resolve(value as T), reject })
        schedule()
      })
    },
    async close() {
      await draining
      await kysely.destroy()
    },
  }
}

/**
 * Two processes that open a new file at once may each hold what the other one needs to change the journal: SQLite then
 * refuses one of them without waiting, so that it asks again.
 */
function keepJournal(driver: Driver): void {
  const endsAt = Date.now() + openingTimeoutMs
  for (;;) {
    try {
      driver.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (codeOf(error)?.startsWith('SQLITE_BUSY') !== true || Date.now() >= endsAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, journalWaitMs)
    }
  }
}

/** The file is open and up to date: from now on requests wait. */
export async function limitWaits({ read }: Pick<Database, 'read'>): Promise<void> {
  await sql`pragma busy_timeout = ${sql.lit(busyTimeoutMs)}`.execute(read)
}

/** Rejects when nothing of the batch is kept; else each piece of work has its own outcome. */
async function writeBatch(connection: Queries, batch: readonly Waiting[]): Promise<void> {
  const outcomes: (() => void)[] = []
  await sql`begin immediate`.execute(connection)
  try {
    for (const { work, resolve, reject } of batch) {
      await sql`savepoint work`.execute(connection)
      try {
        const value = await work(connection)
        outcomes.push(() => resolve(value))
      } catch (error) {
        // A full disk ends the whole transaction, and with it the savepoint: then that is what is wrong with all of it.
        await sql`rollback to work`.execute(connection).catch(() => Promise.reject(error))
        outcomes.push(() => reject(error))
      }
      await sql`release work`.execute(connection)
    }
    await sql`commit`.execute(connection)
  } catch (error) {
    // A full disk has ended the transaction already; then there is nothing to roll back.
    await sql`rollback`.execute(connection).catch(() => undefined)
    throw error
  }
  for (const settle of outcomes) settle()
}

/** Readable by its owner only; SQLite gives the files beside it the same mode. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}
