/**
 * Who calls: the first credential of `x-gateway-api-key`, `Authorization: Bearer`, `x-api-key` and the session's cookie.
 * Public routes need none, and do not look at one. Errors: 401 `missing_api_key`, and those of identity/identities.ts.
 */
import { GatewayError } from '@gateway/contract'
import type { Caller } from '../flow/caller.ts'
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { presentedOf } from '../tenancy/identity/presented.ts'

export function auth(exchange: Exchange, next: Next): Promise<void> {
  const { runtime, transport } = exchange
  if (runtime.services.isPublic(transport.method, transport.path)) return next(exchange)
  const caller = findCaller(exchange)
  if (caller instanceof Promise) return enterLater(exchange, caller, next)
  // A known key costs no turn of the event loop.
  return enter(exchange, caller, next)
}

function enter(exchange: Exchange, { identity, key }: Caller, next: Next): Promise<void> {
  exchange.identity = identity
  exchange.keyDocument = key
  return next(exchange)
}

async function enterLater(exchange: Exchange, caller: Promise<Caller>, next: Next): Promise<void> {
  await enter(exchange, await caller, next)
}

function findCaller(exchange: Exchange): Caller | Promise<Caller> {
  const { own, runtime, transport } = exchange
  const presented = presentedOf(transport.headers, own)
  if (presented === null) {
    throw new GatewayError(
      'missing_api_key',
      'Send a gateway key in x-gateway-api-key, or as a bearer token.',
    )
  }
  const { method } = transport
  return runtime.identities.find({
    presented,
    workspace: own.values.get('workspace-id') ?? null,
    csrf: own.values.get('csrf') ?? null,
    isSafe: method === 'GET' || method === 'HEAD',
  })
}
