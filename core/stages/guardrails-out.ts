/**
 * `after_request_hooks` and `output_guardrails` on every attempt, at the leaf, before any of its answer is sent. A
 * denial becomes the attempt's answer (446), on which retries and fallbacks can act.
 */

import { type Exchange, type Next, required } from '../flow/index.ts'
import { checkAnswer, recordGuardrails } from '../guardrails/index.ts'
import { failedAnswer } from '../upstream/index.ts'

export async function guardrailsOut(exchange: Exchange, next: Next): Promise<void> {
  await next(exchange)
  try {
    exchange.answer = await checkAnswer(exchange, required(exchange.answer, 'answer'))
    recordGuardrails(exchange, 'after', exchange.answer.afterResults)
  } catch (error) {
    // A stream that broke off while it was held back, before any of it was sent.
    exchange.answer = failedAnswer(exchange, error)
  }
}
