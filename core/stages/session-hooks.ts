/**
 * For a session: collects the input hooks of each node on the path to its target, which check the session's messages.
 */
import { type Ending, type Exchange, type Next, required } from '../flow/index.ts'

export function sessionHooks(exchange: Exchange, next: Next): Ending {
  exchange.sessionHooks = [...exchange.sessionHooks, ...required(exchange.node, 'config node').before]
  return next(exchange)
}
