/** Which config routes the request. Errors: those of routing/resolve-config.ts. */
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { resolveConfig } from '../routing/resolve-config.ts'

export function resolve(exchange: Exchange, next: Next): Promise<void> {
  const resolving = resolveConfig(exchange)
  // A known config costs no turn of the event loop.
  return resolving === undefined ? next(exchange) : resolving.then(() => next(exchange))
}
