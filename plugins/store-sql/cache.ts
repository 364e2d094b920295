/** Keyv's store adapter on SQL, for deployments without Redis: text or bytes, with an expiry. */
import type { Ports } from '@gateway/contract'
import type { Database } from './database.ts'

/** The members that need the database; the others of Keyv's interface run in the caller's thread. */
export interface CacheRows {
  get(key: string): Promise<string | Uint8Array | undefined>
  set(key: string, value: string | Uint8Array, ttlMs?: number): Promise<boolean>
  delete(key: string): Promise<boolean>
  clear(): Promise<void>
  /** Removes expired entries. */
  sweep(): Promise<void>
}

export function createCacheRows({ read, write }: Database, now: () => number = Date.now): CacheRows {
  return {
    async get(key) {
      const row = await read.selectFrom('cache_entries').selectAll().where('key', '=', key).executeTakeFirst()
      if (row === undefined || (row.ends_at !== null && row.ends_at <= now())) return undefined
      return row.is_text === 1 ? row.value.toString() : row.value
    },
    set(key, value, ttlMs) {
      const row = {
        value: Buffer.from(value),
        is_text: typeof value === 'string' ? 1 : 0,
        ends_at: ttlMs ? Math.ceil(now() + ttlMs) : null,
      }
      return write(async (queries) => {
        await queries
          .insertInto('cache_entries')
          .values({ key, ...row })
          .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
          .execute()
        return true
      })
    },
    delete(key) {
      return write(async (queries) => {
        const result = await queries.deleteFrom('cache_entries').where('key', '=', key).executeTakeFirst()
        return result.numDeletedRows > 0n
      })
    },
    async clear() {
      await write((queries) => queries.deleteFrom('cache_entries').execute())
    },
    async sweep() {
      await write((queries) => queries.deleteFrom('cache_entries').where('ends_at', '<=', now()).execute())
    },
  }
}

/** Keyv's interface over the rows. */
export function createCache(rows: CacheRows): Ports['kv'] {
  const cache: Ports['kv'] = {
    opts: {},
    // Keyv knows the type that it stored under the key.
    get: (key) => rows.get(key) as Promise<never>,
    set: (key: string, value: string | Uint8Array, ttlMs?: number) => rows.set(key, value, ttlMs),
    delete: (key) => rows.delete(key),
    /** Empties the whole cache, in every namespace of Keyv. */
    clear: () => rows.clear(),
    /** Keyv listens for error events; here calls reject instead. */
    on: () => cache,
  }
  return cache
}
