/** Which config routes the request. Errors: those of routing/resolve-config.ts. */
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { resolveConfig } from '../routing/resolve-config.ts'

export async function resolve(exchange: Exchange, next: Next): Promise<void> {
  await resolveConfig(exchange)
  await next(exchange)
}
