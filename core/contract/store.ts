/**
 * The contract of a store package: where state lives that outlasts a request.
 * A package with `"gateway": {"kind": "store", "contract": 1}` default-exports a {@link StoreAdapter}.
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
export type * from './store/shared-state.ts'
export type * from './store/vectors.ts'
export type * from './store/work.ts'

/** Everything that the gateway keeps; one conformance suite for each port runs on every engine that has it. */
export interface Ports {
  documents: Documents
  counters: Counters
  log: Log
  blobs: Blobs
  vectors: Vectors
  /** For caches: Keyv's own adapter interface. */
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
  /** Where relative paths of the URL begin, and what the engine keeps beside it. */
  directory: string
  /** Where an engine may keep files of its own, such as what waits for a server; default `directory`. */
  dataDirectory?: string | undefined
  /** After which an answer that a request waits for is given up, where others must not wait longer; the engine's own by default. */
  deadlineMs?: number | undefined
  /** Hears of faults in the background, such as a connection that is lost. */
  report(message: string, error: unknown): void
  /** Is told how far long work has come, such as a migration of many entries; `done` equals `total` at the end. */
  progress?: ((title: string, done: number, total: number) => void) | undefined
}

/** Held until it is released or the process dies. */
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
   * Locks a store on which only one gateway may run; null where any number may. `gateway start` holds the lock while it runs.
   * Errors: `conflict` that names the process that holds it.
   */
  lock?(url: string, options: Pick<StoreOptions, 'directory'>): Promise<StoreLock | null>
}
