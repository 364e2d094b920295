/** The shared state of a single process: counters and leases in a map, messages to the listeners of this process. */
import type { SharedState } from '@gateway/contract'

interface Entry {
  count: number
  /** Milliseconds since the epoch. */
  endsAt: number
}

/** Fewer entries than this are never swept. */
const sweepFloor = 1000

/** Shared state in memory; the clock is read at each call, and expired entries are swept as new ones are added. */
export function createMemorySharedState(): SharedState {
  const entries = new Map<string, Entry>()
  const topics = new Map<string, Set<(message: string) => void>>()
  let sweepAt = sweepFloor

  function find(key: string): Entry | undefined {
    const entry = entries.get(key)
    return entry !== undefined && Date.now() < entry.endsAt ? entry : undefined
  }

  function begin(key: string, ttlMs: number): void {
    entries.set(key, { count: 1, endsAt: Date.now() + ttlMs })
    if (entries.size < sweepAt) return
    const now = Date.now()
    for (const [other, entry] of entries) if (entry.endsAt <= now) entries.delete(other)
    // Doubling keeps the cost of sweeping constant per created entry.
    sweepAt = Math.max(sweepFloor, entries.size * 2)
  }

  return {
    async increment(key, ttlMs) {
      const entry = find(key)
      if (entry !== undefined) return ++entry.count
      begin(key, ttlMs)
      return 1
    },
    async acquire(key, ttlMs) {
      if (find(key) !== undefined) return false
      begin(key, ttlMs)
      return true
    },
    async delete(key) {
      entries.delete(key)
    },
    async publish(topic, message) {
      // In a microtask: an exception of a listener must not reach the sender, and no listener runs inside the sender.
      for (const listener of topics.get(topic) ?? []) queueMicrotask(() => listener(message))
    },
    async subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set()
      topics.set(topic, listeners.add(listener))
    },
  }
}
