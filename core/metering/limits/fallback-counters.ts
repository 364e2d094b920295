/**
 * What a process counts by itself while the counters that it shares are out of reach: windows from nothing, budgets
 * from what was last known of them. What it counted of budgets is told apart, to be handed over later.
 */
import type { CounterReading, Counters } from '@gateway/contract'
import { createMemoryCounters } from '../../store/memory/counters.ts'

/** Budgets of which something is remembered; those used least recently go first. */
const maxKnown = 10_000

type Keys = Parameters<Counters['read']>[0]

export interface FallbackCounters extends Pick<Counters, 'reserve' | 'read'> {
  /** Notes what the shared counters say of these. */
  learn(keys: Keys, readings: readonly CounterReading[], nowMs: number): void
  /** Whether something was ever known of all budgets among these. */
  knows(keys: Keys): boolean
  /** Settles what was reserved here, and gives the keys of it; undefined: nothing was. */
  settle(
    id: string,
    used: Parameters<Counters['settle']>[1],
    nowMs: number,
  ): Promise<ReadonlySet<string> | undefined>
  /** Adds to a budget what could not be settled where it was reserved. */
  charge(key: string, amount: number): void
  /** Budgets of which more has been used than the shared counters know. */
  charged(): { key: string; used: number }[]
  /** Budgets that were read at that time or later, as they were then. */
  knownSince(atMs: number): { key: string; used: number }[]
  /** The shared counters have these by now. */
  handedOver(budgets: readonly { key: string; used: number }[], nowMs: number): void
  forget(keys: readonly string[]): void
}

/** Counters of one process beside those that it shares. */
export function createFallbackCounters(): FallbackCounters {
  const known = new Map<string, { used: number; atMs: number }>()
  const chargedKeys = new Set<string>()
  const local = createMemoryCounters({
    onChange(key, { lengthMs }) {
      if (lengthMs === 0) chargedKeys.add(key)
    },
  })

  const usedOf = (key: string) => local.useOf(key)?.current ?? 0

  function setUsed(key: string, used: number): void {
    local.restore(key, { lengthMs: 0, bucket: 0, current: used, previous: 0 })
  }

  function remember(key: string, used: number, atMs: number): void {
    known.delete(key)
    known.set(key, { used, atMs })
    if (known.size <= maxKnown) return
    const [oldest] = known.keys()
    if (oldest !== undefined) known.delete(oldest)
  }

  /** Budgets begin at what is known, unless more has been counted here since. */
  function prepare(keys: Keys): void {
    for (const { key, window } of keys) {
      const last = known.get(key)
      if (window === null && last !== undefined && !chargedKeys.has(key)) setUsed(key, last.used)
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
      keys.every(({ key, window }) => window !== null || known.has(key) || chargedKeys.has(key)),
    async reserve(id, reservations, leaseMs, nowMs) {
      prepare(reservations)
      return local.reserve(id, reservations, leaseMs, nowMs)
    },
    async read(keys, nowMs) {
      prepare(keys)
      return local.read(keys, nowMs)
    },
    async settle(id, used, nowMs) {
      if (!local.holds(id)) return undefined
      const held = new Set(used.map(({ key }) => key).filter((key) => local.holds(id, key)))
      await local.settle(id, used, nowMs)
      return held
    },
    charge(key, amount) {
      prepare([{ key, window: null }])
      setUsed(key, usedOf(key) + amount)
      chargedKeys.add(key)
    },
    charged: () => [...chargedKeys].map((key) => ({ key, used: usedOf(key) })),
    knownSince(atMs) {
      const found: { key: string; used: number }[] = []
      for (const [key, { used, atMs: readAtMs }] of known) if (readAtMs >= atMs) found.push({ key, used })
      return found
    },
    handedOver(budgets, nowMs) {
      for (const { key, used } of budgets) {
        // They have at least that much now; and more was counted here while it was handed over, or not.
        remember(key, used, nowMs)
        if (usedOf(key) === used) chargedKeys.delete(key)
      }
    },
    forget(keys) {
      for (const key of keys) {
        known.delete(key)
        chargedKeys.delete(key)
        setUsed(key, 0)
      }
    },
  }
}
