/** Errors of an upstream as MCP errors. */
import { isGatewayError } from '@gateway/contract'
import { RpcFault, rpcCodes } from '../messages.ts'
import { SessionLost, UpstreamUnauthorized } from '../upstream/target.ts'

/** The reason for aborting a call that takes too long. */
export const timedOut = new Error('The MCP server took too long.')

/** The MCP error for an upstream's failure. */
export function asRpcFault(error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof RpcFault) return error
  if (signal?.reason === timedOut) return new RpcFault(rpcCodes.timeout, timedOut.message, { status: 408 })
  if (signal?.aborted === true) return error
  const failed = (message: string) => new RpcFault(rpcCodes.internal, message, { status: 502 })
  if (error instanceof UpstreamUnauthorized)
    return failed('The MCP server refused the credential of its integration.')
  if (error instanceof SessionLost)
    return failed('The MCP server no longer knows the session. Send the request again.')
  if (!isGatewayError(error)) return error
  return upstreamCodes.has(error.code) ? failed(error.message) : error
}

/** A short name of the error, for traces. */
export function faultName(error: unknown, signal: AbortSignal): string {
  if (signal.reason === timedOut) return 'timeout'
  if (signal.aborted) return 'cancelled'
  if (error instanceof UpstreamUnauthorized) return 'unauthorized'
  if (error instanceof SessionLost) return 'session_lost'
  return isGatewayError(error) ? error.code : 'error'
}

const upstreamCodes: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_invalid_response',
  'upstream_error',
  'host_not_allowed',
  'dependency_unavailable',
])
