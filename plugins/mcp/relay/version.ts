/** The protocol version in a request's header. */
import type { ServiceRequest } from '@gateway/contract'
import { RpcFault, type RpcRequest, rpcCodes } from '../messages.ts'
import { sessionVersions, statelessVersion } from '../upstream/session.ts'

/** A client without the header uses the last version without this header. */
const unsaid = '2025-03-26'

/** Errors: −32022 in 400 for an unsupported version. */
export function readVersion({ headers }: ServiceRequest, request: RpcRequest | null): string {
  if (request?.method === 'initialize') return unsaid
  const version = headers['mcp-protocol-version'] ?? unsaid
  if (sessionVersions.includes(version)) return version
  if (request === null && version === statelessVersion) return version
  throw new RpcFault(rpcCodes.unsupportedVersion, 'Unsupported protocol version', {
    status: 400,
    data: { supported: [statelessVersion, ...sessionVersions], requested: version.slice(0, 100) },
  })
}
