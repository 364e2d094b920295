/** `override_params` over the body: the nearer node wins; `null` drops a parameter. The result must still fit the specification. */
import type { JsonObject } from '../contract/index.ts'
import { type Exchange, required } from '../exchange.ts'
import type { Next } from '../stage.ts'
import { checkBody } from './parse.ts'

export function override(exchange: Exchange, next: Next): Promise<void> {
  const { overrideParams } = required(exchange.node, 'config node')
  return overrideParams === null ? next() : apply(exchange, overrideParams, next)
}

async function apply(exchange: Exchange, params: JsonObject, next: Next): Promise<void> {
  exchange.body = overrideBody(exchange.body, params)
  checkBody(required(exchange.endpoint, 'endpoint'), exchange.body, 0)
  await next()
}

export function overrideBody(body: JsonObject, params: JsonObject): JsonObject {
  const merged = { ...body, ...params }
  for (const [name, value] of Object.entries(params)) if (value === null) delete merged[name]
  return merged
}
