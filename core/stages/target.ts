/**
 * The leaf's provider and credential, and the body as that target gets it: a model written `@slug/model` loses
 * the prefix. A leaf that names no provider takes it from the request: `x-gateway-virtual-key` >
 * `x-gateway-provider` > the model's `@slug/`. A fault of the target is its answer, so that a fallback can go on.
 */

import { isGatewayError } from '@gateway/contract'
import { fillTarget } from '../config/fill-target.ts'
import { checkUse } from '../config/stored-provider.ts'
import { faultAnswer, originOfNode } from '../flow/answer.ts'
import type { ConfigNode, ResolvedTarget } from '../flow/config-node.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import type { StoredProvider } from '../flow/stored-provider.ts'
import { reportAttempt } from '../observability/attempts.ts'
import { findTarget, splitModel } from '../routing/find-target.ts'

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

async function choose(exchange: Exchange, node: ConfigNode): Promise<ResolvedTarget> {
  const model = splitModel(exchange.body.model)
  const chosen = findTarget(exchange, node, model)
  if (model !== null && isPrefixOf(exchange, model.slug)) {
    exchange.body = { ...exchange.body, model: model.name }
  }
  const stored = chosen.slug === null ? undefined : exchange.settings.storedProviders.get(chosen.slug)
  return stored === undefined || stored.isPlain ? chosen : useStored(exchange, chosen, stored)
}

/** The target as its stored credential wants it used: refused, with secrets filled in, at a host of the model's own. */
function useStored(
  { body, settings }: Exchange,
  chosen: ResolvedTarget,
  stored: StoredProvider,
): Promise<ResolvedTarget> {
  const { model } = body
  checkUse(stored, model, Date.now())
  const own = typeof model === 'string' ? (stored.models.get(model)?.configurations ?? null) : null
  return fillTarget(chosen, stored, settings.context, own)
}

/** Some providers' own model names begin with `@`: only a slug that exists is a prefix. */
const isPrefixOf = (exchange: Exchange, slug: string) => exchange.settings.context.credentials.has(slug)
