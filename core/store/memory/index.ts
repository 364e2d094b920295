/**
 * The store in memory, without persistence: `memory:`. Its ports also replace those that the configured stores lack.
 */
import type { Ports, Store } from '@gateway/contract'
import { createMemoryCounters } from '@gateway/counters'
import { createMemoryBlobs } from './blobs.ts'
import { createMemoryCache, type MemoryCacheOptions } from './cache.ts'
import { createMemoryDocuments } from './documents.ts'
import { createMemoryLog } from './log.ts'
import { createMemorySharedState } from './shared-state.ts'
import { createMemoryVectors } from './vectors.ts'
import { createMemoryWork } from './work.ts'

/** The maximum number of log entries: the oldest are dropped first. */
const maxLogEntries = 10_000

/** A store in memory with every port; its cache is limited in entries and bytes. */
export function createMemoryStore(options: MemoryCacheOptions): Ports & Store {
  const kv = createMemoryCache(options)
  return {
    documents: createMemoryDocuments(),
    counters: createMemoryCounters(),
    log: createMemoryLog({ maxEntries: maxLogEntries }),
    blobs: createMemoryBlobs(),
    vectors: createMemoryVectors(),
    kv,
    shared: createMemorySharedState(),
    work: createMemoryWork(),
    async ping() {},
    close: () => kv.clear(),
  }
}
