/** Whether a caller may use an endpoint. Errors: 400 `invalid_header`, 403 `missing_scope`. */
import { GatewayError, type Identity } from '@gateway/contract'
import type { Endpoint } from './endpoint.ts'

/** Whether the caller is a person who has not said in which workspace they act. */
export const isBetweenWorkspaces = ({ type, workspaceId }: Identity): boolean =>
  type === 'session' && workspaceId === ''

/** Whether the caller has a scope that the endpoint needs. */
export const hasScope = ({ scopes: wanted }: Pick<Endpoint, 'scopes'>, { scopes }: Identity): boolean =>
  scopes.has('*') || wanted.some((scope) => scopes.has(scope))

/**
 * Throws unless the caller may use the endpoint in the workspace of the request. An endpoint that needs no workspace
 * checks the scopes of each workspace itself.
 */
export function checkAccess(endpoint: Pick<Endpoint, 'scopes' | 'needsWorkspace'>, identity: Identity): void {
  if (isBetweenWorkspaces(identity)) {
    if (!endpoint.needsWorkspace) return
    const param = 'header/x-gateway-workspace-id'
    throw new GatewayError('invalid_header', `${param}: a session must specify its workspace.`, {
      param,
    })
  }
  if (hasScope(endpoint, identity)) return
  const [param = ''] = endpoint.scopes
  throw new GatewayError('missing_scope', `This key lacks the scope ${param}.`, { param })
}
