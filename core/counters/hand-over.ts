/**
 * Delivers the usage of a process to the shared counters once they are back: budgets that they have lost, pending
 * settlements, and the usage of budgets counted locally.
 */
import type { Counters, Reservation } from '@gateway/contract'
import { chargesOnce, type WaitForAnswer } from '@gateway/domain'
import type { FallbackCounters } from './fallback-counters.ts'
import type { Charge, PendingCharges } from './pending-charges.ts'
import { createWaitingSettlements, deliver, leaseMs, type WaitingSettlement } from './waiting-settlements.ts'

type Used = Parameters<Counters['settle']>[1]

export interface HandOverOptions {
  shared: Counters
  waitFor: WaitForAnswer
  /** Whether an error means that the counters are unavailable. */
  isFailure(error: unknown): boolean
  /** Receives usage that can never be counted. */
  report(error: unknown): void
  pending: PendingCharges
  fallback: FallbackCounters
}

/** Usage that the shared counters do not know yet. */
export interface OwedUsage {
  settlements: readonly WaitingSettlement[]
  charges: readonly Charge[]
}

export interface HandOver {
  /** Keeps a settlement until the counters are back. */
  settleLater(id: string, used: Used, options: { nowMs: number; heldSince: number }): void
  /** Keeps a reservation whose answer was lost. Once the counters are back, they say whether they made it. */
  askLater(id: string, reservations: readonly Reservation[], nowMs: number): void
  /** Removes such a reservation: the counters did make it. */
  carriedOut(id: string): void
  /** All undelivered usage. */
  owed(): OwedUsage
  /** Delivers the usage counted here. */
  charges(): Promise<void>
  /**
   * Delivers everything.
   * @param sinceMs budgets read since then are restored if the counters have lost them
   * @param onDone runs synchronously when nothing is left, so that nothing is queued after it
   */
  all(sinceMs: number, onDone: () => void): Promise<void>
}

/** Deliveries in parallel once the counters are back. */
const batchSize = 100

/** Each part rejects when the counters fail again, and continues from there the next time. */
export function createHandOver(options: HandOverOptions): HandOver {
  const { shared, waitFor, isFailure, report, pending, fallback } = options
  const waiting = createWaitingSettlements()

  /**
   * The answer; undefined for an error that does not mean that the counters are unavailable. A retry would
   * fail again, so the item is dropped.
   */
  async function tell<T>(question: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await waitFor(question)
    } catch (error) {
      if (isFailure(error)) throw error
      report(error)
      return undefined
    }
  }

  async function settle(settlement: WaitingSettlement): Promise<void> {
    const readings = await tell(() => deliver(shared, settlement))
    endWaiting(settlement)
    if (readings !== undefined) fallback.learn(settlement.used, readings, Date.now())
  }

  async function charge(next: Charge): Promise<void> {
    const { id, used } = next
    try {
      const result = await tell(() =>
        shared.reserve(id, chargesOnce(id, used), { leaseMs, nowMs: Date.now() }),
      )
      pending.remove(next)
      if (result !== undefined) fallback.learn(used, result.readings.slice(1), Date.now())
    } catch (error) {
      pending.putBack(next)
      throw error
    }
  }

  async function charges(): Promise<void> {
    for (let next = pending.take(); next !== undefined; next = pending.take()) await charge(next)
  }

  /**
   * A server that restarted empty gets the last known values; budgets that were reset meanwhile exist there, and are
   * kept.
   */
  async function restoreLost(sinceMs: number): Promise<void> {
    const known = fallback.lastKnown(sinceMs)
    for (let at = 0; at < known.length; at += batchSize) {
      const found = await Promise.all(
        known.slice(at, at + batchSize).map(async (budget) => {
          const [first] = await waitFor(() => shared.list(budget.key, null, 1))
          return first?.key === budget.key ? [] : [budget]
        }),
      )
      const lost = found.flat()
      if (lost.length === 0) continue
      await waitFor(() => shared.seed(lost))
      chargeUnheld(new Set(lost.map(({ key }) => key)))
    }
  }

  /** When a budget is lost, so are its reservations: settling them would have no effect. */
  function chargeUnheld(lost: ReadonlySet<string>): void {
    const isLost = ({ key, window }: Used[number]) => window === null && lost.has(key)
    for (const settlement of waiting.first()) {
      const unheld = settlement.used.filter(isLost)
      if (unheld.length === 0) continue
      endWaiting(settlement)
      for (const { key, amount } of unheld) pending.add(key, amount)
      keepWaiting({ ...settlement, used: settlement.used.filter((each) => !isLost(each)) })
    }
  }

  function keepWaiting(settlement: WaitingSettlement): void {
    if (waiting.add(settlement)) pending.count(settlement.used)
    else for (const { key, window, amount } of settlement.used) if (window === null) pending.add(key, amount)
  }

  function endWaiting(settlement: WaitingSettlement): void {
    waiting.delete(settlement)
    pending.uncount(settlement.used)
  }

  return {
    settleLater: (id, used, { nowMs, heldSince }) =>
      keepWaiting({ id, used, nowMs, heldSince, queuedAt: Date.now() }),
    askLater(id, reservations, nowMs) {
      // The reservation may exist there, so it is released. This process charges what was used of it.
      if (reservations.some(({ takes }) => takes === 'hold'))
        keepWaiting({ id, used: [], nowMs, heldSince: Date.now(), queuedAt: Date.now() })
      const used = reservations
        .filter(({ takes, window }) => takes === 'use' && window === null)
        .map(({ key, need }) => ({ key, window: null, amount: need }))
      if (used.length > 0) pending.owe({ id, used })
    },
    owed: () => ({ settlements: waiting.first(), charges: pending.all() }),
    carriedOut: (id) => pending.cancel(id),
    charges,
    async all(sinceMs, onDone) {
      await restoreLost(sinceMs)
      // More items may have arrived meanwhile.
      while (!waiting.isEmpty() || !pending.isEmpty()) {
        await Promise.all(waiting.first(batchSize).map(settle))
        await charges()
      }
      onDone()
    },
  }
}
