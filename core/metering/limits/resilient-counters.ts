/**
 * Counters that several processes share, with something to go on with while they are out of reach (management
 * contract, section 16): rate limits count on in this process, usage limits go by what was last known of them for 60 s,
 * then `store_unavailable`. When they are back, what could not be settled is settled, and budgets are raised to
 * what is known here, never added to. After a few failures requests do not wait for them any more; they are tried
 * once a second behind the requests.
 */
import { type Counters, GatewayError, isGatewayError } from '@gateway/contract'
import { createFallbackCounters } from './fallback-counters.ts'
import { createRecentIds } from './recent-ids.ts'

export interface ResilientCountersOptions {
  /** Hears when they go out of reach, every ten seconds at the most. */
  report(error: unknown): void
  /** After which an answer is no longer waited for; for engines that have no short one themselves. */
  deadlineMs?: number | undefined
  /** Whether a request that is limited is refused while they are away, instead of going by what is known here. */
  failsClosed?: boolean | undefined
}

type Keys = Parameters<Counters['read']>[0]
type Used = Parameters<Counters['settle']>[1]

interface Waiting {
  used: Used
  nowMs: number
  queuedAt: number
}

/** Failures in a row after which requests do not wait for them. */
const mostFailures = 5
const tryAgainMs = 1000
const reportAgainMs = 10_000
const budgetsGoOnMs = 60_000
/** Settlements that wait; of further ones the leases end unsettled. */
const maxWaiting = 10_000
/** At once, when they are back. */
const batchSize = 100

/** Wraps shared counters. Errors: `store_unavailable` where a usage limit cannot be decided. */
export function createResilientCounters(shared: Counters, options: ResilientCountersOptions): Counters {
  const { report, deadlineMs, failsClosed = false } = options
  const fallback = createFallbackCounters()
  /** Attempts that hold something of the shared counters. */
  const holding = createRecentIds()
  const waiting = new Map<string, Waiting>()
  let failures = 0
  let failedAt = 0
  let awaySince: number | null = null
  let tryAt = 0
  let reportedAt = Number.NEGATIVE_INFINITY
  let isRecovering = false

  /** The answer of the shared counters, or undefined when there is none. */
  async function ask<T>(question: () => T | Promise<T>): Promise<T | undefined> {
    if (failures >= mostFailures) {
      if (Date.now() >= tryAt) recover()
      return undefined
    }
    const askedAt = Date.now()
    try {
      const answer = await inTime(question(), deadlineMs)
      failures = 0
      if (awaySince !== null) recover()
      return answer
    } catch (error) {
      failed(error, askedAt)
      return undefined
    }
  }

  function failed(error: unknown, askedAt: number): void {
    if (!isAway(error)) throw error
    const now = Date.now()
    // Several that were under way together are one failure.
    if (askedAt >= failedAt) failures += 1
    failedAt = now
    tryAt = now + tryAgainMs
    awaySince ??= now
    if (now - reportedAt < reportAgainMs) return
    reportedAt = now
    report(error)
  }

  /** In the background, one at a time. */
  function recover(): void {
    if (isRecovering) return
    isRecovering = true
    handOver()
      .then(() => {
        failures = 0
        awaySince = null
      })
      .catch((error: unknown) => {
        failures = Math.max(failures, mostFailures)
        tryAt = Date.now() + tryAgainMs
        // What is no absence would come again and again: it is told, and given up.
        if (!isAway(error)) {
          waiting.clear()
          report(error)
        }
      })
      .finally(() => {
        isRecovering = false
      })
  }

  /** Settles first: budgets are then raised to values that hold these settlements already. */
  async function handOver(): Promise<void> {
    await inTime(shared.read([{ key: 'probe', window: null }], Date.now()), deadlineMs)
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, batchSize)
      await Promise.all(
        batch.map(async ([id, { used, nowMs, queuedAt }]) => {
          await shared.settle(id, used, nowMs + Date.now() - queuedAt)
          waiting.delete(id)
        }),
      )
    }
    const charged = fallback.charged()
    for (let at = 0; at < charged.length; at += batchSize)
      await shared.seed(charged.slice(at, at + batchSize))
    fallback.handedOver(charged, Date.now())
    await restoreLost()
  }

  /** A server that came back empty gets what was known shortly before; what was reset meanwhile is there, and stays. */
  async function restoreLost(): Promise<void> {
    const recent = fallback.knownSince((awaySince ?? Date.now()) - budgetsGoOnMs)
    for (let at = 0; at < recent.length; at += batchSize) {
      const lost = await Promise.all(
        recent.slice(at, at + batchSize).map(async (budget) => {
          const [found] = await shared.list(budget.key, null, 1)
          return found?.key === budget.key ? [] : [budget]
        }),
      )
      if (lost.flat().length > 0) await shared.seed(lost.flat())
    }
  }

  /** @param own keys of which the attempt held something here, too */
  function settleLater(id: string, used: Used, nowMs: number, own: ReadonlySet<string> | undefined): void {
    if (waiting.size >= maxWaiting) return
    waiting.set(id, { used, nowMs, queuedAt: Date.now() })
    for (const { key, window, amount } of used) {
      if (window === null && own?.has(key) !== true) fallback.charge(key, amount)
    }
  }

  function checkBudgets(keys: Keys): void {
    if (keys.every(({ window }) => window !== null)) return
    const isRecent = awaySince === null || Date.now() - awaySince <= budgetsGoOnMs
    if (isRecent && fallback.knows(keys)) return
    throw new GatewayError('store_unavailable', 'The counters of usage limits cannot be reached.')
  }

  return {
    async reserve(id, reservations, leaseMs, nowMs) {
      const result = await ask(() => shared.reserve(id, reservations, leaseMs, nowMs))
      if (result !== undefined) {
        fallback.learn(reservations, result.readings, Date.now())
        if (result.isAdmitted && reservations.some(({ takes }) => takes === 'hold')) holding.add(id, leaseMs)
        return result
      }
      if (failsClosed)
        throw new GatewayError('store_unavailable', 'The counters of limits cannot be reached.')
      checkBudgets(reservations)
      return fallback.reserve(id, reservations, leaseMs, nowMs)
    },
    async settle(id, used, nowMs) {
      const own = await fallback.settle(id, used, nowMs)
      const isHolding = holding.take(id)
      if (own === undefined || isHolding) {
        const answer = await ask(() => shared.settle(id, used, nowMs))
        if (answer !== undefined) {
          fallback.learn(used, answer, Date.now())
          return answer
        }
      }
      if (isHolding) settleLater(id, used, nowMs, own)
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
  }
}

function isAway(error: unknown): boolean {
  return (
    isGatewayError(error) && (error.code === 'dependency_unavailable' || error.code === 'store_unavailable')
  )
}

async function inTime<T>(answer: T | Promise<T>, deadlineMs: number | undefined): Promise<T> {
  if (deadlineMs === undefined) return answer
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const isLate = () =>
      reject(new GatewayError('dependency_unavailable', 'The counters did not answer in time.'))
    // If it was this process that was late, the answer has come, and is read before this runs.
    timer = setTimeout(() => setImmediate(isLate), deadlineMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
