/**
 * Counters that several processes share, with something to go on with while their store fails (management contract,
 * section 16): rate limits count on in this process, usage limits go by what was last known of them for 60 s, then
 * `store_unavailable`. A store fails when it cannot be reached or gives no answer at all for 5 s; one that is slow is
 * waited for. While it fails, a timer asks once a second whether it is back, also in an idle process. When it is back,
 * settlements that wait are delivered, and budgets are raised to what is known here, never added to.
 */
import { type Counters, GatewayError, isGatewayError } from '@gateway/contract'
import { createSilenceWatch } from '../../domain/index.ts'
import { createFallbackCounters } from './fallback-counters.ts'
import { createRecentIds } from './recent-ids.ts'
import { createWaitingSettlements, deliver } from './waiting-settlements.ts'

export interface ResilientCountersOptions {
  /** Hears when the store fails, every ten seconds at the most. */
  report(error: unknown): void
  /** How long a request waits for a store that is known to be failing, each time the store is asked whether it is back. */
  deadlineMs?: number | undefined
  /** Whether a request that is limited is refused while the store fails, instead of going by what is known here. */
  failsClosed?: boolean | undefined
}

export interface ResilientCounters extends Counters {
  /** Whether limits are counted in this process alone. */
  isUnshared(): boolean
  /** Delivers what waits, if the store answers; then nothing is tried in the background any more. */
  flush(): Promise<void>
}

type Keys = Parameters<Counters['read']>[0]
type Used = Parameters<Counters['settle']>[1]

const defaultDeadlineMs = 50
const firstTryAgainMs = 100
const tryAgainMs = 1000
const reportAgainMs = 10_000
const budgetsGoOnMs = 60_000
/** At once, when the store is back. */
const batchSize = 100

const silence = new GatewayError('dependency_unavailable', 'The counters gave no answer for 5 s.')

