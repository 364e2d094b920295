/** The upstream with the credentials and headers for the caller of a visit. */
import { hash } from 'node:crypto'
import type { Identity } from '@gateway/contract'
import type { UpstreamTarget } from '../upstream/target.ts'
import { targetOf } from '../upstream/target-of.ts'
import { personToken } from './check-jwt.ts'
import { asRpcFault } from './faults.ts'
import type { Visit } from './visit.ts'

/** The person whose connection an upstream session uses. */
export function personOf({ type, userId, keyId, name }: Identity, token: string | null): string {
  if (userId !== null) return `user:${userId}`
  // The name in a token is not unique across issuers and may be missing; the token's hash distinguishes the callers.
  if (type === 'jwt' && token !== null) return `jwt:${hash('sha256', token, 'base64url')}`
  return `${type}:${keyId ?? name}`
}

export async function visitTarget(visit: Visit): Promise<UpstreamTarget> {
  const { runtime, request, identity, place } = visit
  try {
    return await targetOf(runtime, place.integration, {
      person: personOf(identity, request.jwt),
      workspaceId: identity.workspaceId,
      headers: request.headers,
      caller: { identity, token: personToken(visit) },
      server: place.server,
    })
  } catch (error) {
    throw asRpcFault(error)
  }
}
