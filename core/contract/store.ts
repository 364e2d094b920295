/**
 * The contract of a store package: storage for state that outlives a request. A package with `"gateway": {"kind":
 * "store", "contract": 1}` default-exports a {@link StoreAdapter}.
 */
import type { Blobs } from './store/blobs.ts'
import type { Counters } from './store/counters.ts'
import type { Documents } from './store/documents.ts'
import type { KeyValueStore } from './store/key-value.ts'
import type { Log } from './store/log.ts'
import type { SharedState } from './store/shared-state.ts'
import type { Vectors } from './store/vectors.ts'
import type { Work } from './store/work.ts'

export type * from './store/blobs.ts'
export type * from './store/counters.ts'
export type * from './store/documents.ts'
export type * from './store/key-value.ts'
export type * from './store/log.ts'
export type * from './store/log-columns.ts'
export type * from './store/shared-state.ts'
export type * from './store/vectors.ts'
export type * from './store/work.ts'

/** All stored state of the gateway; every engine runs one conformance suite per port that it has. */
export interface Ports {
  documents: Documents
  counters: Counters
  log: Log
  blobs: Blobs
  vectors: Vectors
  /** Storage for caches. */
  kv: KeyValueStore
  shared: SharedState
  work: Work
}

/** An open store: the ports that its engine has. */
export interface Store extends Partial<Ports> {
  /** Rejects when the store does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface StoreOptions {
  /** The base of relative paths in the URL, and the directory for other files of the engine. */
  directory: string
  /** Folder for the engine's files, such as writes queued for a server; default `directory`. */
  dataDirectory?: string | undefined
  /** The timeout of operations on the request path; the engine's own by default. */
  deadlineMs?: number | undefined
  /** Called for background errors, such as a lost connection. */
  report(message: string, error: unknown): void
  /** Receives the progress of long work, such as a migration of many entries; `done` equals `total` at the end. */
  progress?: ((title: string, done: number, total: number) => void) | undefined
  /**
   * Called when a store of an earlier version has been migrated, before the migration is committed. If it rejects, the
   * migration is rolled back and `open` rejects with the same error.
   */
  confirmMigration?: (() => Promise<void>) | undefined
}

/** A lock that is held until it is released or the process dies. */
export interface StoreLock {
  release(): void
}

export interface StoreAdapter {
  name: string
  title: string
  /** URL schemes that it opens, such as `redis:`. */
  schemes: readonly string[]
  open(url: string, options: StoreOptions): Promise<Store>
  /**
   * Starts in advance what takes time in `open`, such as a thread. Nothing is opened or written yet: the settings are
   * not validated, and `open` may not follow.
   */
  prepare?(url: string): void
  /**
   * Locks a store that only one gateway may use; null when any number may. `gateway start` holds the lock while it
   * runs. Errors: `conflict`, naming the process that holds it.
   */
  lock?(url: string, options: Pick<StoreOptions, 'directory'>): Promise<StoreLock | null>
}
