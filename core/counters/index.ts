/**
 * `@gateway/counters`: the counters of limits. Counters in memory; counters that are written behind to the store of a
 * single process; and shared counters that survive the failure of their store, with the usage that a process could not
 * deliver. They implement the `Counters` of the contract with the arithmetic of `@gateway/domain`, and use nothing else of core. Core always counts through one of
 * them, so the package is not discovered like a plugin.
 */
export { createEmbeddedCounters } from './embedded-counters.ts'
export { createKeptUsage } from './kept-usage.ts'
export { createMemoryCounters } from './memory-counters.ts'
export { createResilientCounters } from './resilient-counters.ts'
export { isLeased, leaseMs } from './waiting-settlements.ts'
