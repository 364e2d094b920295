/**
 * Whether the shared counters answer, and the way back to them. They fail when they cannot be reached or give no answer at
 * all for 5 s. While they fail, a timer tries once a second to reach them, also in an idle process; once they answer, the
 * usage counted meanwhile is delivered, and then requests use them again.
 */
import { type Counters, GatewayError, isGatewayError } from '@gateway/contract'
import type { WaitForAnswer } from '@gateway/domain'
import type { HandOver } from './hand-over.ts'

export interface OutageOptions {
  shared: Pick<Counters, 'read'>
  waitFor: WaitForAnswer
  handOver: Pick<HandOver, 'all'>
  /** Called when the counters fail, at most every ten seconds. */
  report(error: unknown): void
  /** How long a request waits for failing counters during a probe. */
  deadlineMs: number
}

export interface Outage {
  /** When the counters began to fail; null while they answer. */
  since(): number | null
  /**
   * The answer of the counters; undefined when they fail. If only the connection failed and is back at once, the operation
   * is retried.
   */
  ask<T>(question: () => T | Promise<T>, tooLate?: (answer: T) => void): Promise<T | undefined>
  /** Begins the outage. Throws an error that does not mean that the counters are unavailable. */
  fail(error: unknown): void
  /** Attempts to return to the counters, and schedules further attempts; never rejects. */
  recover(): Promise<void>
  /** Ends further attempts. */
  close(): void
}

const firstTryAgainMs = 100
const tryAgainMs = 1000
const reportAgainMs = 10_000
/** For how long usage limits go on with their last known values. */
export const budgetsGoOnMs = 60_000

export const silence = new GatewayError('dependency_unavailable', 'The counters did not answer for 5 s.')

/** Whether an error means that the counters are unavailable. */
export function isFailure(error: unknown): boolean {
  return (
    isGatewayError(error) && (error.code === 'dependency_unavailable' || error.code === 'store_unavailable')
  )
}

export function createOutage({ shared, waitFor, handOver, report, deadlineMs }: OutageOptions): Outage {
  let failingSince: number | null = null
  let recovering: { done: Promise<void>; begunAt: number } | null = null
  /** Attempts to return, one at a time. */
  let failedTries = 0
  let timer: NodeJS.Timeout | undefined
  let reportedAt = Number.NEGATIVE_INFINITY
  let isClosed = false

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

  return {
    since: () => failingSince,
    async ask(question, tooLate) {
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
    },
    fail,
    recover,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
