/** The stored documents that affect the requests of one workspace. */
import type { DocumentFilter, Documents } from '@gateway/contract'
import {
  type DocumentOf,
  firstOrganisationId,
  kinds,
  type TypedDocuments,
  typedDocuments,
} from '@gateway/domain'

export interface WorkspaceDocuments {
  workspaceId: string
  /** The workspace; null for a workspace that only the config file declares. */
  workspace: DocumentOf<'workspace'> | null
  organisation: DocumentOf<'organisation'> | null
  providers: readonly DocumentOf<'provider'>[]
  /** The integrations of the providers, by id. */
  integrations: ReadonlyMap<string, DocumentOf<'integration'>>
  /** This workspace's access to integrations of the organisation, by integration. */
  accesses: ReadonlyMap<string, DocumentOf<'integration_access'>>
  guardrails: readonly DocumentOf<'guardrail'>[]
  pluginSettings: readonly DocumentOf<'plugin_settings'>[]
  ratePolicies: readonly DocumentOf<'rate_limit_policy'>[]
  usagePolicies: readonly DocumentOf<'usage_limit_policy'>[]
}

const pageSize = 1000
const idsAtOnce = 100

/** Errors: `store_unavailable`. */
export async function readDocuments(workspaceId: string, store: Documents): Promise<WorkspaceDocuments> {
  const documents = typedDocuments(store)
  const workspace = await documents.get(kinds.workspace, workspaceId)
  const organisationId = workspace?.organisation_id ?? firstOrganisationId
  const all = <Kind extends string>(kind: Kind, workspaces: (string | null)[], statuses: readonly string[]) =>
    readAll(documents, kind, { organisation_id: organisationId, workspace_ids: workspaces, statuses })
  const own = [workspaceId]
  const shared = [workspaceId, null]
  const [organisation, providers, accesses, guardrails, pluginSettings, ratePolicies, usagePolicies] =
    await Promise.all([
      documents.get(kinds.organisation, organisationId),
      all(kinds.provider, own, ['active', 'exhausted', 'expired']),
      all(kinds.integrationAccess, own, ['active']),
      all(kinds.guardrail, shared, ['active']),
      all(kinds.pluginSettings, [null], ['active']),
      all(kinds.rateLimitPolicy, shared, ['active']),
      all(kinds.usageLimitPolicy, shared, ['active']),
    ])
  return {
    workspaceId,
    workspace,
    organisation,
    providers,
    integrations: await readIntegrations(documents, providers),
    accesses: new Map(accesses.map((access) => [access.data.integration_id, access])),
    guardrails,
    pluginSettings,
    ratePolicies,
    usagePolicies,
  }
}

async function readIntegrations(
  documents: TypedDocuments,
  providers: readonly DocumentOf<'provider'>[],
): Promise<Map<string, DocumentOf<'integration'>>> {
  const ids = [...new Set(providers.map(({ data }) => data.integration_id))]
  const found: DocumentOf<'integration'>[] = []
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    found.push(...(await readAll(documents, kinds.integration, { ids: ids.slice(start, start + idsAtOnce) })))
  }
  return new Map(found.map((document) => [document.id, document]))
}

/** Reads all pages, oldest first. */
async function readAll<Kind extends string>(
  documents: TypedDocuments,
  kind: Kind,
  filter: DocumentFilter,
): Promise<DocumentOf<Kind>[]> {
  const found: DocumentOf<Kind>[] = []
  for (;;) {
    const page = { offset: found.length, limit: pageSize }
    const read = await documents.list(kind, filter, { sort: 'created_at', order: 'asc', ...page })
    found.push(...read.documents)
    if (read.documents.length < pageSize) return found
  }
}
