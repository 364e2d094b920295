/**
 * `after_request_hooks` and `output_guardrails` on every attempt, at the leaf, before any of its answer is sent. A
 * denial becomes the attempt's answer (446), on which retries and fallbacks can act.
 */

import {
  type Answer,
  andThen,
  andThenOr,
  type Ending,
  type Exchange,
  type Next,
  required,
} from '../flow/index.ts'
import { checkAnswer, recordGuardrails } from '../guardrails/index.ts'
import { failedAnswer } from '../upstream/index.ts'

export function guardrailsOut(exchange: Exchange, next: Next): Ending {
  return andThen(next(exchange), () => check(exchange))
}

function check(exchange: Exchange): Ending {
  const set = (answer: Answer): undefined => {
    exchange.answer = answer
    recordGuardrails(exchange, 'after', answer.afterResults)
  }
  return andThenOr(
    () => checkAnswer(exchange, required(exchange.answer, 'answer')),
    set,
    // A stream that broke off while it was held back, before any of it was sent.
    (error): undefined => {
      exchange.answer = failedAnswer(exchange, error)
    },
  )
}
