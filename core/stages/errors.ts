/** Whatever a later stage throws becomes an answer; a fault of ours is logged with its trace id and named 500. */

import { GatewayError, isGatewayError } from '@gateway/contract'
import { faultAnswer } from '../flow/answer.ts'
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { withResults } from '../guardrails/run-hooks.ts'
import { explained } from '../observability/explain.ts'
import { redactError } from '../observability/redact-error.ts'

export async function errors(exchange: Exchange, next: Next): Promise<void> {
  try {
    await next(exchange)
  } catch (error) {
    const fault = toGatewayError(error, exchange)
    const answer = faultAnswer(fault, { beforeResults: exchange.beforeResults })
    const checked = withResults(answer)
    exchange.answer = exchange.ledger.isExplained ? explained(exchange, checked) : checked
  }
}

function toGatewayError(error: unknown, exchange: Exchange): GatewayError {
  if (isGatewayError(error)) return error
  const err = redactError(exchange, error)
  exchange.runtime.log.error({ trace_id: exchange.traceId, err }, 'internal error')
  return new GatewayError('internal_error', 'The gateway failed; the trace id leads to the cause.', {
    cause: error,
  })
}
