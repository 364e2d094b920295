/**
 * Completes the answer for the caller: adds `hook_results` to the body or the error, sets 246 if a guardrail failed
 * without denying, and adds the decision trace if the caller asks for it. Counts denials and emits their events.
 * Errors: 403 `missing_scope` for a caller who may not see the decision trace.
 */

import {
  type Answer,
  andThen,
  type MaybePromise,
  type Next,
  type ReportPorts,
  type Routed,
} from '@gateway/flow'
import { insertBeforeLast } from '@gateway/streaming'
import { withResults } from '../guardrails/index.ts'
import { centsOf } from '../metering/index.ts'
import { checkExplain, decisionsOf, explained, noteDenial, recordEnd } from '../observability/index.ts'

export function report(exchange: Routed, next: Next<Routed>, ports: ReportPorts): MaybePromise<Answer> {
  if (exchange.options.explains) checkExplain(exchange)
  return andThen(next(exchange), (answer) => complete(ports, exchange, answer))
}

function complete(ports: ReportPorts, exchange: Routed, answer: Answer): Answer {
  const isChecked = answer.beforeResults.length + answer.afterResults.length > 0
  const checked = isChecked ? withResults(answer) : answer
  if (answer.fault?.code === 'guardrail_denied') {
    const { beforeResults, afterResults } = answer
    if (afterResults.length > 0) noteDenial(ports, exchange, { phase: 'after', results: afterResults })
    else noteDenial(ports, exchange, { phase: 'before', results: beforeResults })
  }
  return exchange.request.ledger.isExplained ? explainAnswer(exchange, checked) : checked
}

/** Adds the decision trace: to the body, or as a separate event before the last one of a stream. */
function explainAnswer(exchange: Routed, answer: Answer): Answer {
  const { stream, contentType, status } = answer
  if (stream === null || contentType !== null) return explained(exchange, answer, centsOf(exchange))
  const { format } = exchange.endpoint
  const made = () => {
    recordEnd(exchange, { status, path: answer.index, cents: centsOf(exchange) })
    return format.writeExtra(decisionsOf(exchange))
  }
  return { ...answer, stream: insertBeforeLast(stream, format, made) }
}
