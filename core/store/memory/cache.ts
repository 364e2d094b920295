/**
 * Texts by key in this process's memory, limited in entries and in bytes; the least recently used entries are evicted
 * first.
 */
import type { KeyValueStore } from '@gateway/contract'
import { LRUCache } from 'lru-cache'

export interface MemoryCacheOptions {
  maxEntries: number
  /** Keys and values together; each character counts as one byte. */
  maxBytes: number
}

interface Entry {
  value: string
  /** Milliseconds since the epoch; Infinity for no expiry. */
  endsAt: number
}

/** A limited store; an entry larger than the whole limit is not stored. */
export function createMemoryCache(options: MemoryCacheOptions): KeyValueStore {
  // Created with the first entry, because it allocates memory for the largest number of them.
  let entries: LRUCache<string, Entry> | null = null
  return {
    get(key) {
      const entry = entries?.get(key)
      if (entry === undefined) return undefined
      if (Date.now() < entry.endsAt) return entry.value
      entries?.delete(key)
      return undefined
    },
    async set(key, value, ttlMs) {
      entries ??= createEntries(options)
      entries.set(key, { value, endsAt: ttlMs ? Date.now() + ttlMs : Infinity })
    },
    async delete(key) {
      return entries?.delete(key) ?? false
    },
    async clear() {
      entries?.clear()
    },
  }
}

const createEntries = ({ maxEntries, maxBytes }: MemoryCacheOptions) =>
  new LRUCache<string, Entry>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: (entry, key) => Math.max(1, key.length + entry.value.length),
  })
