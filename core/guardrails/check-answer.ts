/** The output checks of a config node, on an answer: fresh from its target or from the cache. */

import type { JsonObject } from '@gateway/contract'
import {
  type Answer,
  andThen,
  type CheckPorts,
  type MaybePromise,
  type Received,
  type Resolved,
} from '@gateway/flow'
import { checkEnvironment, runLater } from './environment.ts'
import { createCheckInput } from './input.ts'
import { denialAnswer, type PhaseOutcome, runHooks } from './run-hooks.ts'
import { checkStream, takesResults } from './streaming/check-stream.ts'

/** Runs the node's output checks on an answer, fresh or from the cache; only successful answers are checked. */
export function checkAnswer(ports: CheckPorts, exchange: Resolved, answer: Answer): MaybePromise<Answer> {
  const node = exchange.node
  if (answer.fault !== null || answer.status < 200 || answer.status > 299) return answer
  const isTold = answer.stream !== null && answer.beforeResults.length > 0 && takesResults(exchange)
  if (node.after.length === 0 && !isTold) return answer
  const subject = {
    phase: 'after' as const,
    endpoint: exchange.endpoint,
    provider: answer.provider,
    metadata: exchange.options.metadata,
    headers: exchange.headers,
    request: { json: exchange.input.body },
  }
  // Bytes that are not events: audio, which cannot be checked.
  if (answer.stream !== null && answer.contentType !== null) return answer
  if (answer.stream !== null)
    return checkStream({ ports, exchange, hooks: node.after, answer, stream: answer.stream, subject })
  const { body } = answer
  if (body === null) return answer
  const inputOf = (json: JsonObject) =>
    createCheckInput({ ...subject, response: { json, status: answer.status } })
  const ran = runHooks(node.after, body, {
    inputOf,
    environment: checkEnvironment(ports, exchange),
    runLater: (run) => runLater(ports, exchange, { phase: 'after', run }),
  })
  return andThen(ran, (outcome) => withOutcome(exchange, answer, outcome))
}

function withOutcome(exchange: Received, answer: Answer, outcome: PhaseOutcome): Answer {
  if (outcome.isDenied) return denialAnswer('after', { ...answer, afterResults: outcome.results })
  const isChanged = outcome.body !== answer.body
  exchange.request.record.original = isChanged ? answer.body : null
  return {
    ...answer,
    body: outcome.body,
    text: isChanged ? null : answer.text,
    afterResults: outcome.results,
  }
}
