/** Whether a caller may use an endpoint: its scope, in a workspace. Errors: 403 `missing_scope`, 400 `invalid_header`. */
import { GatewayError, type Identity } from '@gateway/contract'
import type { Endpoint } from '../../flow/endpoint.ts'

/** Throws unless the caller may use the endpoint in the workspace of the request. */
export function checkAccess(
  { scopes: wanted, needsWorkspace }: Pick<Endpoint, 'scopes' | 'needsWorkspace'>,
  { scopes, type, workspaceId }: Identity,
): void {
  if (needsWorkspace && type === 'session' && workspaceId === '') {
    const param = 'header/x-gateway-workspace-id'
    throw new GatewayError('invalid_header', `${param}: a session names the workspace in which it calls.`, {
      param,
    })
  }
  if (scopes.has('*') || wanted.some((scope) => scopes.has(scope))) return
  const [param = ''] = wanted
  throw new GatewayError('missing_scope', `This key lacks the scope ${param}.`, { param })
}
