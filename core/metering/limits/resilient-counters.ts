/**
 * Shared counters with a fallback while their store fails (management contract, section 16): rate limits are counted in
 * this process, usage limits use their last known values for 60 s, then `store_unavailable`. A store fails when it
 * cannot be reached or gives no answer at all for 5 s; requests wait for a store that is slow. While it fails, a timer
 * tries once a second to reach it, also in an idle process. When it is back, pending settlements are delivered, and the
 * usage of budgets counted here is charged once, so that the local counts of several processes add up. Budgets that the
 * store has lost are raised to their last known value, never added to.
 */
import { type Counters, GatewayError, isGatewayError } from '@gateway/contract'
import { createWaitForAnswer, isChargedOnce } from '../../domain/index.ts'
import { createFallbackCounters } from './fallback-counters.ts'
import { createHandOver, type OwedUsage } from './hand-over.ts'
import { createPendingCharges } from './pending-charges.ts'
import { createRecentIds } from './recent-ids.ts'

export interface ResilientCountersOptions {
  /** Called when the store fails, at most every ten seconds. */
  report(error: unknown): void
  /** How long a request waits for a failing store during a probe. */
  deadlineMs?: number | undefined
  /** Stores usage that this process could not deliver before it stops, so that another process delivers it. */
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
const firstTryAgainMs = 100
const tryAgainMs = 1000
const reportAgainMs = 10_000
const budgetsGoOnMs = 60_000

const silence = new GatewayError('dependency_unavailable', 'The counters did not answer for 5 s.')

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
  let failingSince: number | null = null
  let recovering: { done: Promise<void>; begunAt: number } | null = null
  /** Attempts to return to the failed store, one at a time. */
  let failedTries = 0
  let timer: NodeJS.Timeout | undefined
  let reportedAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  /**
   * The answer of the store; undefined when it fails. If only the connection failed and is back at once, the operation
   * is retried.
   */
  async function ask<T>(
    question: () => T | Promise<T>,
    tooLate?: (answer: T) => void,
  ): Promise<T | undefined> {
    for (let tries = 1; tries <= 2; tries += 1) {
      if (failingSince !== null && !(await isBack())) return undefined
      try {
        return await waitFor(question, tooLate)
      } catch (error) {
        fail(error)
        if (error === silence) return undefined
      }
    }
    return undefined
  }

  function fail(error: unknown): void {
    if (!isFailure(error)) throw error
    const now = Date.now()
    if (now - reportedAt >= reportAgainMs) {
      reportedAt = now
      report(error)
    }
    if (failingSince !== null) return
    failingSince = now
    void recover()
  }

  /** Waits for the current attempt, up to the deadline. */
  async function isBack(): Promise<boolean> {
    if (recovering === null) return failingSince === null
    const leftMs = recovering.begunAt + deadlineMs - Date.now()
    if (leftMs > 0) {
      let late: NodeJS.Timeout | undefined
      const isLate = new Promise<void>((resolve) => {
        late = setTimeout(resolve, leftMs)
      })
      await Promise.race([recovering.done, isLate])
      clearTimeout(late)
    }
    return failingSince === null
  }

  /** Attempts to return to the store, and schedules further attempts; never rejects. */
  function recover(): Promise<void> {
    clearTimeout(timer)
    recovering ??= { done: tryToRecover(), begunAt: Date.now() }
    return recovering.done
  }

  async function tryToRecover(): Promise<void> {
    try {
      await waitFor(() => shared.read([{ key: 'probe', window: null }], Date.now()))
      await handOver.all((failingSince ?? Date.now()) - budgetsGoOnMs, () => {
        failingSince = null
      })
      failedTries = 0
    } catch (error) {
      if (!isFailure(error)) report(error)
      const waitMs = Math.min(firstTryAgainMs * 2 ** failedTries, tryAgainMs)
      failedTries += 1
      if (!isClosed) timer = setTimeout(() => void recover(), waitMs).unref()
    } finally {
      recovering = null
    }
  }

  /**
   * Releases a reservation whose caller has stopped waiting, which would otherwise block its amount until its lease
   * ends.
   */
  async function giveBack(id: string, nowMs: number): Promise<void> {
    const answer = await ask(() => shared.settle(id, [], nowMs))
    if (answer === undefined) handOver.settleLater(id, [], nowMs, Date.now())
  }

  function checkBudgets(keys: Keys): void {
    if (keys.every(({ window }) => window !== null)) return
    const isRecent = failingSince === null || Date.now() - failingSince <= budgetsGoOnMs
    if (isRecent && fallback.knows(keys)) return
    throw new GatewayError('store_unavailable', 'The usage limit counters are unavailable.')
  }

  return {
    async reserve(id, reservations, leaseMs, nowMs) {
      const holds = reservations.some(({ takes }) => takes === 'hold')
      let wasAsked = false
      const result = await ask(
        () => {
          wasAsked = true
          return shared.reserve(id, reservations, leaseMs, nowMs)
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
      if (!wasAsked) return fallback.reserve(id, reservations, leaseMs, nowMs)
      const alone = await fallback.reserveUncharged(id, reservations, leaseMs, nowMs)
      if (alone.isAdmitted) handOver.askLater(id, reservations, nowMs)
      return alone
    },
    async settle(id, used, nowMs) {
      const heldSince = holding.take(id)
      const isOwn = await fallback.settle(id, used, nowMs, heldSince !== undefined)
      if (!isOwn || heldSince !== undefined) {
        const answer = await ask(() => shared.settle(id, used, nowMs))
        if (answer !== undefined) {
          fallback.learn(used, answer, Date.now())
          return answer
        }
      }
      if (heldSince !== undefined) handOver.settleLater(id, used, nowMs, heldSince)
      // Reserved during the outage, and settled after it.
      else if (isOwn && failingSince === null) await handOver.charges().catch(fail)
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
    isUnshared: () => failingSince !== null,
    async flush() {
      if (failingSince !== null) await recover()
      if (failingSince !== null) throw unavailable()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      if (failingSince !== null) await recover()
      if (failingSince !== null) await keep(handOver.owed())
    },
  }
}

const unavailable = () => new GatewayError('store_unavailable', 'The limit counters are unavailable.')

function isFailure(error: unknown): boolean {
  return (
    isGatewayError(error) && (error.code === 'dependency_unavailable' || error.code === 'store_unavailable')
  )
}
