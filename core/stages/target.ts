/**
 * The leaf's provider and credential, and the body as that target gets it: a model written `@slug/model` loses
 * the prefix. A leaf that names no provider takes it from the request: `x-gateway-virtual-key` >
 * `x-gateway-provider` > the model's `@slug/`. A fault of the target is its answer, so that a fallback can go on.
 */

import { isGatewayError } from '@gateway/contract'
import { fillTarget } from '../config/fill-target.ts'
import { faultAnswer, originOfNode } from '../flow/answer.ts'
import type { ConfigNode, ResolvedTarget } from '../flow/config-node.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { reportAttempt } from '../observability/attempts.ts'
import { checkTarget } from '../routing/find-target.ts'

export async function target(exchange: Exchange, next: Next): Promise<void> {
  const node = required(exchange.node, 'config node')
  try {
    exchange.target = await choose(exchange, node)
  } catch (error) {
    refuse(exchange, node, error)
    return
  }
  await next(exchange)
}

/** The target's answer, when it cannot be called. */
function refuse(exchange: Exchange, node: ConfigNode, error: unknown): void {
  if (!isGatewayError(error)) throw error
  exchange.answer = faultAnswer(error, {
    ...originOfNode(node),
    isUnanswered: true,
    beforeResults: exchange.beforeResults,
  })
  reportAttempt(exchange, performance.now())
}

/** The target as its stored credential wants it used: with secrets filled in, at a host of the model's own. */
async function choose(exchange: Exchange, node: ConfigNode): Promise<ResolvedTarget> {
  const { target: chosen, stored } = checkTarget(exchange, node)
  if (stored === null) return chosen
  const { model } = exchange.body
  const own = typeof model === 'string' ? (stored.models.get(model)?.configurations ?? null) : null
  return fillTarget(chosen, stored, exchange.settings.context, own)
}
