/** The limits of the config file, and those of a workspace. */

import type { StoredDocument } from '@gateway/contract'
import { type DocumentOf, isOfKind, kinds, type Limits } from '@gateway/domain'
import type { LimitTable, Settings } from '@gateway/flow'
import type { WorkspaceDocuments } from '../../tenancy/index.ts'
import { createLimitTable, type ProviderLimits } from './limit-table.ts'

/** The limits of a workspace: those of the file and those of stored objects. */
export function workspaceLimits(
  base: Pick<Settings, 'documents' | 'context'>,
  documents: WorkspaceDocuments,
): LimitTable {
  const declared = <Kind extends string>(kind: Kind) =>
    base.documents.filter((document) => isOfKind(document, kind))
  const { workspace, workspaceId, organisation } = documents
  return createLimitTable({
    organisationSlug: organisation?.slug ?? null,
    keys: declared(kinds.apiKey),
    // The file's settings of a workspace override the stored ones.
    workspaces: [...(workspace === null ? [] : [workspace]), ...declared(kinds.workspace)].filter(
      ({ id }) => id === workspaceId,
    ),
    providers: [
      // A credential of the file is its own integration.
      ...declared(kinds.provider).map((provider): ProviderLimits => ({ provider, integration: null })),
      // A stored one with the same name is not used.
      ...documents.providers
        .filter(({ id, slug }) => !base.context.credentials.has(slug ?? id))
        .map((provider) => ({ provider, integration: integrationLimits(provider, documents) })),
    ],
    ratePolicies: [...declared(kinds.rateLimitPolicy), ...documents.ratePolicies],
    usagePolicies: [...declared(kinds.usageLimitPolicy), ...documents.usagePolicies],
  })
}

/** @param documents all that the file declares */
export function fileLimits(documents: readonly StoredDocument[]): LimitTable {
  const of = <Kind extends string>(kind: Kind) => documents.filter((document) => isOfKind(document, kind))
  const sources = {
    organisationSlug: null,
    keys: of(kinds.apiKey),
    workspaces: of(kinds.workspace),
    // A credential of the file is its own integration.
    providers: of(kinds.provider).map((provider) => ({ provider, integration: null })),
    ratePolicies: of(kinds.rateLimitPolicy),
    usagePolicies: of(kinds.usageLimitPolicy),
  }
  return createLimitTable(sources)
}

/** The workspace's limits on an integration of the organisation; its own integrations have none. */
function integrationLimits(
  provider: DocumentOf<'provider'>,
  { integrations, accesses, workspaceId }: WorkspaceDocuments,
): ProviderLimits['integration'] {
  const integration = integrations.get(provider.data.integration_id)
  if (integration === undefined || integration.workspace_id === workspaceId) return null
  const { global_workspace_access } = integration.data
  const access = accesses.get(integration.id)
  const given = access === undefined ? global_workspace_access : access.data
  const limits: Limits = { usage_limits: given?.usage_limits ?? [], rate_limits: given?.rate_limits ?? [] }
  return { document: integration, workspaceId, limits }
}
