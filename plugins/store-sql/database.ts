/**
 * The database used by all SQL ports: one database of one engine. Errors: what an engine throws is turned into
 * `store_unavailable` by `guard.ts`, at the ports' edge.
 */
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export type Engine = 'sqlite' | 'postgres'

/** Queries outside of a transaction, or inside of one. */
export type Queries = Kysely<Schema>

export interface WriteOptions {
  /**
   * Postgres: writes of the same name wait for each other, in all processes (SQLite has one writer at a time anyway).
   * Without it, rows decide who waits.
   */
  lock?: LockName
  /** Postgres: writes that share a lock wait for those that have it as their `lock`, and not for each other. */
  sharedLock?: LockName
  /** Survives a loss of power, also where the database is opened without that (SQLite's file of the log). */
  isDurable?: boolean
}

export interface Database {
  engine: Engine
  /** For reading; never inside of `write`, where it would wait for itself. */
  read: Queries
  /**
   * Runs in a transaction: all of it is kept, or nothing when it throws. On SQLite the work of one turn shares one
   * commit, and must await nothing but its queries. On Postgres it runs again after a deadlock.
   */
  write<T>(work: (queries: Queries) => Promise<T>, options?: WriteOptions): Promise<T>
  close(): Promise<void>
}

/** Numbers of Postgres's advisory locks; the first half is reserved for the gateway. */
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
