/**
 * A Postgres database, by a pool of connections. A connection on which a query failed for another reason than the query
 * itself (it was lost, or it did not answer in time) is not used again.
 * https://node-postgres.com/apis/pool
 * Errors: `invalid_config` for a URL that cannot be read; what pg throws for everything later.
 */
import { GatewayError } from '@gateway/contract'
import { createSilenceWatch, createWaitForAnswer } from '@gateway/core/domain'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import { type Database, lockSpace, locks, type Queries, type WriteOptions } from './database.ts'
import type { Schema } from './schema.ts'

export interface PostgresOptions {
  /** Called for idle connections that were lost. */
  report(message: string, error: unknown): void
  /** Connections at most; default 10. */
  poolSize?: number
  /** Waits for every statement as long as it takes, as for migrations. */
  isPatient?: boolean
  /** For an answer, and without any connection of the pool coming free or being made. */
  answerTimeoutMs?: number
}

/** How long requests wait before the server counts as unavailable. */
const requestTimeoutMs = 3000
/** Of an attempt to connect, after which the pool may make another: an address may answer nothing at all. */
const connectTimeoutMs = 10_000
/** Of what reads or removes much at once, as in the log; the server itself ends a statement a while before. */
const slowAnswerTimeoutMs = 9000
const statementTimeoutMs = 8000
/** For transactions of a hung process, so that its locks are released. */
const idleTransactionTimeoutMs = 10_000
const idleConnectionTimeoutMs = 60_000
/** Deadlocks and serialisation faults. */
const mostTries = 5

export interface PostgresDatabase extends Database {
  /** The same connections, with longer waits for statements that may take a while. */
  slow: Database
}

/** Opens a pool; connects with the first query. */
export function openPostgres(
  url: string,
  { report, poolSize = 10, isPatient = false, answerTimeoutMs = requestTimeoutMs }: PostgresOptions,
): PostgresDatabase {
  if (!URL.canParse(url)) throw unreadable()
  const pool = createPool(url, poolSize, isPatient)
  pool.on('error', (error) => report('lost a connection to Postgres', error))
  const connecting = watchConnecting(pool, answerTimeoutMs)
  let closing: Promise<void> | null = null
  const close = () => {
    closing ??= pool.end()
    return closing
  }
  const within = (timeoutMs: number | null): Database => {
    const kysely = new Kysely<Schema>({
      dialect: new PostgresDialect({ pool: dropFailed(pool, connecting, timeoutMs) }),
    })
    return { engine: 'postgres', read: kysely, write: writer(kysely), close }
  }
  return {
    ...within(isPatient ? null : answerTimeoutMs),
    slow: within(isPatient ? null : slowAnswerTimeoutMs),
  }
}

function writer(kysely: Queries): Database['write'] {
  return async <T>(work: (queries: Queries) => Promise<T>, options: WriteOptions = {}): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await kysely
          .transaction()
          .setIsolationLevel('read committed')
          .execute(async (transaction) => {
            const { lock, sharedLock } = options
            if (lock !== undefined) {
              await sql`select pg_advisory_xact_lock(${lockSpace}, ${locks[lock]})`.execute(transaction)
            }
            if (sharedLock !== undefined) {
              await sql`select pg_advisory_xact_lock_shared(${lockSpace}, ${locks[sharedLock]})`.execute(
                transaction,
              )
            }
            return await work(transaction)
          })
      } catch (error) {
        if (tries >= mostTries || !isTransient(error)) throw error
      }
    }
  }
}

function createPool(url: string, max: number, isPatient: boolean): pg.Pool {
  try {
    return new pg.Pool({
      connectionString: url,
      max,
      application_name: 'gateway',
      // Compiling a statement over the partitions of a month takes longer than running it; and one query of analytics
      // that runs on several cores at once delays requests on the same machine more than it gains.
      options: '-c jit=off -c max_parallel_workers_per_gather=0',
      connectionTimeoutMillis: connectTimeoutMs,
      ...(isPatient ? {} : { statement_timeout: statementTimeoutMs }),
      idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
      idleTimeoutMillis: idleConnectionTimeoutMs,
      keepAlive: true,
      types: { getTypeParser },
    })
  } catch {
    // The fault itself may hold the URL, and with it a password.
    throw unreadable()
  }
}

function unreadable(): GatewayError {
  return new GatewayError(
    'invalid_config',
    'The Postgres URL cannot be read; it is postgres://user:password@host:port/database.',
  )
}

/** `int8` and `numeric` as numbers: ours are counts, sizes and milliseconds, all below 2 ** 53. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (format !== 'binary' && (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC))
    return Number
  return pg.types.getTypeParser(oid, format ?? 'text')
}

/**
 * Connections of the pool, as long as any of them comes free or is made within a time. Pg's own timer takes a machine that
 * is busy, or a queue that is long, for a server that is away.
 */
function watchConnecting(pool: pg.Pool, limitMs: number): () => Promise<pg.PoolClient> {
  const wait = createWaitForAnswer(() => new Error(`Postgres let nobody in within ${limitMs} ms.`), limitMs)
  // A connection that comes too late is for others.
  return () =>
    wait(
      () => pool.connect(),
      (client) => client.release(),
    )
}

/**
 * The pool for kysely, which gives every connection back as if it were sound. @param timeoutMs of each query; null: as
 * long as it takes
 */
function dropFailed(
  pool: pg.Pool,
  connecting: () => Promise<pg.PoolClient>,
  timeoutMs: number | null,
): PostgresPool {
  return {
    async connect() {
      const client = await connecting()
      let fault: Error | undefined
      // A connection that is lost while it is used says so here, too; the pool listens while nobody uses it.
      const onError = (error: Error) => {
        fault ??= error
      }
      client.on('error', onError)
      // By a watch and not by pg's own timer, which takes a process that was busy for a server that is away.
      const watch =
        timeoutMs === null
          ? undefined
          : createSilenceWatch(() => {
              fault ??= new Error(`Postgres did not answer within ${timeoutMs} ms.`)
              // Ends the query, too: the connection is busy with it and is closed at once.
              client.end().catch(onError)
            }, timeoutMs)
      const query = async (text: string, parameters: readonly unknown[]) => {
        // Kysely would roll back, and wait once more for a server that does not answer.
        if (fault !== undefined) throw fault
        const answered = watch?.asked()
        try {
          return await client.query({ text, values: [...parameters] })
        } catch (error) {
          if (!isOfServer(error) || error.severity === 'FATAL') fault ??= error as Error
          throw error
        } finally {
          answered?.()
        }
      }
      // Kysely calls it with a cursor only where it streams, which nobody here does.
      const release = () => {
        client.off('error', onError)
        client.release(fault)
      }
      return { query, release } as unknown as PostgresPoolClient
    },
    end: () => pool.end(),
  }
}

/** Whether the server itself answered with this error. */
function isOfServer(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError
}

function isTransient(error: unknown): boolean {
  return isOfServer(error) && (error.code === '40001' || error.code === '40P01')
}
