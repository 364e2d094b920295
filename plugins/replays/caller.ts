/**
 * Determines the caller whose key runs a replay. Errors: 400 if a session or an organisation key names no key; 404 for
 * an unknown key.
 */
import { GatewayError, type Identity, type StoredDocument } from '@gateway/contract'
import { type Call, forbidden, notFound } from '@gateway/control-plane/engine'
import { kinds, type WorkspaceData } from '@gateway/domain'
import type { KeptCaller } from './entities.ts'

const ownKeys: ReadonlySet<Identity['type']> = new Set(['workspace-service', 'workspace-user', 'admin'])

export async function runnerOf(
  call: Call,
  workspace: Pick<StoredDocument<WorkspaceData>, 'id' | 'slug'>,
  keyId: string | null,
): Promise<KeptCaller> {
  const { identity } = call
  const place = { workspaceId: workspace.id, workspace: workspace.slug ?? '' }
  if (keyId === null || keyId === identity.keyId) {
    if (!ownKeys.has(identity.type))
      throw new GatewayError(
        'invalid_body',
        '/api_key_id: name the API key of the workspace that runs the replay; this credential cannot run requests.',
        { param: '/api_key_id' },
      )
    return { ...identity, ...place, scopes: [...identity.scopes] }
  }
  const key = await call.find(kinds.apiKey, keyId, workspace.id)
  if (key === null || key.workspace_id !== workspace.id || key.status === 'archived')
    throw notFound('/api_key_id', 'API key')
  const isOwn = key.data.user_id !== null && key.data.user_id === identity.userId
  // A caller who may update a service key could also rotate it and use its secret.
  const mayUse =
    key.data.user_id === null && (await call.holds('workspace_service_api_keys.update', workspace.id))
  if (!isOwn && !mayUse)
    throw forbidden(
      'You may not use this API key: name one of your own, or a service key that you may update.',
    )
  return {
    type: key.data.type,
    keyId: key.id,
    keyVersion: null,
    name: key.name ?? key.id,
    organisationId: call.organisationId,
    boundWorkspaceId: workspace.id,
    ...place,
    userId: key.data.user_id,
    role: null,
    // The scopes are looked up again for each request.
    scopes: [],
  }
}
