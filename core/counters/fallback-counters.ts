/**
 * Counters of one process while the shared counters cannot be reached: windows start at zero, budgets at their last
 * known value. Usage of budgets counted here is recorded separately, to be charged to the shared counters later.
 */
import type { CounterReading, Counters } from '@gateway/contract'
import { createMemoryCounters } from './memory-counters.ts'
import type { PendingCharges } from './pending-charges.ts'

/** Maximum number of remembered budgets; the least recently used are dropped. */
const maxKnown = 10_000

type Keys = Parameters<Counters['read']>[0]

export interface FallbackCounters extends Pick<Counters, 'reserve' | 'read'> {
  /** Reserves usage that the caller, not this process, charges to the shared counters later. */
  reserveUncharged: Counters['reserve']
  /** Records the shared counters' readings. */
  learn(keys: Keys, readings: readonly CounterReading[], nowMs: number): void
  /** Whether the values of all budgets among these are known. */
  knows(keys: Keys): boolean
  /**
   * Settles a local reservation.
   * @param isHeldElsewhere whether the shared counters settle this attempt as well, so that it is not charged twice
   * @returns whether anything was reserved here
   */
  settle(
    id: string,
    used: Parameters<Counters['settle']>[1],
    options: { nowMs: number; isHeldElsewhere: boolean },
  ): Promise<boolean>
  /** The last known readings of budgets that were read at that time or later, or that were charged since. */
  lastKnown(sinceMs: number): { key: string; used: number }[]
  forget(keys: readonly string[]): void
}

/** Creates the local counters of a process, next to its shared counters. */
export function createFallbackCounters(pending: PendingCharges): FallbackCounters {
  const known = new Map<string, { used: number; atMs: number }>()
  let isCharged = true
  const local = createMemoryCounters({
    onChange(key, use, before) {
      if (isCharged && use.lengthMs === 0) pending.add(key, use.current - (before?.current ?? 0))
    },
  })

  function remember(key: string, used: number, atMs: number): void {
    known.delete(key)
    known.set(key, { used, atMs })
    if (known.size <= maxKnown) return
    const [oldest] = known.keys()
    if (oldest !== undefined) known.delete(oldest)
  }

  /** Starts budgets at their last known value plus the usage since then. */
  function prepare(keys: Keys): void {
    for (const { key, window } of keys) {
      if (window !== null) continue
      const current = (known.get(key)?.used ?? 0) + pending.of(key)
      local.restore(key, { lengthMs: 0, bucket: 0, current, previous: 0 })
    }
  }

  return {
    learn(keys, readings, nowMs) {
      keys.forEach(({ key, window }, index) => {
        const reading = readings[index]
        if (window === null && reading !== undefined) remember(key, reading.used, nowMs)
      })
    },
    knows: (keys) =>
      keys.every(({ key, window }) => window !== null || known.has(key) || pending.of(key) > 0),
    async reserve(id, reservations, lease) {
      prepare(reservations)
      return local.reserve(id, reservations, lease)
    },
    reserveUncharged(id, reservations, lease) {
      prepare(reservations)
      // Reserving in memory is synchronous, so nothing else changes meanwhile.
      isCharged = false
      const result = local.reserve(id, reservations, lease)
      isCharged = true
      return result
    },
    async read(keys, nowMs) {
      prepare(keys)
      return local.read(keys, nowMs)
    },
    async settle(id, used, { nowMs, isHeldElsewhere }) {
      if (!local.holds(id)) return false
      // The in-memory counters settle synchronously: nothing else changes meanwhile.
      isCharged = !isHeldElsewhere
      const settled = local.settle(id, used, nowMs)
      isCharged = true
      await settled
      return true
    },
    lastKnown(sinceMs) {
      const found: { key: string; used: number }[] = []
      for (const [key, { used, atMs }] of known)
        if (atMs >= sinceMs || pending.of(key) > 0) found.push({ key, used })
      return found
    },
    forget(keys) {
      for (const key of keys) {
        known.delete(key)
        local.restore(key, { lengthMs: 0, bucket: 0, current: 0, previous: 0 })
      }
    },
  }
}
