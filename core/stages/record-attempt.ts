/** What one attempt at a target came to, for headers, logs and metrics. */
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { reportAttempt } from '../observability/attempts.ts'

export async function recordAttempt(exchange: Exchange, next: Next): Promise<void> {
  const startedAt = performance.now()
  await next(exchange)
  reportAttempt(exchange, startedAt)
}
