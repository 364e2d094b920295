/**
 * For a session: collects the input hooks of each node on the path to its target, which check the session's messages.
 */
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'

export function sessionHooks(exchange: Exchange, next: Next): Promise<void> {
  exchange.sessionHooks = [...exchange.sessionHooks, ...required(exchange.node, 'config node').before]
  return next(exchange)
}
