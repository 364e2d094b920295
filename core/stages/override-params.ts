/**
 * Applies `override_params` to the body: the innermost node takes precedence; `null` drops a parameter. The result must
 * match the specification; otherwise the error is the node's answer. Errors: 400 `invalid_body`.
 */

import { nearestParams, overrideBody } from '@gateway/config'
import { isGatewayError, type JsonObject } from '@gateway/contract'
import {
  type Answer,
  changeInput,
  type MaybePromise,
  type Next,
  nodeFault,
  type Resolved,
  type WithSetting,
} from '@gateway/flow'
import { checkBody } from '../endpoints/index.ts'

export function overrideParams(
  exchange: Resolved,
  next: Next<Resolved>,
  { setting: params }: WithSetting<JsonObject>,
): MaybePromise<Answer> {
  const { body, overridden } = exchange.input
  changeInput(exchange, { body: overrideBody(body, params), overridden: nearestParams(overridden, params) })
  try {
    checkBody(exchange.endpoint, exchange.input.body, 0)
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return nodeFault(exchange, error)
  }
  return next(exchange)
}
