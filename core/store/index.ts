/**
 * `@gateway/store`: the store in memory, and how processes share state: counters and shared state of one machine's
 * workers, through their primary process, and announcements of changed documents.
 */
export { announceChanges } from './announced-documents.ts'
export { createClusterSharedState } from './cluster.ts'
export { createClusterCounters, serveCounters } from './cluster-counters.ts'
export { serveSharedState } from './cluster-primary.ts'
export { createMemoryCache, type MemoryCacheOptions } from './memory/cache.ts'
export { createMemoryStore } from './memory/index.ts'
