/** MCP servers, their integrations and the results of syncs, for client requests. */
import type { ServiceContext, StoredDocument } from '@gateway/contract'
import {
  createRemoteDirectory,
  type RemoteDirectory,
  type RemotePlace,
} from '@gateway/control-plane/remote-servers'
import { kinds, type McpCatalogueData, typedDocuments } from '@gateway/domain'

export type { Integration, Server } from '@gateway/control-plane/remote-servers'
export type Catalogue = StoredDocument<McpCatalogueData>

/** A server with all data that a call needs. */
export interface Place extends RemotePlace {
  /** The results of the last sync; null if it was never synced. */
  catalogue: Catalogue | null
}

export type Directory = RemoteDirectory<Place>

export function createDirectory(context: ServiceContext<'documents' | 'fileDocuments'>): Directory {
  const documents = typedDocuments(context.documents)
  return createRemoteDirectory<Place>(context, {
    serverKind: kinds.mcpServer,
    integrationKind: kinds.mcpIntegration,
    alsoWatched: [kinds.mcpCatalogue],
    complete: async (place) => ({
      ...place,
      catalogue: await documents.get(kinds.mcpCatalogue, place.integration.id),
    }),
  })
}
