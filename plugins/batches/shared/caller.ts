/** The caller of an endpoint. */
import type { EndpointRequest, Identity } from '@gateway/contract'
import type { KeptCaller } from './entities.ts'

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

/** The part of the identity that later calls on the caller's behalf need. */
export const keptCaller = (identity: Identity): KeptCaller => ({ ...identity, scopes: [...identity.scopes] })
