/**
 * Who calls: the first credential of `x-gateway-api-key`, `Authorization: Bearer`, `x-api-key` and the session's cookie.
 * Public routes need none, and do not look at one. A request from inside the process says who calls.
 * Errors: 401 `missing_api_key`, and those of identity/identities.ts.
 */
import { GatewayError } from '@gateway/contract'
import type { Caller } from '../flow/caller.ts'
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { presentedOf } from '../tenancy/identity/presented.ts'

export async function auth(exchange: Exchange, next: Next): Promise<void> {
  const { runtime, transport } = exchange
  if (!runtime.services.isPublic(transport.method, transport.path)) {
    const { identity, key } = await findCaller(exchange)
    exchange.identity = identity
    exchange.keyDocument = key
  }
  await next(exchange)
}

async function findCaller(exchange: Exchange): Promise<Caller> {
  const { own, runtime, transport } = exchange
  if (transport.caller !== null) return transport.caller()
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
    path: transport.path,
    workspace: own.values.get('workspace-id') ?? queriedWorkspace(exchange),
    csrf: own.values.get('csrf') ?? null,
    isSafe: method === 'GET' || method === 'HEAD',
    address: () => transport.clientIp,
  })
}

/** A list of models names its workspace in the query, as routes of the management API do. */
function queriedWorkspace({ transport }: Exchange): string | null {
  if (transport.search === '' || !/^(?:\/v1)?\/models(?:\/|$)/.test(transport.path)) return null
  return new URLSearchParams(transport.search).get('workspace_id') || null
}
