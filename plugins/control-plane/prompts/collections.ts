/**
 * Collections of prompts (management contract, section 14), nested at most five deep. Every workspace has a default
 * collection, created on the first access to collections.
 */
import type { StoredDocument } from '@gateway/contract'
import { type CollectionData, derivedId, kinds, slugKey } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  commitAsSystem,
  conflict,
  defineResource,
  listAll,
  type Resource,
  unknownInBody,
  type Write,
} from '../engine/index.ts'

const deepest = 5
const reference = Type.String({ minLength: 1, maxLength: 255 })

export const collections: Resource = defineResource<CollectionData>({
  kind: kinds.collection,
  object: 'collection',
  title: 'collection',
  tag: 'Prompts',
  operation: 'collection',
  path: '/collections',
  level: 'workspace',
  families: [{ family: 'prompts' }],
  slug: { prefix: 'col-' },
  fields: { parent_collection_id: { schema: reference } },
  answers: {
    is_default: Type.Boolean(),
    collection_details: Type.Object({
      prompts_count: Type.Integer({ minimum: 0 }),
      child_collections_count: Type.Integer({ minimum: 0 }),
    }),
  },
  filters: { parent_collection_id: { schema: reference, attribute: 'parent_collection_id' } },
  hooks: {
    ensure: ensureDefaults,
    prepare,
    attributes: ({ data }) => ({
      parent_collection_id: data.parent_collection_id === null ? [] : [data.parent_collection_id],
    }),
    present: async (document, call) => ({
      is_default: document.data.is_default,
      collection_details: await detailsOf(document, call),
    }),
    async inUse(document, call) {
      if (document.data.is_default) throw conflict('The default collection cannot be deleted.')
      return usersOf(document, call)
    },
  },
})

async function prepare(write: Write<CollectionData>): Promise<void> {
  const { draft, before, action, fault, call } = write
  draft.data.is_default = before?.data.is_default ?? false
  if (action === 'archive' || !write.isGiven('parent_collection_id')) return
  const named = draft.data.parent_collection_id
  if (named === null) return
  const workspaceId = draft.workspace_id ?? ''
  const parent = await findCollection(call, named, workspaceId)
  if (parent === null) {
    const reference = { kind: kinds.collection, written: named, workspaceId }
    throw await unknownInBody(call, '/parent_collection_id', reference)
  }
  draft.data.parent_collection_id = parent.id
  const path = await pathTo(call, parent)
  if (path.some(({ id }) => id === draft.id))
    fault('/parent_collection_id', 'must not be the collection itself or one inside it')
  else if (path.length + (await heightOf(call, draft.id, before !== null)) > deepest)
    fault('/parent_collection_id', `must not nest collections more than ${deepest} deep`)
}

/** The collections from the root to this one. */
async function pathTo(
  call: Call,
  collection: StoredDocument<CollectionData>,
): Promise<StoredDocument<CollectionData>[]> {
  const path = [collection]
  for (let above = collection.data.parent_collection_id; above !== null && path.length <= deepest; ) {
    const parent = await call.documents.get(kinds.collection, above)
    if (parent === null) break
    path.unshift(parent)
    above = parent.data.parent_collection_id
  }
  return path
}

/** The number of levels from a collection downwards, including itself. */
async function heightOf(call: Call, id: string, mayHaveChildren: boolean): Promise<number> {
  let height = 1
  for (let level = mayHaveChildren ? [id] : []; level.length > 0 && height <= deepest; ) {
    const below = await listAll(call, kinds.collection, {
      statuses: ['active'],
      attributes: { parent_collection_id: level },
    })
    if (below.length === 0) break
    height += 1
    level = below.map((child) => child.id)
  }
  return height
}

const one = { offset: 0, limit: 10 }
const childrenOf = ({ id }: { id: string }) => ({
  statuses: ['active'],
  attributes: { parent_collection_id: [id] },
})
const promptsOf = ({ id }: { id: string }) => ({ statuses: ['active'], attributes: { collection_id: [id] } })

async function detailsOf(document: StoredDocument<CollectionData>, call: Call) {
  const { documents } = call
  const [prompts, children] = await Promise.all([
    documents.list(kinds.prompt, promptsOf(document), { offset: 0, limit: 1 }),
    documents.list(kinds.collection, childrenOf(document), { offset: 0, limit: 1 }),
  ])
  return { prompts_count: prompts.total, child_collections_count: children.total }
}

async function usersOf(document: StoredDocument<CollectionData>, { documents }: Call): Promise<string[]> {
  const [prompts, children] = await Promise.all([
    documents.list(kinds.prompt, promptsOf(document), one),
    documents.list(kinds.collection, childrenOf(document), one),
  ])
  return [
    ...prompts.documents.map(({ slug, id }) => `prompt ${slug ?? id}`),
    ...children.documents.map(({ slug, id }) => `collection ${slug ?? id}`),
  ]
}

/** A live collection of a workspace by id or slug. */
export async function findCollection(
  call: Call,
  idOrSlug: string,
  workspaceId: string,
): Promise<StoredDocument<CollectionData> | null> {
  await ensureDefault(call, workspaceId)
  return call.find(kinds.collection, idOrSlug, workspaceId)
}

const defaultCollectionId = (workspaceId: string): string =>
  derivedId(`${kinds.collection}/${workspaceId}/default`)

/** Workspaces whose default collection this process knows to be stored. */
const ensured = new WeakMap<object, Set<string>>()

/** Returns its id. */
export async function ensureDefault(call: Call, workspaceId: string): Promise<string> {
  const { context, documents, organisationId, nowMs } = call
  const id = defaultCollectionId(workspaceId)
  const known = ensured.get(context) ?? new Set()
  ensured.set(context, known)
  if (known.has(workspaceId)) return id
  if ((await documents.get(kinds.collection, id)) === null) {
    const document = {
      kind: kinds.collection,
      id,
      organisation_id: organisationId,
      workspace_id: workspaceId,
      slug: 'default',
      name: 'Default',
      status: 'active',
      created_at: nowMs,
      last_updated_at: nowMs,
      keys: [slugKey(workspaceId, 'default')],
      attributes: {},
      data: { parent_collection_id: null, is_default: true },
    }
    // Another replica may create it at the same time: its id is derived, so both write the same document.
    await commitAsSystem(context, organisationId, {
      writes: [{ op: 'put', document }],
      note: {
        action: 'create',
        resource_type: 'collection',
        resource_id: id,
        workspace_id: workspaceId,
      },
    })
  }
  known.add(workspaceId)
  return id
}

async function ensureDefaults(call: Call, workspaceId: string | null): Promise<void> {
  const workspaces = workspaceId === null ? await visibleWorkspaces(call) : [workspaceId]
  for (const id of workspaces) await ensureDefault(call, id)
}

async function visibleWorkspaces(call: Call): Promise<readonly string[]> {
  const visible = await call.visibleWorkspaces()
  if (visible !== null) return visible
  const stored = await listAll(call, kinds.workspace, {
    organisation_id: call.organisationId,
    statuses: ['active'],
  })
  const declared = call.context.fileDocuments().filter(({ kind }) => kind === kinds.workspace)
  return [...new Set([...stored, ...declared].map(({ id }) => id))]
}
