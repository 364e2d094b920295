/**
 * `override_params` applied to the body: the nearer node wins; `null` drops a parameter. The result must match the
 * specification; if it does not, the node's answer is `invalid_body`.
 */

import { isGatewayError } from '@gateway/contract'
import { nearestParams, overrideBody } from '../config/index.ts'
import { checkBody } from '../endpoints/index.ts'
import { type Ending, type Exchange, faultAnswer, type Next, originOfNode, required } from '../flow/index.ts'

export function overrideParams(exchange: Exchange, next: Next): Ending {
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
  return next(exchange)
}
