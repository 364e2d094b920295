/**
 * `override_params` applied to the body: the nearer node wins; `null` drops a parameter. The result must match the
 * specification; if it does not, the node's answer is `invalid_body`.
 */

import { isGatewayError } from '@gateway/contract'
import { nearestParams, overrideBody } from '../config/override-body.ts'
import { checkBody } from '../endpoints/body/validate-body.ts'
import { faultAnswer, originOfNode } from '../flow/answer.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'

export async function overrideParams(exchange: Exchange, next: Next): Promise<void> {
  const node = required(exchange.node, 'config node')
  const params = required(node.overrideParams, 'override_params')
  exchange.body = overrideBody(exchange.body, params)
  exchange.overridden = nearestParams(exchange.overridden, params)
  try {
    checkBody(required(exchange.endpoint, 'endpoint'), exchange.body, 0)
  } catch (error) {
    if (!isGatewayError(error)) throw error
    exchange.answer = faultAnswer(error, {
      ...originOfNode(node),
      beforeResults: exchange.beforeResults,
    })
    return
  }
  await next(exchange)
}
