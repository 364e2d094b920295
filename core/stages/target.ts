/**
 * Sets the leaf's provider and credential, and removes the prefix of a model written `@slug/model`. A leaf without a
 * provider takes it from the request, in this order: `x-gateway-virtual-key`, `x-gateway-provider`, the provider of the
 * prompt, the model's `@slug/`. An error becomes the target's answer, so a fallback can continue. Errors: 400
 * `no_provider`, `unknown_provider`, `host_not_allowed`, and `invalid_config` for missing settings; 403 `forbidden` for
 * a credential that has expired or was withdrawn, and `model_not_allowed`; 404 `unknown_virtual_key`; 502
 * `upstream_error` and 503 `dependency_unavailable` if its secrets cannot be read.
 */

import { fillTarget } from '@gateway/config'
import { isGatewayError } from '@gateway/contract'
import {
  type Answer,
  andThenOr,
  type ConfigNode,
  type MaybePromise,
  type Next,
  nodeFault,
  type Resolved,
  type ResolvedTarget,
  type Targeted,
  targeted,
} from '@gateway/flow'
import { prepareTarget } from '@gateway/routing'
import { reportAttempt } from '../observability/index.ts'

export function target(exchange: Resolved, next: Next<Targeted>): MaybePromise<Answer> {
  return andThenOr(
    () => choose(exchange, exchange.node),
    (chosen) => next(targeted(exchange, chosen)),
    (error) => refuse(exchange, error),
  )
}

/** The answer of a target that cannot be called. */
function refuse(exchange: Resolved, error: unknown): Answer {
  if (!isGatewayError(error)) throw error
  const answer = nodeFault(exchange, error, { isUnanswered: true })
  reportAttempt(exchange, answer, performance.now())
  return answer
}

/** Completes the target from its stored credential: adds secrets and the model's own host. */
function choose(exchange: Resolved, node: ConfigNode): MaybePromise<ResolvedTarget> {
  const { target: chosen, stored } = prepareTarget(exchange, node)
  if (stored === null) return chosen
  const { model } = exchange.input.body
  const own = typeof model === 'string' ? (stored.models.get(model)?.configurations ?? null) : null
  return fillTarget(chosen, stored, { hosts: exchange.workspace.context, own })
}
