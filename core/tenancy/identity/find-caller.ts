/** The caller of a request, by the credential that it presents. Errors: 401 `missing_api_key`, and those of identities.ts. */
import { GatewayError } from '@gateway/contract'
import type { Caller, Claim } from '../../flow/caller.ts'
import type { Exchange } from '../../flow/exchange.ts'
import { presentedOf } from './presented.ts'

export async function findCaller(exchange: Exchange): Promise<Caller> {
  const { runtime, transport } = exchange
  return transport.caller === null ? runtime.identities.find(claimOf(exchange)) : transport.caller()
}

/** What a request says of who calls. */
export function claimOf(exchange: Exchange): Claim {
  const { own, transport } = exchange
  const presented = presentedOf(transport.headers, own)
  if (presented === null) {
    throw new GatewayError(
      'missing_api_key',
      'Send a gateway key in x-gateway-api-key, or as a bearer token.',
    )
  }
  const { method } = transport
  return {
    presented,
    path: transport.path,
    workspace: own.values.get('workspace-id') ?? queriedWorkspace(exchange),
    csrf: own.values.get('csrf') ?? null,
    isSafe: method === 'GET' || method === 'HEAD',
    address: () => transport.clientIp,
  }
}

/** A list of models names its workspace in the query, as routes of the management API do. */
function queriedWorkspace({ transport }: Exchange): string | null {
  if (transport.search === '' || !/^(?:\/v1)?\/models(?:\/|$)/.test(transport.path)) return null
  return new URLSearchParams(transport.search).get('workspace_id') || null
}
