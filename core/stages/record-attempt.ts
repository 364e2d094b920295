/** Records the result of one attempt at a target, for headers, logs and metrics. */
import { type Exchange, hasLost, type Next } from '../flow/index.ts'
import { reportAttempt } from '../observability/index.ts'

export async function recordAttempt(exchange: Exchange, next: Next): Promise<void> {
  const startedAt = performance.now()
  await next(exchange)
  // A hedged call that lost shows nothing about its target.
  if (exchange.ledger.hedges === 0 || !hasLost(exchange)) reportAttempt(exchange, startedAt)
}
