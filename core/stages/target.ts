/**
 * Sets the leaf's provider and credential, and the target's body: `@slug/model` loses the prefix. A leaf without a
 * provider takes it from the request, in this order: `x-gateway-virtual-key`, `x-gateway-provider`, the model's
 * `@slug/`. An error of the target becomes its answer, so a fallback can continue. Errors: 400 `no_provider`,
 * `unknown_provider` and `unsupported_endpoint`, 403 `model_not_allowed`, 404 `unknown_virtual_key`.
 */

import { fillTarget } from '@gateway/config'
import { isGatewayError } from '@gateway/contract'
import {
  type Answer,
  andThenOr,
  type ConfigNode,
  faultAnswer,
  type MaybePromise,
  type Next,
  originOfNode,
  type Resolved,
  type ResolvedTarget,
  type Targeted,
  targeted,
} from '@gateway/flow'
import { checkTarget } from '@gateway/routing'
import { reportAttempt } from '../observability/index.ts'

export function target(exchange: Resolved, next: Next<Targeted>): MaybePromise<Answer> {
  return andThenOr(
    () => choose(exchange, exchange.node),
    (chosen) => next(targeted(exchange, chosen)),
    (error) => refuse(exchange, exchange.node, error),
  )
}

/** The answer of a target that cannot be called. */
function refuse(exchange: Resolved, node: ConfigNode, error: unknown): Answer {
  if (!isGatewayError(error)) throw error
  const answer = faultAnswer(error, {
    ...originOfNode(node),
    isUnanswered: true,
    beforeResults: exchange.input.beforeResults,
  })
  reportAttempt(exchange, answer, performance.now())
  return answer
}

/** Completes the target from its stored credential: adds secrets and the model's own host. */
function choose(exchange: Resolved, node: ConfigNode): MaybePromise<ResolvedTarget> {
  const { target: chosen, stored } = checkTarget(exchange, node)
  if (stored === null) return chosen
  const { model } = exchange.input.body
  const own = typeof model === 'string' ? (stored.models.get(model)?.configurations ?? null) : null
  return fillTarget(chosen, stored, { hosts: exchange.workspace.context, own })
}
