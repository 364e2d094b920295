/**
 * Servers and their integrations for client requests: read once, cached, and removed from the cache when the store
 * reports a change. Objects of the config file have precedence over stored ones. Concurrent callers share one read and
 * get the same objects, which are cache keys elsewhere.
 */
import type { ServiceContext, StoredDocument } from '@gateway/contract'
import { type DocumentDataByKind, isOfKind, slugKey, typedDocuments } from '@gateway/domain'
import { type Integration, integrationIdOf, type RemoteKind, type Server } from './data.ts'

export interface RemotePlace {
  server: Server
  integration: Integration
}

export interface RemoteDirectory<Place> {
  /** Finds a server by slug or id, or returns null. */
  find(organisationId: string, slugOrId: string): Promise<Place | null>
  /** Slugs of a workspace's servers, for messages. */
  slugsIn(workspaceId: string): Promise<string[]>
  close(): void
}

export interface DirectorySpec<Place> {
  serverKind: 'mcp_server' | 'agent_server'
  integrationKind: RemoteKind
  /** Further document kinds that a place depends on. */
  alsoWatched?: readonly (keyof DocumentDataByKind)[]
  /** Adds the other data that a call needs. */
  complete(place: RemotePlace): Promise<Place>
}

const maxPlaces = 5000
const maxProposed = 100
const isId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

export function createRemoteDirectory<Place>(
  context: ServiceContext<'documents' | 'fileDocuments'>,
  { serverKind, integrationKind, alsoWatched = [], complete }: DirectorySpec<Place>,
): RemoteDirectory<Place> {
  const documents = typedDocuments(context.documents)
  const watched: ReadonlySet<string> = new Set([serverKind, integrationKind, ...alsoWatched])
  const places = new Map<string, Promise<Place | null>>()
  let declared = context.fileDocuments()
  const unwatch = documents.watch((changes) => {
    if (changes.length === 0 || changes.some(({ kind }) => watched.has(kind))) places.clear()
  })

  async function load(organisationId: string, name: string): Promise<Place | null> {
    const server = await findServer(organisationId, name)
    if (server === null || server.status !== 'active') return null
    const integrationId = integrationIdOf(server.data)
    const integration =
      declared.filter((one) => isOfKind(one, integrationKind)).find(({ id }) => id === integrationId) ??
      (await documents.get(integrationKind, integrationId))
    return integration === null ? null : complete({ server, integration })
  }

  async function findServer(organisationId: string, name: string): Promise<Server | null> {
    const isMeant = ({ id, slug, organisation_id }: StoredDocument<unknown>) =>
      organisation_id === organisationId && (slug === name || id === name)
    const ofFile = declared.filter((one) => isOfKind(one, serverKind)).find(isMeant)
    if (ofFile !== undefined) return ofFile
    const found =
      (await documents.findByKey(serverKind, slugKey(organisationId, name))) ??
      (isId.test(name) ? await documents.get(serverKind, name) : null)
    return found?.organisation_id === organisationId ? found : null
  }

  return {
    find(organisationId, name) {
      const now = context.fileDocuments()
      if (now !== declared) {
        declared = now
        places.clear()
      }
      const key = `${organisationId}/${name}`
      const known = places.get(key)
      if (known !== undefined) return known
      const loading = load(organisationId, name)
      if (places.size >= maxPlaces) places.clear()
      places.set(key, loading)
      loading.catch(() => {
        if (places.get(key) === loading) places.delete(key)
      })
      return loading
    },
    async slugsIn(workspaceId) {
      const ofFile = context.fileDocuments().filter((one) => isOfKind(one, serverKind))
      const filter = { workspace_ids: [workspaceId], statuses: ['active'] }
      const stored = await documents.list(serverKind, filter, { offset: 0, limit: maxProposed })
      const here = [...ofFile, ...stored.documents].filter((one) => one.workspace_id === workspaceId)
      return [...new Set(here.flatMap(({ slug }) => slug ?? []))]
    },
    close: unwatch,
  }
}
