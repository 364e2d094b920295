/**
 * Runs before each attempt at a target with known limits: a target without room for the request is not called. Calls
 * are counted until an answer reports the remaining capacity. Errors: 429 `capacity_exhausted`, with the seconds until
 * the target has room.
 */
import {
  type Answer,
  elapsedMs,
  type MaybePromise,
  type Next,
  nodePath,
  type Ports,
  recordDecision,
  type Targeted,
  targetFault,
} from '@gateway/flow'
import { capacityOf, needOf, noRoom } from '@gateway/routing'

export function capacity(
  exchange: Targeted,
  next: Next<Targeted>,
  ports: Ports<'capacity' | 'estimateUsage'>,
): MaybePromise<Answer> {
  const { node, target } = exchange
  const { body } = exchange.input
  const { ledger } = exchange.request
  const known = capacityOf(ports, target, body.model)
  if (known === null) return next(exchange)
  const need = needOf(ports, exchange, body)
  const nowMs = Date.now()
  const until = known.fullUntil(need, nowMs, ledger.hold)
  if (until !== null) {
    recordDecision(exchange, {
      step: 'capacity',
      path: nodePath(exchange),
      at_ms: elapsedMs(exchange),
      left_out: node.path,
      because: 'full',
      opens_in_ms: until - nowMs,
    })
    return targetFault(exchange, noRoom(until, nowMs), { isUnanswered: true })
  }
  const { last, isHedge } = exchange.attempt
  exchange.attempt = { last, sent: known.send(need, nowMs), isHedge }
  // The call is counted now, so the room kept for it is released.
  ledger.hold?.release()
  ledger.hold = null
  return next(exchange)
}
