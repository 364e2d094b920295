/**
 * The answer as the caller gets it: `hook_results` beside the body or the error, 246 when a guardrail failed and did
 * not deny, and the gateway's own headers: which provider, credential and target answered, after which tries, cached or not.
 */

import type { Answer } from '../flow/answer.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { withResults } from '../guardrails/run-hooks.ts'
import { copyHeaders, ownNames } from '../headers/forwarding.ts'
import { attemptsHeader } from '../observability/attempts.ts'

export async function report(exchange: Exchange, next: Next): Promise<void> {
  await next(exchange)
  const answer = required(exchange.answer, 'answer')
  const isChecked = answer.beforeResults.length + answer.afterResults.length > 0
  exchange.answer = withHeaders(exchange, isChecked ? withResults(answer) : answer)
  if (answer.fault?.code === 'guardrail_denied') {
    exchange.runtime.metrics.denials.inc({ phase: answer.afterResults.length > 0 ? 'after' : 'before' })
  }
}

function withHeaders(exchange: Exchange, answer: Answer): Answer {
  if (answer.index === null) return answer
  const names = ownNames(exchange.own.prefix)
  const headers = copyHeaders(answer.headers)
  headers[names.optionIndex] = answer.index
  headers[names.retryCount] = String(answer.retries)
  headers[names.cacheStatus] = answer.cacheStatus
  const missing = (exchange.ledger.prompt ?? exchange.prompt)?.missing ?? null
  if (missing !== null) headers[names.missingVariables] = missing
  if (answer.provider !== null) headers[names.provider] = answer.provider
  if (answer.virtualKey !== null) headers[names.virtualKey] = answer.virtualKey
  const attempts = attemptsHeader(exchange.ledger.attemptReports)
  if (attempts !== null) headers[names.attempts] = attempts
  if (exchange.ledger.hedges > 0) headers[names.hedgeCount] = String(exchange.ledger.hedges)
  return { ...answer, headers }
}
