/** Takes over what a target's answer says about the limits of its provider. */
import type { Answer, Ports, Targeted } from '../../flow/index.ts'
import { subjectOf } from '../breaker/breaker-subject.ts'
import { targetKey } from '../breaker-key.ts'
import { needOf } from './room.ts'

/** For an answer of the target itself. */
export function learnLimits(
  ports: Ports<'capacity' | 'estimateUsage'>,
  exchange: Targeted,
  answer: Answer,
): void {
  const { body, sent, target } = exchange
  const { status, headers } = answer
  if (typeof body.model !== 'string') return
  ports.capacity.learn(
    targetKey(target, body.model),
    { status, headers, need: needOf(ports, exchange, body), mark: sent, nowMs: Date.now() },
    subjectOf(exchange, target),
  )
}
