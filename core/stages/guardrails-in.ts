/**
 * `before_request_hooks` and `input_guardrails` of the node that declares them: once, before its cache. Mutators and
 * redactions may change the body; a denial is the node's answer (446), which can trigger an enclosing fallback. Errors:
 * 446 `guardrail_denied`; 400 `invalid_body` for bytes that no check can read.
 */

import { GatewayError, type JsonObject } from '@gateway/contract'
import {
  type Answer,
  andThen,
  type CheckPorts,
  type CompiledHook,
  changeInput,
  type MaybePromise,
  type Next,
  nodeFault,
  originOfNode,
  type Resolved,
  type WithSetting,
} from '@gateway/flow'
import {
  checkEnvironment,
  createCheckInput,
  denialAnswer,
  type PhaseOutcome,
  recordGuardrails,
  runHooks,
  runLater,
} from '../guardrails/index.ts'

export function guardrailsIn(
  exchange: Resolved,
  next: Next<Resolved>,
  { setting: hooks, ports }: WithSetting<readonly CompiledHook[], CheckPorts>,
): MaybePromise<Answer> {
  if (isUnread(exchange)) {
    const message = 'The input guardrails of this config cannot read this body: send a JSON object.'
    return nodeFault(exchange, new GatewayError('invalid_body', message, { param: '/' }))
  }
  return andThen(checkRequest(ports, exchange, hooks), (outcome) => {
    const beforeResults = exchange.input.beforeResults.concat(outcome.results)
    recordGuardrails(exchange, 'before', outcome.results)
    if (outcome.body !== exchange.input.body) exchange.request.record.changed = outcome.body
    if (outcome.isDenied) {
      changeInput(exchange, { beforeResults })
      return denialAnswer('before', { ...originOfNode(exchange.node), beforeResults })
    }
    // Forward the parsed body that was checked: with duplicate keys in the text, other parsers may read another value.
    changeInput(exchange, { body: outcome.body, source: null, beforeResults })
    return next(exchange)
  })
}

function checkRequest(
  ports: CheckPorts,
  exchange: Resolved,
  hooks: readonly CompiledHook[],
): MaybePromise<PhaseOutcome> {
  const inputOf = (json: JsonObject) =>
    createCheckInput({
      phase: 'before',
      endpoint: exchange.endpoint,
      provider: exchange.node.target?.adapter.name ?? null,
      metadata: exchange.options.metadata,
      headers: exchange.headers,
      request: { json },
      response: null,
    })
  return runHooks(hooks, exchange.input.body, {
    inputOf,
    environment: checkEnvironment(ports, exchange),
    runLater: (run) => runLater(ports, exchange, { phase: 'before', run }),
  })
}

/** Whether the body is forwarded as bytes that no check can read. */
const isUnread = ({ input: { raw } }: Resolved): boolean =>
  raw !== null && !raw.isRead && raw.bytes.length > 0
