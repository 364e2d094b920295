/**
 * A SQLite file, whose driver is synchronous and therefore runs in a worker thread. All writes of
 * one turn share one transaction, each behind its own savepoint: one fsync for all of them.
 * https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_synchronous
 */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, type SqliteDatabase, SqliteDialect, sql } from 'kysely'
import type { Database, Queries, WriteOptions } from './database.ts'
import { codeOf } from './guard.ts'
import type { Schema } from './schema.ts'
import { SqliteDriver, type SqliteStatement, type SqlValue } from './sqlite-driver.ts'

export interface SqliteOptions {
  /**
   * Whether commits survive a power failure, as for documents. Default: true. Otherwise a power failure may lose
   * commits, but does not damage the file.
   */
  isDurable?: boolean
}

/**
 * The maximum wait for another process that writes, while the file is opened and migrated. Later the wait is as long as
 * a request may wait.
 */
const openingTimeoutMs = 30_000
const journalWaitMs = 20
const busyTimeoutMs = 2000
/** The most pieces of work in one transaction. */
const batchSize = 500

interface Waiting {
  work: (queries: Queries) => Promise<unknown>
  options: WriteOptions
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Opens a file, or `:memory:`. Throws SQLite's errors. */
export function openSqlite(path: string, { isDurable = true }: SqliteOptions = {}): Database {
  if (path !== ':memory:') makeFile(path)
  const driver = new SqliteDriver(path, { timeoutMs: openingTimeoutMs })
  // A log is written in long runs: large pages take a third less time. Only applies to a new file.
  if (!isDurable) driver.exec('pragma page_size = 16384')
  keepJournal(driver)
  driver.exec(`pragma synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`)
  driver.exec('pragma foreign_keys = ON')
  // In KiB. Data written to a log is rarely read again soon.
  driver.exec(`pragma cache_size = ${isDurable ? -16384 : -2048}`)
  driver.exec('pragma temp_store = MEMORY')
  driver.exec('pragma journal_size_limit = 67108864')
  // For search texts in lower case. SQLite's own `lower` supports only ASCII.
  driver.function('contains_text', (text, lower) =>
    Number(textOf(text).toLowerCase().includes(textOf(lower))),
  )
  const statements = cacheStatements(driver)
  const kysely = new Kysely<Schema>({ dialect: new SqliteDialect({ database: statements }) })
  let waiting: Waiting[] = []
  let draining: Promise<void> | null = null

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize)
      waiting = waiting.slice(batchSize)
      const isSynced = !isDurable && batch.some(({ options }) => options.isDurable === true)
      if (isSynced) driver.exec('pragma synchronous = FULL')
      try {
        await kysely.connection().execute((connection) => writeBatch(connection, batch))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      } finally {
        if (isSynced) driver.exec('pragma synchronous = NORMAL')
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

const textOf = (value: SqlValue): string => (typeof value === 'string' ? value : '')

/**
 * Two processes that open a new file at the same time may each hold a lock that the other needs to change the journal
 * mode. SQLite then refuses one immediately, which must try again.
 */
function keepJournal(driver: SqliteDriver): void {
  const endsAt = Date.now() + openingTimeoutMs
  for (;;) {
    try {
      driver.exec('pragma journal_mode = WAL')
      return
    } catch (error) {
      if (codeOf(error)?.startsWith('SQLITE_BUSY') !== true || Date.now() >= endsAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, journalWaitMs)
    }
  }
}

/** Shortens the wait for locks once the file is open and migrated, because requests now wait for it. */
export async function limitWaits({ read }: Pick<Database, 'read'>): Promise<void> {
  await sql`pragma busy_timeout = ${sql.lit(busyTimeoutMs)}`.execute(read)
}

/** Rejects if nothing of the batch was committed; otherwise each piece of work has its own outcome. */
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
        // A full disk ends the whole transaction with its savepoints; that is then the error of all work in it.
        await sql`rollback to work`.execute(connection).catch(() => Promise.reject(error))
        outcomes.push(() => reject(error))
      }
      await sql`release work`.execute(connection)
    }
    await sql`commit`.execute(connection)
  } catch (error) {
    // A full disk has already ended the transaction, so there is nothing to roll back.
    await sql`rollback`.execute(connection).catch(() => undefined)
    throw error
  }
  for (const settle of outcomes) settle()
}

/** Readable only by its owner. SQLite gives the files next to it the same mode. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}

/** Beyond it the least recently used statement is removed. */
const maxStatements = 500

/**
 * A driver for kysely that prepares each text once: kysely prepares in each call, which costs more than running most of
 * its queries.
 */
function cacheStatements(driver: SqliteDriver): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()

  function prepare(text: string): SqliteStatement {
    const known = statements.get(text)
    const statement = known ?? driver.prepare(text)
    if (known !== undefined) statements.delete(text)
    statements.set(text, statement)
    for (const oldest of statements.keys()) {
      if (statements.size <= maxStatements) break
      statements.delete(oldest)
    }
    return statement
  }

  return {
    close: () => void driver.close(),
    prepare,
  }
}
