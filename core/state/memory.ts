/** The store that needs nothing outside this process: what `redis` absent from the config file means. */
import type { Store } from '../contract/index.ts'
import { createMemoryCache, type MemoryCacheOptions } from './memory-cache.ts'
import { createMemorySharedState } from './memory-shared-state.ts'

/** A store in memory, its cache bounded in entries and bytes. */
export function createMemoryStore(options: MemoryCacheOptions): Store {
  const kv = createMemoryCache(options)
  return {
    kv,
    shared: createMemorySharedState(),
    async ping() {},
    close: () => kv.clear(),
  }
}
