/**
 * Shared counters with a fallback while their store fails (management contract, section 16): rate limits are counted in
 * this process, usage limits use their last known values for 60 s, then `store_unavailable`. Requests wait for a store that
 * is slow. When a failed one is back, pending settlements are delivered, and the usage of budgets counted here is charged
 * once, so that the local counts of several processes add up. Budgets that the store has lost are raised to their last
 * known value, never added to.
 */
import { type Counters, GatewayError } from '@gateway/contract'
import { createWaitForAnswer, isChargedOnce } from '@gateway/domain'
import { createFallbackCounters } from './fallback-counters.ts'
import { createHandOver, type OwedUsage } from './hand-over.ts'
import { budgetsGoOnMs, createOutage, isFailure, silence } from './outage.ts'
import { createPendingCharges } from './pending-charges.ts'
import { createRecentIds } from './recent-ids.ts'

export interface ResilientCountersOptions {
  /** Called when the store fails, at most every ten seconds. */
  report(error: unknown): void
  /** How long a request waits for a failing store during a probe. */
  deadlineMs?: number | undefined
  /** Stores usage that this process could not deliver before it stops. Another process delivers it. */
  keep?: ((owed: OwedUsage) => Promise<void>) | undefined
  /** Whether limited requests are refused while the store fails, instead of using local counters. */
  failsClosed?: boolean | undefined
}

export interface ResilientCounters extends Counters {
  /** Whether limits are counted in this process alone. */
  isUnshared(): boolean
  /** Delivers queued usage. Errors: `store_unavailable`; the usage then stays queued. */
  flush(): Promise<void>
  /** Delivers queued usage and ends background retries. Undelivered usage is stored for another process. No errors. */
  close(): Promise<void>
}

type Keys = Parameters<Counters['read']>[0]

const defaultDeadlineMs = 50

/**
 * Wraps shared counters.
 * Errors: `store_unavailable` when a usage limit cannot be decided.
 */
export function createResilientCounters(
  shared: Counters,
  options: ResilientCountersOptions,
): ResilientCounters {
  const {
    report,
    deadlineMs = defaultDeadlineMs,
    failsClosed = false,
    keep = async () => undefined,
  } = options
  const pending = createPendingCharges()
  const fallback = createFallbackCounters(pending)
  /** Attempts with a reservation in the shared counters. */
  const holding = createRecentIds()
  const waitFor = createWaitForAnswer(() => silence)
  const handOver = createHandOver({ shared, waitFor, isFailure, report, pending, fallback })
  const { since, ask, fail, recover, close } = createOutage({ shared, waitFor, handOver, report, deadlineMs })

  /**
   * Releases a reservation whose caller has stopped waiting, which would otherwise block its amount until its lease
   * ends.
   */
  async function giveBack(id: string, nowMs: number): Promise<void> {
    const answer = await ask(() => shared.settle(id, [], nowMs))
    if (answer === undefined) handOver.settleLater(id, [], { nowMs, heldSince: Date.now() })
  }

  function checkBudgets(keys: Keys): void {
    if (keys.every(({ window }) => window !== null)) return
    const failingSince = since()
    const isRecent = failingSince === null || Date.now() - failingSince <= budgetsGoOnMs
    if (isRecent && fallback.knows(keys)) return
    throw new GatewayError('store_unavailable', 'The usage limit counters are unavailable.')
  }

  return {
    async reserve(id, reservations, lease) {
      const { leaseMs, nowMs } = lease
      const holds = reservations.some(({ takes }) => takes === 'hold')
      let wasAsked = false
      const result = await ask(
        () => {
          wasAsked = true
          return shared.reserve(id, reservations, lease)
        },
        ({ isAdmitted }) => {
          if (!isAdmitted) return
          handOver.carriedOut(id)
          if (holds) giveBack(id, nowMs).catch(report)
        },
      )
      if (result !== undefined) {
        fallback.learn(reservations, result.readings, Date.now())
        if (result.isAdmitted && holds) holding.add(id, leaseMs)
        return result
      }
      if (failsClosed) throw unavailable()
      if (isChargedOnce(id, reservations)) throw unavailable()
      checkBudgets(reservations)
      if (!wasAsked) return fallback.reserve(id, reservations, lease)
      const alone = await fallback.reserveUncharged(id, reservations, lease)
      if (alone.isAdmitted) handOver.askLater(id, reservations, nowMs)
      return alone
    },
    async settle(id, used, nowMs) {
      const heldSince = holding.take(id)
      const isOwn = await fallback.settle(id, used, { nowMs, isHeldElsewhere: heldSince !== undefined })
      if (!isOwn || heldSince !== undefined) {
        const answer = await ask(() => shared.settle(id, used, nowMs))
        if (answer !== undefined) {
          fallback.learn(used, answer, Date.now())
          return answer
        }
      }
      if (heldSince !== undefined) handOver.settleLater(id, used, { nowMs, heldSince })
      // Reserved during the outage, and settled after it.
      else if (isOwn && since() === null) await handOver.charges().catch(fail)
      return fallback.read(used, nowMs)
    },
    async read(keys, nowMs) {
      const readings = await ask(() => shared.read(keys, nowMs))
      if (readings !== undefined) {
        fallback.learn(keys, readings, Date.now())
        return readings
      }
      checkBudgets(keys)
      return fallback.read(keys, nowMs)
    },
    async reset(keys) {
      await shared.reset(keys)
      pending.forget(keys)
      fallback.forget(keys)
    },
    seed: (budgets) => shared.seed(budgets),
    list: (prefix, after, limit) => shared.list(prefix, after, limit),
    listWindows: (cursor, limit, nowMs) => shared.listWindows(cursor, limit, nowMs),
    seedWindows: (windows) => shared.seedWindows(windows),
    isUnshared: () => since() !== null,
    async flush() {
      if (since() !== null) await recover()
      if (since() !== null) throw unavailable()
    },
    async close() {
      close()
      if (since() !== null) await recover()
      if (since() !== null) await keep(handOver.owed())
    },
  }
}

const unavailable = () => new GatewayError('store_unavailable', 'The limit counters are unavailable.')
