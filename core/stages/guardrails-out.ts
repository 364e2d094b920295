/**
 * `after_request_hooks` and `output_guardrails` on every attempt, at the leaf. A whole answer is checked before it is
 * sent; a stream is held back only if a check may deny or change it. A denial before the first byte is the attempt's
 * answer (446), on which retries and fallbacks can act; a later one ends the stream with an error. Errors: 446
 * `guardrail_denied`; 502 `upstream_invalid_response` for an answer that is too large to be checked.
 */

import {
  type Answer,
  andThen,
  andThenOr,
  type CheckPorts,
  type MaybePromise,
  type Next,
  type Targeted,
  type WithSetting,
} from '@gateway/flow'
import { failedAnswer } from '@gateway/upstream'
import { checkAnswer, recordGuardrails } from '../guardrails/index.ts'

export function guardrailsOut(
  exchange: Targeted,
  next: Next<Targeted>,
  { ports }: WithSetting<unknown, CheckPorts>,
): MaybePromise<Answer> {
  return andThen(next(exchange), (answer) => check(ports, exchange, answer))
}

const check = (ports: CheckPorts, exchange: Targeted, answer: Answer): MaybePromise<Answer> =>
  andThenOr(
    () => checkAnswer(ports, exchange, answer),
    (checked) => {
      recordGuardrails(exchange, 'after', checked.afterResults)
      return checked
    },
    // A stream that broke off while it was held back, before any of it was sent.
    (error) => failedAnswer(exchange, error),
  )
