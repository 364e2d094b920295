/**
 * `before_request_hooks` and `input_guardrails` of the node that declares them: once, before its cache. A mutator's
 * result becomes the body; a denial is the node's answer (446), which can trigger an enclosing fallback.
 */

import { GatewayError, type JsonObject } from '@gateway/contract'
import {
  andThen,
  type ConfigNode,
  type Ending,
  type Exchange,
  faultAnswer,
  type MaybePromise,
  type Next,
  originOfNode,
  required,
} from '../flow/index.ts'
import {
  checkEnvironment,
  createCheckInput,
  denialAnswer,
  type PhaseOutcome,
  recordGuardrails,
  runHooks,
  runLater,
} from '../guardrails/index.ts'

export function guardrailsIn(exchange: Exchange, next: Next): Ending {
  const node = required(exchange.node, 'config node')
  if (isUnread(exchange)) {
    const message = 'The input guardrails of this config cannot read this body: send a JSON object.'
    exchange.answer = faultAnswer(new GatewayError('invalid_body', message, { param: '/' }), {
      ...originOfNode(node),
      beforeResults: exchange.beforeResults,
    })
    return
  }
  return andThen(checkRequest(exchange, node), (outcome) => {
    exchange.beforeResults = [...exchange.beforeResults, ...outcome.results]
    recordGuardrails(exchange, 'before', outcome.results)
    if (outcome.body !== exchange.body) exchange.record.changed = outcome.body
    if (outcome.isDenied) {
      exchange.answer = denialAnswer('before', {
        ...originOfNode(node),
        beforeResults: exchange.beforeResults,
      })
      return
    }
    exchange.body = outcome.body
    // Forward the parsed body that was checked: with duplicate keys in the text, other parsers may read another value.
    exchange.source = null
    return next(exchange)
  })
}

function checkRequest(exchange: Exchange, node: ConfigNode): MaybePromise<PhaseOutcome> {
  const inputOf = (json: JsonObject) =>
    createCheckInput({
      phase: 'before',
      endpoint: required(exchange.endpoint, 'endpoint'),
      provider: node.target?.adapter.name ?? null,
      metadata: required(exchange.options, 'options').metadata,
      headers: exchange.headers,
      request: { json },
      response: null,
    })
  return runHooks(node.before, exchange.body, inputOf, checkEnvironment(exchange), (run) =>
    runLater(exchange, 'before', run),
  )
}

/** Forwarded bytes without texts for a check. */
const isUnread = ({ raw }: Exchange): boolean => raw !== null && !raw.isRead && raw.bytes.length > 0
