/**
 * `after_request_hooks` and `output_guardrails` on every try, at the leaf, before any of its answer leaves.
 * A denial becomes the try's answer (446), on which retries and fallbacks can act.
 */

import type { JsonObject } from '@gateway/contract'
import type { Answer } from '../flow/answer.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { denialAnswer } from '../guardrails/denial.ts'
import { checkEnvironment, runLater } from '../guardrails/environment.ts'
import { createCheckInput } from '../guardrails/input.ts'
import { runHooks } from '../guardrails/run-hooks.ts'
import { checkStream, takesResults } from '../guardrails/streaming/check-stream.ts'
import { failedAnswer } from './call.ts'

export async function guardrailsOut(exchange: Exchange, next: Next): Promise<void> {
  await next(exchange)
  const node = required(exchange.node, 'config node')
  if (node.after.length === 0 && exchange.beforeResults.length === 0) return
  try {
    exchange.answer = await checkAnswer(exchange, required(exchange.answer, 'answer'))
  } catch (error) {
    // A stream that broke off while it was held back: nothing of it was sent.
    exchange.answer = failedAnswer(exchange, error)
  }
}

/** Runs the node's output checks on an answer, fresh or from the cache; only successes are looked at. */
export async function checkAnswer(exchange: Exchange, answer: Answer): Promise<Answer> {
  const node = required(exchange.node, 'config node')
  if (answer.fault !== null || answer.status < 200 || answer.status > 299) return answer
  const isTold = answer.stream !== null && answer.beforeResults.length > 0 && takesResults(exchange)
  if (node.after.length === 0 && !isTold) return answer
  const subject = {
    phase: 'after' as const,
    endpoint: required(exchange.endpoint, 'endpoint'),
    provider: answer.provider,
    metadata: required(exchange.options, 'options').metadata,
    headers: exchange.headers,
    request: { json: exchange.body },
  }
  // Bytes that are no events: audio, in which nothing can be read.
  if (answer.stream !== null && answer.contentType !== null) return answer
  if (answer.stream !== null) return checkStream(exchange, node.after, answer, answer.stream, subject)
  if (answer.body === null) return answer
  const inputOf = (json: JsonObject) =>
    createCheckInput({ ...subject, response: { json, status: answer.status } })
  const outcome = await runHooks(node.after, answer.body, inputOf, checkEnvironment(exchange), (run) =>
    runLater(exchange, 'after', run),
  )
  if (outcome.isDenied) return denialAnswer('after', { ...answer, afterResults: outcome.results })
  const isChanged = outcome.body !== answer.body
  return {
    ...answer,
    body: outcome.body,
    text: isChanged ? null : answer.text,
    afterResults: outcome.results,
  }
}
