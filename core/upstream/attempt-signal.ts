/** One signal for one upstream try: it fires when the caller is gone, or when the try took too long to begin. */
import { GatewayError } from '../contract/index.ts'

export interface AttemptSignal {
  signal: AbortSignal
  /** Why it fired before {@link clear}, if it was for its time; null otherwise. */
  reason(): GatewayError | null
  /** Stops the clock: the answer has begun. The signal still follows the caller. */
  clear(): void
}

/** @param timeoutMs null for no limit of its own: then the caller's signal itself serves */
export function createAttemptSignal(caller: AbortSignal, timeoutMs: number | null): AttemptSignal {
  if (timeoutMs === null) return { signal: caller, reason: () => null, clear: () => undefined }
  const clock = new AbortController()
  let expired: GatewayError | null = null
  const timer = setTimeout(() => {
    expired = new GatewayError(
      'request_timeout',
      `The provider did not begin to answer within ${timeoutMs} ms.`,
    )
    clock.abort(expired)
  }, timeoutMs)
  return {
    signal: AbortSignal.any([caller, clock.signal]),
    reason: () => expired,
    clear: () => clearTimeout(timer),
  }
}
