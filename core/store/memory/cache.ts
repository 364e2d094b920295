/**
 * Keyv's store adapter in this process's memory, limited in entries and in bytes; the least recently used entries are
 * evicted first. Values are serialized by Keyv: strings (or bytes), whose length is their size.
 */
import type { KeyValueStore, StoredValue } from '@gateway/contract'
import { LRUCache } from 'lru-cache'

export interface MemoryCacheOptions {
  maxEntries: number
  /** Keys and values together; characters of a string count as one byte each. */
  maxBytes: number
}

interface Entry {
  value: string | Uint8Array
  /** Milliseconds since the epoch; Infinity for no expiry. */
  endsAt: number
}

/** A limited Keyv store; an entry larger than the whole limit is not stored. Throws `TypeError` for other values. */
export function createMemoryCache(options: MemoryCacheOptions): KeyValueStore {
  // Created with the first entry, because it allocates memory for the largest number of them.
  let entries: LRUCache<string, Entry> | null = null
  const cache: KeyValueStore = {
    opts: {},
    async get<Value>(key: string): Promise<StoredValue<Value>> {
      const entry = entries?.get(key)
      if (entry === undefined) return undefined
      if (Date.now() < entry.endsAt) return entry.value as StoredValue<Value>
      entries?.delete(key)
      return undefined
    },
    async set(key: string, value: unknown, ttlMs?: number) {
      if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
        throw new TypeError('A cache entry is a string or bytes; anything else has no size to bound.')
      }
      entries ??= createEntries(options)
      entries.set(key, { value, endsAt: ttlMs ? Date.now() + ttlMs : Infinity })
    },
    async delete(key) {
      return entries?.delete(key) ?? false
    },
    /** Clears the whole cache, in every namespace of Keyv. */
    async clear() {
      entries?.clear()
    },
    /** Keyv listens for errors, but this store never emits any. */
    on: () => cache,
  }
  return cache
}

const createEntries = ({ maxEntries, maxBytes }: MemoryCacheOptions) =>
  new LRUCache<string, Entry>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: (entry, key) => Math.max(1, key.length + entry.value.length),
  })
