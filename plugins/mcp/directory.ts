/**
 * Servers, integrations and what syncs found, as clients meet them: read once, kept near, forgotten when the store reports
 * a change. What the config file declares comes before what is stored.
 */
import type { ServiceContext, StoredDocument } from '@gateway/contract'
import {
  isOfKind,
  kinds,
  type McpCatalogueData,
  type RemoteIntegrationData,
  type RemoteServerData,
  slugKey,
  typedDocuments,
} from '@gateway/core/domain'

export type Integration = StoredDocument<RemoteIntegrationData>
export type Server = StoredDocument<RemoteServerData>
export type Catalogue = StoredDocument<McpCatalogueData>

/** A server with all that a call of it needs. */
export interface Place {
  server: Server
  integration: Integration
  /** Null: never synced. */
  catalogue: Catalogue | null
}

export interface Directory {
  /** By slug or id; null when there is none. */
  find(organisationId: string, slugOrId: string): Promise<Place | null>
  close(): void
}

const maxPlaces = 5000
const watched: ReadonlySet<string> = new Set([kinds.mcpIntegration, kinds.mcpServer, kinds.mcpCatalogue])

export function createDirectory(context: Pick<ServiceContext, 'ports' | 'fileDocuments'>): Directory {
  const documents = typedDocuments(context.ports.documents)
  const places = new Map<string, Place | null>()
  let declared = context.fileDocuments()
  /** Grows with every change: what was read before one is not kept. */
  let revision = 0
  const unwatch = documents.watch((changes) => {
    if (changes.length > 0 && !changes.some(({ kind }) => watched.has(kind))) return
    revision += 1
    places.clear()
  })

  async function load(organisationId: string, name: string): Promise<Place | null> {
    const server = await findServer(organisationId, name)
    if (server === null || server.status !== 'active') return null
    const integrationId = server.data.mcp_integration_id ?? ''
    const integration =
      declared.filter((one) => isOfKind(one, kinds.mcpIntegration)).find(({ id }) => id === integrationId) ??
      (await documents.get(kinds.mcpIntegration, integrationId))
    if (integration === null) return null
    return { server, integration, catalogue: await documents.get(kinds.mcpCatalogue, integration.id) }
  }

  async function findServer(organisationId: string, name: string): Promise<Server | null> {
    const ofFile = declared
      .filter((one) => isOfKind(one, kinds.mcpServer))
      .find(
        ({ id, slug, organisation_id }) =>
          organisation_id === organisationId && (slug === name || id === name),
      )
    if (ofFile !== undefined) return ofFile
    const found =
      (await documents.findByKey(kinds.mcpServer, slugKey(organisationId, name))) ??
      (isId.test(name) ? await documents.get(kinds.mcpServer, name) : null)
    return found?.organisation_id === organisationId ? found : null
  }

  return {
    async find(organisationId, name) {
      const now = context.fileDocuments()
      if (now !== declared) {
        declared = now
        revision += 1
        places.clear()
      }
      const key = `${organisationId}/${name}`
      const known = places.get(key)
      if (known !== undefined) return known
      const from = revision
      const found = await load(organisationId, name)
      if (from === revision) {
        if (places.size >= maxPlaces) places.clear()
        places.set(key, found)
      }
      return found
    },
    close: unwatch,
  }
}

const isId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
