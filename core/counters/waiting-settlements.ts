/** Settlements that wait for unavailable counters, in order, and their delivery. */
import type { CounterReading, Counters } from '@gateway/contract'
import { chargesOnce } from '@gateway/domain'

type Used = Parameters<Counters['settle']>[1]

export interface WaitingSettlement {
  /** The attempt's id. */
  id: string
  used: Used
  /** When it was admitted, and when it was queued, in milliseconds since the epoch. */
  heldSince: number
  queuedAt: number
  /** The caller's timestamp. */
  nowMs: number
}

export interface WaitingSettlements {
  /** Whether there is room for it. */
  add(settlement: WaitingSettlement): boolean
  isEmpty(): boolean
  /** The oldest settlements; by default all. */
  first(count?: number): WaitingSettlement[]
  delete(settlement: WaitingSettlement): void
}

/** Unsettled reservations are released after this time. */
export const leaseMs = 600_000

/** An older reservation may have expired and is counted as new usage instead of being settled. */
const sureMs = leaseMs - 5000

/** The maximum number of waiting settlements; the leases of further ones end unsettled. */
const most = 10_000

export function createWaitingSettlements(): WaitingSettlements {
  const waiting = new Set<WaitingSettlement>()
  return {
    add(settlement) {
      if (waiting.size >= most) return false
      waiting.add(settlement)
      return true
    },
    isEmpty: () => waiting.size === 0,
    first: (count) => [...waiting].slice(0, count),
    delete: (settlement) => void waiting.delete(settlement),
  }
}

/** Whether an attempt's lease is certainly still valid. */
export const isLeased = (heldSince: number, nowMs: number): boolean => nowMs - heldSince < sureMs

/** Settles an attempt, even if its lease has ended. Returns the readings of its limits. */
export async function deliver(
  counters: Counters,
  { id, used, heldSince, queuedAt, nowMs }: WaitingSettlement,
): Promise<readonly CounterReading[]> {
  const now = Date.now()
  const theirNow = nowMs + now - queuedAt
  if (isLeased(heldSince, now)) return counters.settle(id, used, theirNow)
  if (used.length === 0) return []
  const charges = chargesOnce(`late/${id}`, used, now - heldSince)
  return (await counters.reserve(id, charges, { leaseMs, nowMs: theirNow })).readings.slice(1)
}
