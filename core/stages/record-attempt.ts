/** Records the result of one attempt at a target, for headers, logs and metrics. */
import { after, type Ending, type Exchange, hasLost, type Next } from '../flow/index.ts'
import { reportAttempt } from '../observability/index.ts'

export function recordAttempt(exchange: Exchange, next: Next): Ending {
  const startedAt = performance.now()
  return after(next(exchange), () => {
    // A hedged call that lost shows nothing about its target.
    if (exchange.ledger.hedges === 0 || !hasLost(exchange)) reportAttempt(exchange, startedAt)
  })
}
