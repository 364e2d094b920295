/** The store that needs nothing outside this process and keeps nothing: `memory:`, and what stands in where no other is. */
import type { Ports, Store } from '../contract/index.ts'
import { createMemoryBlobs } from './memory-blobs.ts'
import { createMemoryCache, type MemoryCacheOptions } from './memory-cache.ts'
import { createMemoryCounters } from './memory-counters.ts'
import { createMemoryDocuments } from './memory-documents.ts'
import { createMemoryLog } from './memory-log.ts'
import { createMemorySharedState } from './memory-shared-state.ts'
import { createMemoryVectors } from './memory-vectors.ts'

/** Of the log: older entries go first. */
const maxLogEntries = 10_000

/** A store in memory with every port, its cache bounded in entries and bytes. */
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
    async ping() {},
    close: () => kv.clear(),
  }
}
