/** The upstream as the caller of a visit reaches it. */
import type { Identity } from '@gateway/contract'
import type { UpstreamTarget } from '../upstream/target.ts'
import { targetOf } from '../upstream/target-of.ts'
import { personToken } from './check-jwt.ts'
import { asRpcFault } from './faults.ts'
import type { Visit } from './visit.ts'

/** Whose connection an upstream session is. */
export const personOf = ({ type, userId, keyId, name }: Identity): string =>
  userId === null ? `${type}:${keyId ?? name}` : `user:${userId}`

export async function visitTarget(visit: Visit): Promise<UpstreamTarget> {
  const { runtime, request, identity, place } = visit
  try {
    return await targetOf(runtime, place.integration, {
      person: personOf(identity),
      workspaceId: identity.workspaceId,
      headers: request.headers,
      caller: { identity, token: personToken(visit) },
      server: place.server,
    })
  } catch (error) {
    throw asRpcFault(error)
  }
}
