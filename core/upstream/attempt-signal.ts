/**
 * The signal that ends one upstream attempt: it fires when the caller disconnects, or when a timeout expires. Timeouts
 * of an attempt: for the whole answer or the first event of a stream (`request_timeout`), for the first content of a
 * stream, for the silence between its events, and for the whole stream.
 */

import { GatewayError } from '@gateway/contract'
import { type AnswerStream, type Cancellation, Canceller } from '@gateway/flow'

/** Milliseconds from now; null for a timeout that is not set. */
export interface AttemptClocks {
  requestMs: number | null
  firstTokenMs: number | null
  /** The remaining time of the request. */
  totalMs: number | null
  /** The configured timeout, for the message. */
  totalLimitMs: number | null
}

export interface AttemptSignal {
  cancellation: Cancellation
  /** The timeout that fired the signal; null otherwise. */
  reason(): GatewayError | null
  /** Stops the timer of `request_timeout`: the whole answer, or the first event of a stream, has arrived. */
  began(): void
  /** Stops every timer that ends with the headers of the answer. The signal still follows the caller. */
  answered(): void
  /** Ends the attempt. */
  expire(reason: GatewayError): void
  /**
   * The stream of the answer, which fails with the reason that ended the attempt; the total timeout keeps running to
   * its end.
   */
  over(stream: AnswerStream): AnswerStream
  /** Stops every timer. */
  clear(): void
}

const nothing = () => undefined

/** @param caller the caller's signal, which also ends the attempt */
export function createAttemptSignal(caller: Cancellation, clocks: AttemptClocks): AttemptSignal {
  const { requestMs, firstTokenMs, totalMs, totalLimitMs } = clocks
  const canceller = new Canceller()
  let expired: GatewayError | null = null
  const leave = () => canceller.abort(caller.reason)
  const expire = (reason: GatewayError) => {
    if (canceller.aborted) return
    expired = reason
    canceller.abort(reason)
  }
  const start = (waitMs: number | null, reason: () => GatewayError) =>
    waitMs === null ? undefined : setTimeout(() => expire(reason()), Math.max(0, waitMs))
  if (caller.aborted) leave()
  caller.listen(leave)
  const request = start(
    requestMs,
    () => new GatewayError('request_timeout', `The provider took longer than ${requestMs} ms to answer.`),
  )
  const firstToken = start(
    firstTokenMs,
    () => new GatewayError('first_token_timeout', `The provider sent no content within ${firstTokenMs} ms.`),
  )
  const total = start(
    totalMs,
    () => new GatewayError('stream_total_timeout', `The stream took longer than ${totalLimitMs} ms.`),
  )
  const answered = () => {
    clearTimeout(request)
    clearTimeout(firstToken)
  }
  const clear = () => {
    answered()
    clearTimeout(total)
    caller.forget(leave)
  }
  return {
    cancellation: canceller,
    reason: () => expired,
    began: () => clearTimeout(request),
    answered,
    expire,
    over: (stream) => failingWith(stream, canceller, { reason: () => expired, clear }),
    clear,
  }
}

/** The stream, which ends immediately with the attempt, independent of its source. */
function failingWith(
  stream: AnswerStream,
  canceller: Canceller,
  { reason, clear }: { reason: () => GatewayError | null; clear: () => void },
): AnswerStream {
  let expire: (error: unknown) => void = nothing
  const listener = () => {
    const error = reason()
    if (error !== null) expire(error)
  }
  canceller.listen(listener)
  const close = () => {
    canceller.forget(listener)
    clear()
  }
  return {
    async next() {
      const ended = reason()
      if (ended !== null) throw ended
      try {
        const step = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
          expire = reject
          stream.next().then(resolve, reject)
        })
        if (step.done === true) close()
        return step
      } catch (error) {
        close()
        const cause = reason()
        if (cause === null) throw error
        // The end of the source no longer matters.
        void stream.return?.().catch(nothing)
        throw cause
      }
    },
    async return() {
      close()
      await stream.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/**
 * A stream that a provider generates itself: ends the attempt after too long a silence. Only time spent waiting for the
 * stream counts.
 */
export function watchIdleTime(stream: AnswerStream, idleMs: number, limit: AttemptSignal): AnswerStream {
  return {
    async next() {
      const timer = setTimeout(() => limit.expire(idleFault(idleMs)), idleMs)
      try {
        return await stream.next()
      } finally {
        clearTimeout(timer)
      }
    },
    return: async () => (await stream.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const idleFault = (idleMs: number) =>
  new GatewayError('stream_idle_timeout', `The provider sent nothing for ${idleMs} ms.`)
