/** Agent servers and their integrations as clients meet them: read once, forgotten when the store reports a change. */
import type { ServiceContext, StoredDocument } from '@gateway/contract'
import {
  isOfKind,
  kinds,
  type RemoteIntegrationData,
  type RemoteServerData,
  slugKey,
  typedDocuments,
} from '@gateway/core/domain'

export type Integration = StoredDocument<RemoteIntegrationData>
export type Server = StoredDocument<RemoteServerData>

export interface Place {
  server: Server
  integration: Integration
}

export interface Directory {
  /** By slug or id; null when there is none. */
  find(organisationId: string, slugOrId: string): Promise<Place | null>
  close(): void
}

const maxPlaces = 5000
const watched: ReadonlySet<string> = new Set([kinds.agentIntegration, kinds.agentServer])
const isId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

export function createDirectory(context: Pick<ServiceContext, 'ports' | 'fileDocuments'>): Directory {
  const documents = typedDocuments(context.ports.documents)
  const places = new Map<string, Place | null>()
  let declared = context.fileDocuments()
  let revision = 0
  const forget = () => {
    revision += 1
    places.clear()
  }
  const unwatch = documents.watch((changes) => {
    if (changes.length === 0 || changes.some(({ kind }) => watched.has(kind))) forget()
  })

  async function load(organisationId: string, name: string): Promise<Place | null> {
    const server = await findServer(organisationId, name)
    if (server === null || server.status !== 'active') return null
    const id = server.data.agent_integration_id ?? ''
    const integration =
      declared.filter((one) => isOfKind(one, kinds.agentIntegration)).find((one) => one.id === id) ??
      (await documents.get(kinds.agentIntegration, id))
    return integration === null ? null : { server, integration }
  }

  async function findServer(organisationId: string, name: string): Promise<Server | null> {
    const ofFile = declared
      .filter((one) => isOfKind(one, kinds.agentServer))
      .find((one) => one.organisation_id === organisationId && (one.slug === name || one.id === name))
    if (ofFile !== undefined) return ofFile
    const found =
      (await documents.findByKey(kinds.agentServer, slugKey(organisationId, name))) ??
      (isId.test(name) ? await documents.get(kinds.agentServer, name) : null)
    return found?.organisation_id === organisationId ? found : null
  }

  return {
    async find(organisationId, name) {
      const now = context.fileDocuments()
      if (now !== declared) {
        declared = now
        forget()
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
