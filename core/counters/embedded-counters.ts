/**
 * Counters of a process with exclusive use of its store: counted in memory, loaded from the store when a key is first
 * used, and written back in the background. A crash loses at most half a second of usage, and all reservations of the
 * process. A request waits for the store only at the first use of a key. Errors: those of the store, for keys that have
 * not been used yet and for reset, seed, list and flush.
 */
import type { Counters } from '@gateway/contract'
import { createMemoryCounters } from './memory-counters.ts'
import { createWriteBehind } from './write-behind.ts'

export interface EmbeddedCounters extends Counters {
  /** Resolves once everything counted before the call is persisted. */
  flush(): Promise<void>
}

export interface EmbeddedCountersOptions {
  /** Called for the first of several failed writes. */
  report(error: unknown): void
  /** The minimum time from the end of one write to the beginning of the next. Default 350. */
  intervalMs?: number
}

const defaultIntervalMs = 350
/** Shorter windows pass during a restart. */
const shortestKeptMs = 1000
/** Below this number, keys are never evicted. */
const pruneFloor = 10_000

/** Wraps the counters of a store; engines without snapshots are used directly. */
export function createEmbeddedCounters(stored: Counters, options: EmbeddedCountersOptions): EmbeddedCounters {
  const { snapshots } = stored
  if (snapshots === undefined) return { ...stored, flush: async () => undefined }
  const { report, intervalMs = defaultIntervalMs } = options
  const { note, flush } = createWriteBehind({ save, report, intervalMs })
  const memory = createMemoryCounters({
    onChange(key, { lengthMs }) {
      if (lengthMs === 0 || lengthMs > shortestKeptMs) note(key)
    },
  })
  /** Keys whose memory state equals the store's. */
  const known = new Set<string>()
  const loading = new Map<string, Promise<void>>()
  let pruneAt = pruneFloor

  async function save(keys: readonly string[]): Promise<void> {
    const uses = keys.flatMap((key) => {
      const use = memory.useOf(key)
      return use === undefined ? [] : [{ key, use }]
    })
    if (uses.length > 0) await snapshots?.save(uses)
  }

  /** Undefined when all are in memory, so that the caller need not wait. */
  function prepare(items: readonly { key: string }[]): Promise<unknown> | undefined {
    for (const { key } of items) if (!known.has(key)) return loadMissing(items)
    return undefined
  }

  function loadMissing(items: readonly { key: string }[]): Promise<unknown> {
    const keys = items.map(({ key }) => key)
    const missing = keys.filter((key) => !known.has(key) && !loading.has(key))
    if (missing.length > 0) {
      const work = load(missing).finally(() => {
        for (const key of missing) loading.delete(key)
      })
      for (const key of missing) loading.set(key, work)
    }
    return Promise.all(keys.map((key) => loading.get(key)))
  }

  async function load(keys: readonly string[]): Promise<void> {
    const uses = (await snapshots?.load(keys)) ?? []
    keys.forEach((key, index) => {
      const use = uses[index]
      if (use !== undefined && memory.useOf(key) === undefined) memory.restore(key, use)
      known.add(key)
    })
    if (known.size >= pruneAt) prune()
  }

  /** Evicted keys are reloaded on their next use. */
  function prune(): void {
    for (const key of known) if (memory.useOf(key) === undefined && !loading.has(key)) known.delete(key)
    pruneAt = Math.max(pruneFloor, known.size * 2)
  }

  return {
    reserve(id, reservations, lease) {
      const loading = prepare(reservations)
      const reserve = () => memory.reserve(id, reservations, lease)
      return loading === undefined ? reserve() : loading.then(reserve)
    },
    settle(id, used, nowMs) {
      const loading = prepare(used)
      const settle = () => memory.settle(id, used, nowMs)
      return loading === undefined ? settle() : loading.then(settle)
    },
    async read(keys, nowMs) {
      await prepare(keys)
      return memory.read(keys, nowMs)
    },
    async reset(keys) {
      await prepare(keys.map((key) => ({ key })))
      await memory.reset(keys)
      await flush()
    },
    async seed(budgets) {
      await prepare(budgets)
      await memory.seed(budgets)
      await flush()
    },
    async list(prefix, after, limit) {
      await flush()
      return stored.list(prefix, after, limit)
    },
    async listWindows(cursor, limit, nowMs) {
      await flush()
      return stored.listWindows(cursor, limit, nowMs)
    },
    async seedWindows(windows) {
      await prepare(windows)
      await memory.seedWindows(windows)
      await flush()
    },
    flush,
  }
}
