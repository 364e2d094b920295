/** Settlements that wait for counters that cannot be reached, in order, and how they are delivered. */
import type { Counters, Reservation } from '@gateway/contract'

type Used = Parameters<Counters['settle']>[1]

export interface WaitingSettlement {
  /** Of the attempt. */
  id: string
  used: Used
  /** When it was admitted, and when it waits since, in milliseconds since the epoch. */
  heldSince: number
  queuedAt: number
  /** The time that its caller gave. */
  nowMs: number
}

export interface WaitingSettlements {
  add(settlement: WaitingSettlement): void
  /** The oldest ones. */
  first(count: number): WaitingSettlement[]
  delete(settlement: WaitingSettlement): void
  clear(): void
}

/** What nobody settled is given back after this. */
export const leaseMs = 600_000

/** A reservation that is older may have ended, and is not settled any more but counted anew. */
const sureMs = leaseMs - 5000

/** Further settlements are not kept: their leases end unsettled. */
const most = 10_000

export function createWaitingSettlements(): WaitingSettlements {
  const waiting = new Set<WaitingSettlement>()
  return {
    add(settlement) {
      if (waiting.size < most) waiting.add(settlement)
    },
    first: (count) => [...waiting].slice(0, count),
    delete: (settlement) => void waiting.delete(settlement),
    clear: () => waiting.clear(),
  }
}

/** Whether the lease of an attempt still stands for sure. */
export const isLeased = (heldSince: number, nowMs: number): boolean => nowMs - heldSince < sureMs

/** Settles an attempt, also when its lease has ended meanwhile. */
export async function deliver(
  counters: Counters,
  { id, used, heldSince, queuedAt, nowMs }: WaitingSettlement,
): Promise<void> {
  const now = Date.now()
  const theirNow = nowMs + now - queuedAt
  if (isLeased(heldSince, now)) await counters.settle(id, used, theirNow)
  else if (used.length > 0) await counters.reserve(id, lateCharges(used, now - heldSince), leaseMs, theirNow)
}

/**
 * Counts what an attempt used whose lease has ended, whatever the limits, in the window in which it began.
 * @param ageMs how long ago it was admitted
 */
export function lateCharges(used: Used, ageMs: number): Reservation[] {
  return used.map(({ key, window, amount }) => ({
    key,
    window,
    limit: Number.MAX_SAFE_INTEGER,
    need: amount,
    admits: 'fits',
    takes: 'use',
    ageMs,
  }))
}
