/**
 * A Postgres database, used through a connection pool. After an error that is not the query's own (a lost connection, a
 * timeout), the connection is not used again. https://node-postgres.com/apis/pool Errors: `invalid_config` for an
 * invalid URL; later errors are those of pg.
 */
import { GatewayError } from '@gateway/contract'
import { createSilenceWatch, createWaitForAnswer } from '@gateway/domain'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import { type Database, lockSpace, locks, type Queries, type WriteOptions } from './database.ts'
import type { Schema } from './schema.ts'

export interface PostgresOptions {
  /** Called for idle connections that were lost. */
  report(message: string, error: unknown): void
  /** The most connections. Default: 10. */
  poolSize?: number
  /** Waits for every statement without a time limit, as for migrations. */
  isPatient?: boolean
  /** The limit for an answer, and for waiting until the pool has a free or new connection. */
  answerTimeoutMs?: number
}

/** How long requests wait before the server counts as unavailable. */
const requestTimeoutMs = 3000
/** The limit for an attempt to connect, after which the pool may make another: an address may not answer at all. */
const connectTimeoutMs = 10_000
/**
 * For statements that read or remove much at once, as in the log. The server itself ends a statement a little earlier.
 */
const slowAnswerTimeoutMs = 9000
const statementTimeoutMs = 8000
/** For transactions of a hung process, so that its locks are released. */
const idleTransactionTimeoutMs = 10_000
const idleConnectionTimeoutMs = 60_000
/** The most attempts after deadlocks and serialization failures. */
const mostTries = 5

export interface PostgresDatabase extends Database {
  /** The same connections, with a longer limit for slow statements. */
  slow: Database
}

/** Opens a pool, which connects with the first query. */
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
      // JIT-compiling a statement over the partitions of a month takes longer than running it, and an analytics query
      // on several cores delays requests on the same machine more than it gains.
      options: '-c jit=off -c max_parallel_workers_per_gather=0',
      connectionTimeoutMillis: connectTimeoutMs,
      ...(isPatient ? {} : { statement_timeout: statementTimeoutMs }),
      idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
      idleTimeoutMillis: idleConnectionTimeoutMs,
      keepAlive: true,
      types: { getTypeParser },
    })
  } catch {
    // The error itself may contain the URL and its password.
    throw unreadable()
  }
}

function unreadable(): GatewayError {
  return new GatewayError(
    'invalid_config',
    'The Postgres URL is invalid. Use postgres://user:password@host:port/database.',
  )
}

/** Reads `int8` and `numeric` as numbers: ours are counts, sizes and milliseconds, all below 2 ** 53. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (format !== 'binary' && (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC))
    return Number
  return pg.types.getTypeParser(oid, format ?? 'text')
}

/**
 * Gets connections of the pool, as long as one becomes free or is created within a time limit. Pg's own timer would
 * mistake a busy machine or a long queue for an unavailable server.
 */
function watchConnecting(pool: pg.Pool, limitMs: number): () => Promise<pg.PoolClient> {
  const wait = createWaitForAnswer(
    () => new Error(`No connection to Postgres became available within ${limitMs} ms.`),
    limitMs,
  )
  // A connection that arrives too late is returned to the pool.
  return () =>
    wait(
      () => pool.connect(),
      (client) => client.release(),
    )
}

/**
 * The pool for kysely, which always returns connections as intact.
 * @param timeoutMs the limit for each query. Null: no
 * limit
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
      // A connection that is lost while in use emits an error here; the pool listens only while it is idle.
      const onError = (error: Error) => {
        fault ??= error
      }
      client.on('error', onError)
      // Its own watch rather than pg's timer, which would mistake a busy process for an unavailable server.
      const watch =
        timeoutMs === null
          ? undefined
          : createSilenceWatch(() => {
              fault ??= new Error(`Postgres did not answer within ${timeoutMs} ms.`)
              // Also ends the query: the connection is busy with it and is closed immediately.
              client.end().catch(onError)
            }, timeoutMs)
      const query = async (text: string, parameters: readonly unknown[]) => {
        // Kysely would otherwise roll back, and wait again for a server that does not answer.
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
      // Kysely passes a cursor only when streaming, which is not used here.
      const release = () => {
        client.off('error', onError)
        client.release(fault)
      }
      return { query, release } as unknown as PostgresPoolClient
    },
    end: () => pool.end(),
  }
}

/** Whether the server itself returned this error. */
function isOfServer(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError
}

function isTransient(error: unknown): boolean {
  return isOfServer(error) && (error.code === '40001' || error.code === '40P01')
}
