/**
 * Completes the answer for the caller: adds `hook_results` to the body or the error, sets 246 if a guardrail failed
 * without denying, and adds the gateway's headers: provider, credential, target, attempts, cache status.
 */

import {
  type Answer,
  andThen,
  copyHeaders,
  type MaybePromise,
  type Next,
  ownNames,
  type ReportPorts,
  type Routed,
} from '@gateway/flow'
import { insertBeforeLast } from '@gateway/streaming'
import { withResults } from '../guardrails/index.ts'
import { centsOf } from '../metering/index.ts'
import {
  attemptsHeader,
  checkExplain,
  decisionsOf,
  explained,
  noteDenial,
  recordEnd,
} from '../observability/index.ts'

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
  return withHeaders(
    exchange,
    exchange.request.ledger.isExplained ? explainAnswer(exchange, checked) : checked,
  )
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

function withHeaders(exchange: Routed, answer: Answer): Answer {
  if (answer.index === null) return answer
  const names = ownNames(exchange.request.ownHeaders.prefix)
  const headers = copyHeaders(answer.headers)
  headers[names.optionIndex] = answer.index
  headers[names.retryCount] = String(answer.retries)
  headers[names.cacheStatus] = answer.cacheStatus
  if (answer.cacheSimilarity !== null) headers[names.cacheSimilarity] = answer.cacheSimilarity.toFixed(4)
  const missing = (exchange.request.ledger.prompt ?? exchange.input.prompt)?.missing ?? null
  if (missing !== null) headers[names.missingVariables] = missing
  if (answer.provider !== null) headers[names.provider] = answer.provider
  if (answer.virtualKey !== null) headers[names.virtualKey] = answer.virtualKey
  const attempts = attemptsHeader(exchange.request.ledger.attemptReports)
  if (attempts !== null) headers[names.attempts] = attempts
  if (exchange.request.ledger.hedges > 0) headers[names.hedgeCount] = String(exchange.request.ledger.hedges)
  return { ...answer, headers }
}