/** Wraps shared counters. Errors: `store_unavailable` where a usage limit cannot be decided. */
export function createResilientCounters(
  shared: Counters,
  options: ResilientCountersOptions,
): ResilientCounters {
  const { report, deadlineMs = defaultDeadlineMs, failsClosed = false } = options
  const fallback = createFallbackCounters()
  /** Attempts that hold something of the shared counters. */
  const holding = createRecentIds()
  const waiting = createWaitingSettlements()
  /** Rejects each question that is open. */
  const open = new Set<(error: GatewayError) => void>()
  const watch = createSilenceWatch(() => {
    for (const reject of open) reject(silence)
    open.clear()
  })
  let failingSince: number | null = null
  let recovering: { done: Promise<void>; begunAt: number } | null = null
  /** Tries to return to the store that failed, one after another. */
  let failedTries = 0
  let timer: NodeJS.Timeout | undefined
  let reportedAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  /**
   * The answer of the store, however long it takes, unless the store fails.
   * @param tooLate takes an answer that comes when nobody waits for it any more
   */
  async function waitFor<T>(question: () => T | Promise<T>, tooLate?: (answer: T) => void): Promise<T> {
    const answered = watch.asked()
    let abandon: (error: GatewayError) => void = () => undefined
    const abandoned = new Promise<never>((_, reject) => {
      abandon = reject
      open.add(reject)
    })
    const answer = Promise.resolve().then(question)
    try {
      return await Promise.race([answer, abandoned])
    } catch (error) {
      // A rejection has been seen already, or comes from a store that is known to be failing.
      if (tooLate !== undefined) answer.then(tooLate, () => undefined)
      throw error
    } finally {
      open.delete(abandon)
      answered()
    }
  }

  /** The answer of the store; undefined when it fails. One whose connection failed and is back at once is asked again. */
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

  /** Waits for the try that is under way, as long as the deadline allows. */
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

  /** One try to return to the store, and further ones later; never rejects. */
  function recover(): Promise<void> {
    clearTimeout(timer)
    recovering ??= { done: tryToRecover(), begunAt: Date.now() }
    return recovering.done
  }

  async function tryToRecover(): Promise<void> {
    try {
      await waitFor(() => shared.read([{ key: 'probe', window: null }], Date.now()))
      await handOver()
      failingSince = null
      failedTries = 0
    } catch (error) {
      // A fault that is not an absence would come again and again: it is reported, and what caused it is given up.
      if (!isFailure(error)) {
        waiting.clear()
        report(error)
      }
      const waitMs = Math.min(firstTryAgainMs * 2 ** failedTries, tryAgainMs)
      failedTries += 1
      if (!isClosed) timer = setTimeout(() => void recover(), waitMs).unref()
    } finally {
      recovering = null
    }
  }

  /** Settles first: budgets are then raised to values that hold these settlements already. */
  async function handOver(): Promise<void> {
    for (let batch = waiting.first(batchSize); batch.length > 0; batch = waiting.first(batchSize)) {
      await Promise.all(
        batch.map(async (settlement) => {
          await waitFor(() => deliver(shared, settlement))
          waiting.delete(settlement)
        }),
      )
    }
    const charged = fallback.charged()
    for (let at = 0; at < charged.length; at += batchSize)
      await waitFor(() => shared.seed(charged.slice(at, at + batchSize)))
    fallback.handedOver(charged, Date.now())
    await restoreLost()
  }

  /** A server that came back empty gets what was known shortly before; what was reset meanwhile is there, and stays. */
  async function restoreLost(): Promise<void> {
    const recent = fallback.knownSince((failingSince ?? Date.now()) - budgetsGoOnMs)
    for (let at = 0; at < recent.length; at += batchSize) {
      const lost = await Promise.all(
        recent.slice(at, at + batchSize).map(async (budget) => {
          const [found] = await waitFor(() => shared.list(budget.key, null, 1))
          return found?.key === budget.key ? [] : [budget]
        }),
      )
      if (lost.flat().length > 0) await waitFor(() => shared.seed(lost.flat()))
    }
  }

  function settleLater(id: string, used: Used, nowMs: number, heldSince: number): void {
    waiting.add({ id, used, nowMs, heldSince, queuedAt: Date.now() })
  }

  /** Of a reservation that nobody waits for any more: it would be missing until the end of its lease. */
  async function giveBack(id: string, nowMs: number): Promise<void> {
    const answer = await ask(() => shared.settle(id, [], nowMs))
    if (answer === undefined) settleLater(id, [], nowMs, Date.now())
  }

  function checkBudgets(keys: Keys): void {
    if (keys.every(({ window }) => window !== null)) return
    const isRecent = failingSince === null || Date.now() - failingSince <= budgetsGoOnMs
    if (isRecent && fallback.knows(keys)) return
    throw new GatewayError('store_unavailable', 'The counters of usage limits cannot be reached.')
  }

  return {
    async reserve(id, reservations, leaseMs, nowMs) {
      const holds = reservations.some(({ takes }) => takes === 'hold')
      const result = await ask(
        () => shared.reserve(id, reservations, leaseMs, nowMs),
        ({ isAdmitted }) => {
          if (holds && isAdmitted) giveBack(id, nowMs).catch(report)
        },
      )
      if (result !== undefined) {
        fallback.learn(reservations, result.readings, Date.now())
        if (result.isAdmitted && holds) holding.add(id, leaseMs)
        return result
      }
      if (failsClosed)
        throw new GatewayError('store_unavailable', 'The counters of limits cannot be reached.')
      checkBudgets(reservations)
      return fallback.reserve(id, reservations, leaseMs, nowMs)
    },
    async settle(id, used, nowMs) {
      const own = await fallback.settle(id, used, nowMs)
      const heldSince = holding.take(id)
      if (own === undefined || heldSince !== undefined) {
        const answer = await ask(() => shared.settle(id, used, nowMs))
        if (answer !== undefined) {
          fallback.learn(used, answer, Date.now())
          return answer
        }
      }
      if (heldSince !== undefined) {
        settleLater(id, used, nowMs, heldSince)
        for (const { key, window, amount } of used)
          if (window === null && own?.has(key) !== true) fallback.charge(key, amount)
      }
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
      fallback.forget(keys)
    },
    seed: (budgets) => shared.seed(budgets),
    list: (prefix, after, limit) => shared.list(prefix, after, limit),
    listWindows: (cursor, limit, nowMs) => shared.listWindows(cursor, limit, nowMs),
    seedWindows: (windows) => shared.seedWindows(windows),
    isUnshared: () => failingSince !== null,
    async flush() {
      isClosed = true
      clearTimeout(timer)
      if (failingSince !== null) await recover()
    },
  }
}

function isFailure(error: unknown): boolean {
  return (
    isGatewayError(error) && (error.code === 'dependency_unavailable' || error.code === 'store_unavailable')
  )
}
