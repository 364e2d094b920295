/** The store in memory: the suite of all stores. */
import { createMemoryStore } from '#core/state/memory'
import { describeStore } from './store.ts'

describeStore('in memory', async () => [createMemoryStore({ maxEntries: 100, maxBytes: 100_000 })])
