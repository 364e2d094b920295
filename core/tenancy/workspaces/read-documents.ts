/** The stored documents that decide what happens to the requests of one workspace. */
import type { DocumentFilter, Documents, StoredDocument } from '@gateway/contract'
import { firstOrganisationId, kinds } from '../../domain/index.ts'

export interface WorkspaceDocuments {
  workspaceId: string
  /** Null for one that only the config file declares. */
  workspace: StoredDocument | null
  organisation: StoredDocument | null
  providers: readonly StoredDocument[]
  /** Of the providers, by id. */
  integrations: ReadonlyMap<string, StoredDocument>
  /** This workspace's access to integrations of the organisation, by integration. */
  accesses: ReadonlyMap<string, StoredDocument>
  guardrails: readonly StoredDocument[]
  /** Of rates and of usage. */
  policies: readonly StoredDocument[]
}

const pageSize = 1000
const idsAtOnce = 100

/** Errors: `store_unavailable`. */
export async function readDocuments(workspaceId: string, documents: Documents): Promise<WorkspaceDocuments> {
  const workspace = await documents.get(kinds.workspace, workspaceId)
  const organisationId = workspace?.organisation_id ?? firstOrganisationId
  const all = (kind: string, workspaces: (string | null)[], statuses: readonly string[]) =>
    readAll(documents, kind, { organisation_id: organisationId, workspace_ids: workspaces, statuses })
  const own = [workspaceId]
  const shared = [workspaceId, null]
  const [organisation, providers, accesses, guardrails, ratePolicies, usagePolicies] = await Promise.all([
    documents.get(kinds.organisation, organisationId),
    all(kinds.provider, own, ['active', 'exhausted', 'expired']),
    all(kinds.integrationAccess, own, ['active']),
    all(kinds.guardrail, shared, ['active']),
    all(kinds.rateLimitPolicy, shared, ['active']),
    all(kinds.usageLimitPolicy, shared, ['active']),
  ])
  return {
    workspaceId,
    workspace,
    organisation,
    providers,
    integrations: await readIntegrations(documents, providers),
    accesses: new Map(accesses.map((access) => [String(access.data.integration_id), access])),
    guardrails,
    policies: [...ratePolicies, ...usagePolicies],
  }
}

async function readIntegrations(
  documents: Documents,
  providers: readonly StoredDocument[],
): Promise<Map<string, StoredDocument>> {
  const ids = [...new Set(providers.map(({ data }) => String(data.integration_id)))]
  const found: StoredDocument[] = []
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    found.push(...(await readAll(documents, kinds.integration, { ids: ids.slice(start, start + idsAtOnce) })))
  }
  return new Map(found.map((document) => [document.id, document]))
}

/** Every page, oldest first. */
export async function readAll(
  documents: Documents,
  kind: string,
  filter: DocumentFilter,
): Promise<StoredDocument[]> {
  const found: StoredDocument[] = []
  for (;;) {
    const page = { offset: found.length, limit: pageSize }
    const read = await documents.list(kind, filter, { sort: 'created_at', order: 'asc' }, page)
    found.push(...read.documents)
    if (read.documents.length < pageSize) return found
  }
}
