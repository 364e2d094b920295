/** Members of an integration that only the management API reads, and its access rules. */

import { isObject, type JsonObject, type ProviderSummary, type StoredDocument } from '@gateway/contract'
import { type IntegrationData, isOfKind, kinds, slugKey } from '@gateway/domain'
import { type Call, isId, openSecrets } from '../engine/index.ts'

/** Which workspaces may use an object of the organisation. */
type Shared = Pick<
  StoredDocument<
    Pick<IntegrationData, 'workspace_access'> & { global_workspace_access?: { enabled: boolean } | null }
  >,
  'workspace_id' | 'data'
>

/** Whether a workspace may use the object. */
export function isUsableBy({ workspace_id: own, data }: Shared, workspaceId: string): boolean {
  if (own !== null) return own === workspaceId
  return data.workspace_access?.[workspaceId] ?? data.global_workspace_access?.enabled ?? false
}

/** Whether every workspace that may use the integration is among these. */
export function isCovered(integration: Shared, allowed: readonly string[]): boolean {
  const { workspace_id: own, data } = integration
  if (own !== null) return allowed.includes(own)
  if (data.global_workspace_access?.enabled === true) return false
  return Object.keys(data.workspace_access ?? {})
    .filter((workspaceId) => isUsableBy(integration, workspaceId))
    .every((workspaceId) => allowed.includes(workspaceId))
}

/**
 * Values of the attribute by which a workspace finds the integrations that it may use: its id, `*` for all, and a
 * separate value for an integration that is available to all workspaces but some.
 */
export function usableBy({ id, workspace_id: own, data }: Shared & { id: string }): string[] {
  if (own !== null) return [own]
  const entries = Object.entries(data.workspace_access ?? {})
  const enabled = entries.filter(([, isEnabled]) => isEnabled).map(([workspaceId]) => workspaceId)
  if (data.global_workspace_access?.enabled !== true) return enabled
  return [...enabled, entries.length === enabled.length ? '*' : exceptionOf(id)]
}

/** The attribute value of an integration that is available to all workspaces but some. */
export const exceptionOf = (id: string): string => `*${id}`

/** A live integration of the caller's organisation by id or slug. Includes those of the config file. */
export async function findIntegration(
  call: Call,
  idOrSlug: string,
): Promise<StoredDocument<IntegrationData> | null> {
  const declared = call.context
    .fileDocuments()
    .filter((document) => isOfKind(document, kinds.integration))
    .find(({ id, slug }) => id === idOrSlug || slug === idOrSlug)
  const found =
    declared ??
    (isId(idOrSlug)
      ? await call.documents.get(kinds.integration, idOrSlug)
      : await call.documents.findByKey(kinds.integration, slugKey(call.organisationId, idOrSlug)))
  const isLive = found?.status !== 'archived' && found?.organisation_id === call.organisationId
  return isLive && found !== null ? found : null
}

/** The decrypted secrets of an integration. */
export function openIntegration(
  document: Pick<StoredDocument<IntegrationData>, 'kind' | 'id' | 'data'>,
  call: Call,
): { key: string | null; configurations: JsonObject } {
  const { key, configurations } = openSecrets(document, call.context.sealer)
  return {
    key: typeof key === 'string' ? key : null,
    configurations: isObject(configurations) ? configurations : {},
  }
}

/** `configurations` as answers show them. */
export const shownConfigurations = ({
  configurations,
  masked_configurations,
}: IntegrationData): JsonObject => ({
  ...configurations,
  ...masked_configurations,
})

/** The members that the provider's own schema of `configurations` has. */
export function knownMembers({
  configurations,
}: Pick<ProviderSummary, 'configurations'>): Record<string, JsonObject> {
  const properties: unknown = configurations?.properties
  return isObject(properties) ? (properties as Record<string, JsonObject>) : {}
}

export const summaryOf = (call: Call<'providers'>, provider: string): ProviderSummary | undefined =>
  call.context.providers().find(({ name }) => name === provider)
