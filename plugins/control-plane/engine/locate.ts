/** Finds the document that a path names, among those that the caller can see. Errors: `missing_scope`, `not_found`. */
import type { StoredDocument } from '@gateway/contract'
import { kinds, slugKey } from '@gateway/domain'
import type { Call } from './call.ts'
import { invalidQuery } from './errors.ts'
import { placeOf, requireFor, requireSomewhere, scopesFor } from './families.ts'
import { fileDocumentsOf, slugScope } from './present.ts'
import type { Resource } from './resource.ts'
import { isId } from './slug.ts'
import { unknownInPath } from './suggest.ts'

export interface Locating {
  actions: readonly string[]
  /** The id or slug in the path. If no actions are passed, the route checks the rights instead of this function. */
  name: string
  /** Also finds archived documents, or only those. */
  archived?: 'also' | 'only'
}

export async function locate(resource: Resource, call: Call, locating: Locating): Promise<StoredDocument> {
  const { actions, name, archived } = locating
  if (actions.length > 0) await requireSomewhere(call, scopesFor(resource, actions))
  const workspaceId = await namedWorkspace(resource, call)
  await resource.hooks?.ensure?.(call, workspaceId)
  const found = isId(name)
    ? await byId(resource, call, name)
    : await bySlug(resource, call, { slug: name, workspaceId, isArchived: archived === 'only' })
  const missing = () => unknownInPath(resource, call, { name, workspaceId })
  if (found === null || found.organisation_id !== call.organisationId) throw await missing()
  const isArchived = found.status === 'archived'
  if (isArchived ? archived === undefined : archived === 'only') throw await missing()
  const place = placeOf(resource, found)
  if (place !== null) {
    const visible = await call.visibleWorkspaces()
    if (visible !== null && !visible.includes(place)) throw await missing()
    if (workspaceId !== null && place !== workspaceId) throw await missing()
  }
  if (actions.length > 0) await requireFor(resource, call, { actions, document: found })
  return found
}

/**
 * The workspace in an action's body, otherwise in the query. A credential bound to a workspace may not specify another
 * one.
 */
export async function namedWorkspace(resource: Pick<Resource, 'level'>, call: Call): Promise<string | null> {
  const written = call.request.query.workspace_id
  const { boundWorkspaceId } = call.identity
  if (resource.level === 'organisation') return null
  if (call.namedInBody !== null) return (await call.workspace(call.namedInBody, '/workspace_id')).id
  if (written !== undefined && written !== '') return (await call.workspace(written)).id
  return boundWorkspaceId
}

async function byId(resource: Resource, call: Call, id: string): Promise<StoredDocument | null> {
  const declared = fileDocumentsOf(resource, call).find((document) => document.id === id)
  return declared ?? (await call.documents.get(resource.kind, id))
}

interface SlugLookup {
  slug: string
  workspaceId: string | null
  isArchived: boolean
}

async function bySlug(
  resource: Resource,
  call: Call,
  { slug, workspaceId, isArchived }: SlugLookup,
): Promise<StoredDocument | null> {
  if (resource.slug === null) return null
  const { organisationId, documents } = call
  const isInPlace = (document: StoredDocument) =>
    document.workspace_id === null || workspaceId === null || document.workspace_id === workspaceId
  if (!isArchived) {
    const declared = fileDocumentsOf(resource, call).find((one) => one.slug === slug && isInPlace(one))
    if (declared !== undefined) return declared
    for (const scope of new Set([slugScope(resource, organisationId, workspaceId), organisationId])) {
      const found = await documents.findByKey(resource.kind, slugKey(scope, slug))
      if (found !== null && isInPlace(found)) return found
    }
    if (workspaceId !== null || resource.level === 'organisation') return null
  }
  return inAnyWorkspace(resource, call, { slug, workspaceId, isArchived })
}

/** Above this many workspaces, the search uses the slug's text instead of one key per workspace. */
const maxKeyed = 200

/** Without a workspace, searches for the slug in all that the caller can see. Archived documents have no keys. */
async function inAnyWorkspace(
  resource: Resource,
  call: Call,
  { slug, workspaceId, isArchived }: SlugLookup,
): Promise<StoredDocument | null> {
  const visible = workspaceId === null ? await call.visibleWorkspaces() : [workspaceId]
  const keyed = isArchived ? null : await fewWorkspaces(call, visible)
  const same =
    keyed === null
      ? await bySearch(resource, call, { slug, workspaces: visible, isArchived })
      : await byKeys(resource, call, { slug, workspaces: keyed })
  const [first, ...more] = same
  if (first === undefined) return null
  if (more.length > 0 && !isArchived) {
    throw invalidQuery('workspace_id', `several workspaces have a ${resource.title} "${slug}"; name one`)
  }
  return first
}

/** The workspaces' ids, if there are few enough to look up a key in each. */
async function fewWorkspaces(
  call: Call,
  visible: readonly string[] | null,
): Promise<readonly string[] | null> {
  if (visible !== null) return visible.length > maxKeyed ? null : visible
  const { total, documents } = await call.documents.list(
    kinds.workspace,
    { organisation_id: call.organisationId, statuses: ['active'] },
    { offset: 0, limit: maxKeyed },
  )
  const declared = call.context.fileDocuments().filter(({ kind }) => kind === kinds.workspace)
  return total > maxKeyed ? null : [...new Set([...documents, ...declared].map(({ id }) => id))]
}

async function byKeys(
  resource: Resource,
  call: Call,
  { slug, workspaces }: { slug: string; workspaces: readonly string[] },
): Promise<StoredDocument[]> {
  const found = await Promise.all(
    workspaces.map((id) => call.documents.findByKey(resource.kind, slugKey(id, slug))),
  )
  return found.filter((document) => document !== null)
}

interface BySearchOptions {
  slug: string
  workspaces: readonly string[] | null
  isArchived: boolean
}

async function bySearch(
  resource: Resource,
  call: Call,
  { slug, workspaces, isArchived }: BySearchOptions,
): Promise<StoredDocument[]> {
  const { documents } = await call.documents.list(
    resource.kind,
    {
      organisation_id: call.organisationId,
      search: slug,
      ...(workspaces === null ? {} : { workspace_ids: [...workspaces, null] }),
      ...(isArchived ? { statuses: ['archived'] } : {}),
    },
    { offset: 0, limit: 1000 },
  )
  return documents.filter((one) => one.slug === slug && (one.status === 'archived') === isArchived)
}
