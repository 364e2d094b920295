/** Records the result of one attempt at a target, for headers, logs and metrics. */
import { type Answer, andThen, hasLost, type MaybePromise, type Next, type Targeted } from '@gateway/flow'
import { reportAttempt } from '../observability/index.ts'

export function recordAttempt(exchange: Targeted, next: Next<Targeted>): MaybePromise<Answer> {
  const startedAt = performance.now()
  return andThen(next(exchange), (answer) => {
    // A hedged call that lost shows nothing about its target.
    if (exchange.request.ledger.hedges === 0 || !hasLost(exchange)) reportAttempt(exchange, answer, startedAt)
    return answer
  })
}
