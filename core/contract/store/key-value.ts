/** Texts by key, as far as there is room for them: the storage of caches. Keys are unique in a store. */
export interface KeyValueStore {
  /** Undefined for an unknown or expired key. A store in this process returns the text itself, not a promise. */
  get(key: string): string | undefined | Promise<string | undefined>
  /** @param ttlMs if absent, the entry does not expire */
  set(key: string, value: string, ttlMs?: number): Promise<void>
  /** Returns whether there was an entry. */
  delete(key: string): Promise<boolean>
  /** Removes all entries. */
  clear(): Promise<void>
}
