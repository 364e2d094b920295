/** The thread that scans signs of vectors: neither requests nor the store wait for it. */
import { parentPort } from 'node:worker_threads'
import type { ScanCall, ScanReply } from './scan-messages.ts'
import { SignIndex } from './sign-index.ts'

/**
 * The most vectors of all collections. Above it, the least recently used collections are removed and loaded again on
 * demand.
 */
const maxVectors = 400_000

/** Ordered by last use, the most recent last. */
const indexes = new Map<string, SignIndex>()

function use(collection: string, bytes: number): SignIndex {
  const index = indexes.get(collection) ?? new SignIndex(bytes)
  indexes.delete(collection)
  indexes.set(collection, index)
  return index
}

/** Removes collections above the limit and returns their names. */
function letGo(): string[] {
  let total = 0
  for (const { size } of indexes.values()) total += size
  const gone: string[] = []
  for (const [collection, { size }] of indexes) {
    if (total <= maxVectors || indexes.size === 1) break
    indexes.delete(collection)
    gone.push(collection)
    total -= size
  }
  return gone
}

function answer(call: ScanCall): ScanReply {
  const { id, collection, added, removed, sought, nowMs } = call
  const index = use(collection, call.bytes)
  for (const row of added) index.put(row)
  for (const one of removed) index.remove(one)
  const found = sought === null ? [] : index.nearest(sought.signs, sought.most, nowMs)
  return { id, found, gone: letGo() }
}

parentPort?.on('message', (call: ScanCall) => parentPort?.postMessage(answer(call)))
