/**
 * The target that a request will most likely reach, for a price estimate before one is selected: the first leaf of its
 * config.
 */

import { overrideBody } from '@gateway/config'
import { isGatewayError, type JsonObject } from '@gateway/contract'
import type { ConfigNode, ResolvedTarget, Routed, Scrubbed } from '@gateway/flow'
import { chooseByCondition } from './condition.ts'
import { findTarget, splitModel } from './find-target.ts'

/** Null when no target is found; the error is raised later. */
export function likelyTarget(
  exchange: Routed,
  node: ConfigNode,
  inherited: JsonObject,
): { target: ResolvedTarget; body: JsonObject } | null {
  const body = node.overrideParams === null ? inherited : overrideBody(inherited, node.overrideParams)
  const child = childOf(exchange, node, body)
  if (child !== null) return likelyTarget(exchange, child, body)
  const model = splitModel(body.model)
  try {
    const target = findTarget(exchange, node, model)
    const isPrefixed = model !== null && exchange.workspace.context.credentials.has(model.slug)
    return { target, body: isPrefixed ? { ...body, model: model.name } : body }
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return null
  }
}

function childOf(exchange: Scrubbed, { strategy, targets }: ConfigNode, body: JsonObject): ConfigNode | null {
  if (strategy?.mode === 'conditional') return chooseByCondition(exchange, strategy, body)
  const isWeighted = strategy?.mode === 'loadbalance'
  return targets.find(({ weight }) => !isWeighted || weight > 0) ?? null
}
