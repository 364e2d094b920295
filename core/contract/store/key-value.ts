/**
 * Keyv's storage adapter interface, declared here so that the contract needs no dependency.
 * https://keyv.org/docs/storage-adapters/
 */

/** Keyv's serialized value, or the parsed one. */
export type StoredValue<Value> = { value?: Value; expires?: number | undefined } | string | undefined

export interface KeyValueStore {
  opts: Record<string, unknown>
  namespace?: string | undefined
  get<Value>(key: string): Promise<StoredValue<Value>>
  /** @param ttlMs if absent, the entry does not expire */
  set(key: string, value: unknown, ttlMs?: number): Promise<unknown>
  delete(key: string): Promise<boolean>
  clear(): Promise<void>
  disconnect?(): Promise<void>
  /** Keyv subscribes to `error`. */
  on(event: string | symbol, listener: (error: unknown) => void): KeyValueStore
}
