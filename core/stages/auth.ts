/**
 * Who calls: the first credential of `x-gateway-api-key`, `Authorization: Bearer`, `x-api-key` and the session's cookie.
 * Public routes need none, and do not look at one; nor is one looked at here for routes that authenticate by themselves. A
 * request from inside the process says who calls.
 * Errors: 401 `missing_api_key`, and those of identity/identities.ts.
 */
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { findCaller } from '../tenancy/identity/find-caller.ts'

export async function auth(exchange: Exchange, next: Next): Promise<void> {
  const { runtime, transport } = exchange
  if (!runtime.services.isPublic(transport.method, transport.path)) {
    const { identity, key } = await findCaller(exchange)
    exchange.identity = identity
    exchange.keyDocument = key
  }
  await next(exchange)
}
