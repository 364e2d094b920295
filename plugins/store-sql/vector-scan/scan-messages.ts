/** What passes between a store and the thread that scans signs. */
import type { SignRow } from './sign-index.ts'

export interface ScanCall {
  id: number
  collection: string
  /** Of the signs of each vector. */
  bytes: number
  /** Done first. */
  added: readonly SignRow[]
  removed: readonly string[]
  /** Null: nothing is sought. */
  sought: { signs: Uint8Array; most: number } | null
  nowMs: number
}

export interface ScanReply {
  id: number
  /** Ids, the nearest ones, in no order. */
  found: readonly string[]
  /** Collections that the thread let go: what it knew of them has to be told again. */
  gone: readonly string[]
}
