/** Messages between a store and the thread that scans signs. */
import type { SignRow } from './sign-index.ts'

export interface ScanCall {
  id: number
  collection: string
  /** The size of each vector's signs. */
  bytes: number
  /** Added before the search. */
  added: readonly SignRow[]
  removed: readonly string[]
  /** Null: no search. */
  sought: { signs: Uint8Array; most: number } | null
  nowMs: number
}

export interface ScanReply {
  id: number
  /** Ids of the nearest vectors, unordered. */
  found: readonly string[]
  /** Collections that the thread has removed from memory: they must be loaded again. */
  gone: readonly string[]
}
