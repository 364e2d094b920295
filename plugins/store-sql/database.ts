/**
 * The database used by all SQL ports: one database of one engine. Errors: `guard.ts` turns an engine's errors into
 * `store_unavailable` at the boundary of the ports.
 */
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'

/** Queries outside or inside a transaction. */
export type Queries = Kysely<Schema>

/** Queries, and the engine that runs them. */
export interface EngineQueries {
  engine: Engine
  queries: Queries
}

export interface WriteOptions {
  /**
   * Postgres: writes with the same lock name wait for each other, in all processes (SQLite has one writer at a time
   * anyway). Without it, only row locks apply.
   */
  lock?: LockName
  /** Postgres: writes that share a lock wait for those with it as their `lock`, but not for each other. */
  sharedLock?: LockName
  /** Survives a power failure even if the database was opened without that guarantee (the log's file on SQLite). */
  isDurable?: boolean
}

export interface Database {
  engine: Engine
  /** For reads. Never use it inside `write`, where it would wait for its own transaction. */
  read: Queries
  /**
   * Runs work in a transaction, which is rolled back if it throws. On SQLite the work of one turn shares one commit and
   * must await only its queries. On Postgres it runs again after a deadlock.
   */
  write<T>(work: (queries: Queries) => Promise<T>, options?: WriteOptions): Promise<T>
  close(): Promise<void>
}

/** The first half of the keys of Postgres's advisory locks, reserved for the gateway. */
export const lockSpace = 0x67617465
export const locks = {
  migrations: 1,
  documents: 2,
  messages: 3,
  vectors: 4,
  counters: 5,
  blobs: 6,
  log: 7,
  erasures: 8,
} as const
type LockName = keyof typeof locks
