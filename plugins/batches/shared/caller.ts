/** Who calls an endpoint. */
import type { EndpointRequest, Identity } from '@gateway/contract'

export interface CallerPlace {
  identity: Identity
  organisationId: string
  workspaceId: string
}

/** Endpoints are only reached with a credential. */
export function callerOf({ identity }: Pick<EndpointRequest, 'identity'>): CallerPlace {
  if (identity === null) throw new Error('An endpoint was reached without a credential.')
  const { organisationId, workspaceId } = identity
  return { identity, organisationId, workspaceId }
}
