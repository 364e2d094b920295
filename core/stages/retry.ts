/**
 * Runs the rest of the list at a leaf, and again while `retry` allows it: on listed codes, and always on connection
 * errors. With `use_retry_after_headers` it waits as long as the provider requests, and gives up if that is longer than
 * a minute; otherwise with exponential backoff from 500 ms, factor 2, full jitter, at most 10 s per wait.
 */
import {
  type Answer,
  elapsedMs,
  type Next,
  nodePath,
  type Ports,
  type Retry,
  recordDecision,
  sleep,
  statusOf,
  type Targeted,
  type WithSetting,
} from '@gateway/flow'
import { isSkipped, retryAfterMs } from '@gateway/routing'
import { becauseOf } from '../observability/index.ts'

const firstWaitMs = 500
const longestWaitMs = 10_000
/** If a provider requests a longer wait, the request is not retried. */
const longestProviderWaitMs = 60_000

export async function retry(
  exchange: Targeted,
  next: Next<Targeted>,
  { setting: settings, ports }: WithSetting<Retry, Ports<'metrics'>>,
): Promise<Answer> {
  let retries = 0
  let last: Answer | null = null
  for (;;) {
    const answer = await next(exchange)
    // Earlier attempts opened the circuit or used up the limit: no new call was made, so the target's last answer stays.
    if (last !== null && isSkipped(answer)) return last
    if (retries > 0) ports.metrics.retries.inc({ provider: answer.provider ?? 'none' })
    last = { ...answer, retries }
    if (retries >= settings.attempts || !isRetryable(answer, settings)) return last
    const waitMs = waitBefore(retries + 1, answer, settings)
    if (waitMs === null || exchange.leaving.aborted) return last
    retries += 1
    recordDecision(exchange, {
      step: 'retry',
      path: nodePath(exchange),
      at_ms: elapsedMs(exchange),
      attempt: retries,
      wait_ms: Math.round(waitMs),
      because: becauseOf(answer),
    })
    const waitsSince = performance.now()
    await sleep(waitMs, exchange.leaving.signal)
    exchange.request.ledger.waitedMs += performance.now() - waitsSince
  }
}

function isRetryable(answer: Answer, retry: Retry): boolean {
  if (answer.isConnectionFault) return true
  // The gateway would refuse again; only a guardrail's denial and a timeout may end differently.
  const code = answer.fault?.code
  const isFinal = code !== undefined && code !== 'guardrail_denied' && code !== 'request_timeout'
  return !isFinal && retry.onStatusCodes.includes(statusOf(answer))
}

/** Milliseconds to wait before retry number `count` (from 1); null when the provider requests too long a wait. */
function waitBefore(count: number, answer: Answer, retry: Retry): number | null {
  const asked = retry.useRetryAfterHeaders ? retryAfterMs(answer.headers, Date.now()) : null
  if (asked !== null) return asked > longestProviderWaitMs ? null : asked
  return Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (count - 1))
}
