/** Access rules of an integration and its servers. */
import type { StoredDocument } from '@gateway/contract'
import { isOfKind, type RemoteIntegrationData, type RemoteServerData } from '@gateway/domain'
import type { Call } from '../engine/index.ts'
import { isUsableBy } from '../integrations/index.ts'

export type RemoteKind = 'mcp_integration' | 'agent_integration'
export type Integration = StoredDocument<RemoteIntegrationData>
export type Server = StoredDocument<RemoteServerData>

export const integrationIdOf = ({ mcp_integration_id, agent_integration_id }: RemoteServerData): string =>
  mcp_integration_id ?? agent_integration_id ?? ''

/**
 * Whether a workspace may use an integration. An integration of the config file belongs to the workspace of its server.
 */
export const isUsable = (integration: Integration, workspaceId: string): boolean =>
  integration.status === 'active' && isUsableBy(integration, workspaceId)

/** Whether a user may call a server. Service keys may call every server of their workspace. */
export function mayUse(
  { user_access, default_user_access }: RemoteServerData,
  userId: string | null,
): boolean {
  return userId === null || (user_access?.[userId] ?? default_user_access === 'allow')
}

/** The live integration of a server, including those of the config file. */
export async function integrationOf(call: Call, kind: RemoteKind, id: string): Promise<Integration | null> {
  const declared = call.context
    .fileDocuments()
    .filter((document) => isOfKind(document, kind))
    .find((document) => document.id === id)
  const found = declared ?? (await call.documents.get(kind, id))
  return found?.organisation_id === call.organisationId ? found : null
}
