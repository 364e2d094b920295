/** Of a session: the input hooks of each node on the way to its target, which check what is said while it lasts. */
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'

export function sessionHooks(exchange: Exchange, next: Next): Promise<void> {
  exchange.sessionHooks = [...exchange.sessionHooks, ...required(exchange.node, 'config node').before]
  return next(exchange)
}
