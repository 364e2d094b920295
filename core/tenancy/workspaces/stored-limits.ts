/** Limits that hold in a workspace: those of the file, and those of what is stored. */

import type { Settings } from '../../boot/load-settings.ts'
import { type DocumentOf, isOfKind, kinds, type Limits } from '../../domain/index.ts'
import { createLimitTable, type ProviderLimits } from '../../metering/limits/limit-table.ts'
import type { WorkspaceDocuments } from './read-documents.ts'

export function storedLimits(base: Settings, documents: WorkspaceDocuments): Pick<Settings, 'limits'> {
  const declared = <Kind extends string>(kind: Kind) =>
    base.documents.filter((document) => isOfKind(document, kind))
  const { workspace, workspaceId, organisation } = documents
  return {
    limits: createLimitTable({
      organisationSlug: organisation?.slug ?? null,
      keys: declared(kinds.apiKey),
      // What the file says of a workspace stands above what is stored of it, which is then the file's to write.
      workspaces: [...(workspace === null ? [] : [workspace]), ...declared(kinds.workspace)].filter(
        ({ id }) => id === workspaceId,
      ),
      providers: [
        // A credential of the file is its own integration.
        ...declared(kinds.provider).map((provider): ProviderLimits => ({ provider, integration: null })),
        // One that is stored by the same name is not called.
        ...documents.providers
          .filter(({ id, slug }) => !base.context.credentials.has(slug ?? id))
          .map((provider) => ({ provider, integration: integrationLimits(provider, documents) })),
      ],
      ratePolicies: [...declared(kinds.rateLimitPolicy), ...documents.ratePolicies],
      usagePolicies: [...declared(kinds.usageLimitPolicy), ...documents.usagePolicies],
    }),
  }
}

/** What the workspace was given of an integration of the organisation; its own has no limits. */
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
