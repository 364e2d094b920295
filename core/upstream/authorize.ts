/**
 * Adds a target's credential to the final request. Errors: `host_not_allowed` where the gateway's own cloud identity
 * would leave for a host that is neither the vendor's nor trusted; those of the adapter.
 */
import type { ProviderIo, UpstreamRequest } from '@gateway/contract'
import { requireOwnHost } from '../config/own-identity.ts'
import type { ResolvedTarget } from '../flow/config-node.ts'

export function authorize(
  { adapter, settings }: ResolvedTarget,
  request: UpstreamRequest,
  io: ProviderIo,
): UpstreamRequest | Promise<UpstreamRequest> {
  if (adapter.ownIdentity !== undefined) requireOwnHost(adapter, settings, request.url, io)
  return adapter.auth(request, settings, io)
}
