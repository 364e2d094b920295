/**
 * What Keyv asks of a storage adapter, declared here so that the contract depends on no package for it.
 * https://keyv.org/docs/storage-adapters/
 */

/** What Keyv serialised, or what it makes of it. */
export type StoredValue<Value> = { value?: Value; expires?: number | undefined } | string | undefined

export interface KeyValueStore {
  opts: Record<string, unknown>
  namespace?: string | undefined
  get<Value>(key: string): Promise<StoredValue<Value>>
  /** @param ttlMs without it the entry has no end */
  set(key: string, value: unknown, ttlMs?: number): Promise<unknown>
  delete(key: string): Promise<boolean>
  clear(): Promise<void>
  disconnect?(): Promise<void>
  /** Keyv listens for `error`. */
  on(event: string | symbol, listener: (error: unknown) => void): KeyValueStore
}
