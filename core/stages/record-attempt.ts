/** Records the result of one attempt at a target, for headers, logs and metrics. */
import { hasLost } from '../flow/cancellation.ts'
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { reportAttempt } from '../observability/attempts.ts'

export async function recordAttempt(exchange: Exchange, next: Next): Promise<void> {
  const startedAt = performance.now()
  await next(exchange)
  // A hedged call that lost shows nothing about its target.
  if (exchange.ledger.hedges === 0 || !hasLost(exchange)) reportAttempt(exchange, startedAt)
}
