/** Updates the known limits of a provider from a target's answer. */
import type { Answer, Ports, Targeted } from '@gateway/flow'
import { subjectOf } from '../breaker/breaker-subject.ts'
import { targetKey } from '../breaker-key.ts'
import { needOf } from './room.ts'

/** Only for answers of the target itself. */
export function learnLimits(
  ports: Ports<'capacity' | 'estimateUsage'>,
  exchange: Targeted,
  answer: Answer,
): void {
  const { target } = exchange
  const { body } = exchange.input
  const { sent } = exchange.attempt
  const { status, headers } = answer
  if (typeof body.model !== 'string') return
  ports.capacity.learn(
    targetKey(target, body.model),
    { status, headers, need: needOf(ports, exchange, body), mark: sent, nowMs: Date.now() },
    subjectOf(exchange, target),
  )
}
