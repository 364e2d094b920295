/** The `data` of an event: the object as in answers, without its secrets. */
import { isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import {
  type DocumentOf,
  isOfKind,
  kinds,
  redact,
  slugKey,
  snapshotOf,
  typedDocuments,
} from '@gateway/domain'
import { apiKeys, presentKey } from '../api-keys/index.ts'
import { configs } from '../configs/index.ts'
import { baseView, isId, type ManagementContext, type Viewer } from '../engine/index.ts'
import { presentUser } from '../people/index.ts'

/** The context for hooks that present an object, without a caller. */
function viewerOf(context: ManagementContext<'counters'>, organisationId: string): Viewer<'counters'> {
  const documents = typedDocuments(context.documents)
  return {
    context,
    documents,
    organisationId,
    nowMs: context.now(),
    memory: new Map(),
    async find<Kind extends string>(kind: Kind, idOrSlug: string, scopeId: string) {
      const found = isId(idOrSlug)
        ? await documents.get(kind, idOrSlug)
        : await documents.findByKey(kind, slugKey(scopeId, idOrSlug))
      return found as DocumentOf<Kind> | null
    },
  }
}

export async function eventData(
  context: ManagementContext<'counters'>,
  event: StoredDocument,
): Promise<JsonObject> {
  const data = isObject(event.data.data) ? event.data.data : {}
  const snapshot = snapshotOf(event)
  if (snapshot === null) return data
  const shown = await presentSnapshot(viewerOf(context, event.organisation_id ?? ''), snapshot)
  // Redacting an object returns an object.
  return { ...(redact(shown) as JsonObject), ...data }
}

async function presentSnapshot(viewer: Viewer<'counters'>, document: StoredDocument): Promise<JsonObject> {
  if (isOfKind(document, kinds.apiKey)) return baseView(apiKeys, document, await presentKey(document, viewer))
  if (isOfKind(document, kinds.user)) return presentUser(document, viewer)
  if (isOfKind(document, kinds.config)) {
    const { config: _, ...view } = baseView(configs, document)
    return view
  }
  const { id, name, slug, status, workspace_id, organisation_id } = document
  return { id, object: document.kind, name, slug, status, organisation_id, workspace_id }
}
