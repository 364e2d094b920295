/**
 * Counters of a process that has its store to itself: counted in memory, loaded from the store when a key is first
 * used, and written back in batches behind the requests. A kill loses the last batch at most; what was reserved goes
 * with the process that held it. A request waits for the store only at the first use of a key.
 * Errors: those of the store, for keys that have not been used yet and for reset, seed, list and flush.
 */
import type { Counters, CounterUse } from '../contract/index.ts'
import { createMemoryCounters } from '../state/memory-counters.ts'

export interface EmbeddedCounters extends Counters {
  /** Resolves once everything that was counted before is kept. */
  flush(): Promise<void>
}

export interface EmbeddedCountersOptions {
  /** Hears of the first of several writes that fail. */
  report(error: unknown): void
  /** From the end of one batch to the beginning of the next, at least; default 250. */
  intervalMs?: number
}

const defaultIntervalMs = 250
/** After a write that failed. */
const retryMs = 1000
const maxBatch = 1000
/** Shorter windows have passed before a process is up again. */
const shortestKeptMs = 1000
/** Windows of a minute change with every request, and are soon over: they are written in every so manieth batch. */
const shortWindowMs = 60_000
const shortEvery = 8
/** Fewer keys than this are never forgotten. */
const pruneFloor = 10_000

/** Wraps the counters of a store; an engine that has no snapshots is asked itself. */
export function createEmbeddedCounters(stored: Counters, options: EmbeddedCountersOptions): EmbeddedCounters {
  const { snapshots } = stored
  if (snapshots === undefined) return { ...stored, flush: async () => undefined }
  const { report, intervalMs = defaultIntervalMs } = options
  const memory = createMemoryCounters({ onChange: note })
  /** Keys that memory knows as well as the store does. */
  const known = new Set<string>()
  const loading = new Map<string, Promise<void>>()
  let changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isFailing = false
  let batches = 0
  let pruneAt = pruneFloor

  function note(key: string): void {
    changed.add(key)
    schedule(intervalMs)
  }

  function schedule(ms: number): void {
    if (timer !== undefined || writing !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      // It has been reported, and is tried again.
      write().catch(() => undefined)
    }, ms).unref()
  }

  /** Keys of the next batch; what can wait waits for its turn, unless everything is asked for. */
  function due(isWhole: boolean): string[] {
    batches += 1
    if (isWhole || isFailing || batches % shortEvery === 0) return [...changed]
    return [...changed].filter((key) => {
      const lengthMs = memory.useOf(key)?.lengthMs ?? 0
      return lengthMs === 0 || lengthMs > shortWindowMs
    })
  }

  /** One batch, after the one that is being written. */
  async function write(isWhole = false): Promise<void> {
    while (writing !== undefined) await writing.catch(() => undefined)
    const keys = due(isWhole).slice(0, maxBatch)
    if (keys.length === 0) {
      if (changed.size > 0) schedule(intervalMs)
      return
    }
    for (const key of keys) changed.delete(key)
    writing = save(keys)
    try {
      await writing
      isFailing = false
    } catch (error) {
      changed = new Set([...keys, ...changed])
      if (!isFailing) report(error)
      isFailing = true
      throw error
    } finally {
      writing = undefined
      if (changed.size > 0) schedule(isFailing ? retryMs : intervalMs)
    }
  }

  async function save(keys: readonly string[]): Promise<void> {
    const uses = keys.flatMap((key) => {
      const use = memory.useOf(key)
      return use !== undefined && isKept(use) ? [{ key, use }] : []
    })
    if (uses.length > 0) await snapshots?.save(uses)
  }

  async function flush(): Promise<void> {
    while (writing !== undefined || changed.size > 0) await write(true)
    clearTimeout(timer)
    timer = undefined
  }

  /** Undefined when memory knows all of them, so that nobody waits. */
  function prepare(keys: readonly string[]): Promise<unknown> | undefined {
    if (keys.every((key) => known.has(key))) return undefined
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

  /** What memory holds nothing of is loaded again when it is used again. */
  function prune(): void {
    for (const key of known) if (memory.useOf(key) === undefined && !loading.has(key)) known.delete(key)
    pruneAt = Math.max(pruneFloor, known.size * 2)
  }

  const keysOf = (items: readonly { key: string }[]) => items.map(({ key }) => key)

  return {
    async reserve(id, reservations, leaseMs, nowMs) {
      const loaded = prepare(keysOf(reservations))
      if (loaded !== undefined) await loaded
      return memory.reserve(id, reservations, leaseMs, nowMs)
    },
    async settle(id, used, nowMs) {
      const loaded = prepare(keysOf(used))
      if (loaded !== undefined) await loaded
      return memory.settle(id, used, nowMs)
    },
    async read(keys, nowMs) {
      await prepare(keysOf(keys))
      return memory.read(keys, nowMs)
    },
    async reset(keys) {
      await prepare(keys)
      await memory.reset(keys)
      await flush()
    },
    async seed(budgets) {
      await prepare(keysOf(budgets))
      await memory.seed(budgets)
      await flush()
    },
    async list(prefix, after, limit) {
      await flush()
      return stored.list(prefix, after, limit)
    },
    flush,
  }
}

function isKept({ lengthMs }: CounterUse): boolean {
  return lengthMs === 0 || lengthMs > shortestKeptMs
}
