/** Whether somebody may call models: with the scope, in a workspace. Errors: 403 `missing_scope`, 400 `invalid_header`. */
import { GatewayError, type Identity } from '@gateway/contract'

const scope = 'completions.write'

/** Throws unless the caller may call models in the workspace of the request. */
export function checkMayCallModels({ scopes, type, workspaceId }: Identity): void {
  if (type === 'session' && workspaceId === '') {
    const param = 'header/x-gateway-workspace-id'
    throw new GatewayError('invalid_header', `${param}: a session names the workspace in which it calls.`, {
      param,
    })
  }
  if (scopes.has(scope) || scopes.has('*')) return
  throw new GatewayError('missing_scope', `This key lacks the scope ${scope}.`, { param: scope })
}
