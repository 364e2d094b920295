/** What ends one upstream try: it fires when the caller is gone, or when the try took too long. */

import { GatewayError } from '@gateway/contract'
import { type Cancellation, cancellationOf } from '../flow/cancellation.ts'

export interface AttemptSignal {
  cancellation: Cancellation
  /** Why it fired before {@link clear}, if it was for its time; null otherwise. */
  reason(): GatewayError | null
  /** Stops the clock: a whole answer is there, or the first event of a stream. The signal still follows the caller. */
  clear(): void
}

const never = () => null
const nothing = () => undefined

/** @param timeoutMs null for no limit of its own: then the caller's cancellation itself serves */
export function createAttemptSignal(caller: Cancellation, timeoutMs: number | null): AttemptSignal {
  if (timeoutMs === null) return { cancellation: caller, reason: never, clear: nothing }
  const clock = new AbortController()
  let expired: GatewayError | null = null
  const timer = setTimeout(() => {
    expired = new GatewayError('request_timeout', `The provider took longer than ${timeoutMs} ms to answer.`)
    clock.abort(expired)
  }, timeoutMs)
  return {
    cancellation: cancellationOf(AbortSignal.any([caller.signal, clock.signal])),
    reason: () => expired,
    clear: () => clearTimeout(timer),
  }
}
