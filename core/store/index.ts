/** `@gateway/store`: documents, counters and caches in memory, and the sharing of state between a gateway's worker processes. */
export { announceChanges } from './announced-documents.ts'
export { createClusterSharedState } from './cluster.ts'
export { createClusterCounters, serveCounters } from './cluster-counters.ts'
export { serveSharedState } from './cluster-primary.ts'
export { createMemoryCache, type MemoryCacheOptions } from './memory/cache.ts'
export { createMemoryStore } from './memory/index.ts'
