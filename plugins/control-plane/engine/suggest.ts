/**
 * Suggestions for a slug that does not exist: only names that the caller may list. An object that exists but is hidden
 * from the caller gets the same message.
 */
import { GatewayError, isGatewayError } from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import type { Call } from './call.ts'
import { notFound } from './errors.ts'
import { listFilters } from './families.ts'
import { fileDocumentsOf } from './present.ts'
import { type Resource, resourcesOfKind } from './resource.ts'
import { isId } from './slug.ts'

const maxProposed = 100

/** The error for the document that a path names. */
export async function unknownInPath(
  resource: Resource,
  call: Call,
  { name, workspaceId }: { name: string; workspaceId: string | null },
): Promise<GatewayError> {
  const { title, missingCode, slug } = resource
  const param = 'path/id'
  if (isId(name) || slug === null) return notFound(param, title, missingCode)
  const known = await listedSlugs(resource, call, { workspaceId })
  if (known.length === 0) return notFound(param, title, missingCode)
  return new GatewayError(missingCode ?? 'not_found', unknownName({ what: title, written: name, known }), {
    param,
  })
}

export interface UnknownReference {
  kind: string
  /** The name as written in the body. */
  written: string
  /** The workspace in which the name was looked up; null: only in the organisation. */
  workspaceId: string | null
}

/** The message for an unknown name in a body. */
export async function unknownReference(
  call: Call,
  { kind, written, workspaceId }: UnknownReference,
): Promise<string> {
  const resources = resourcesOfKind(call.context, kind)
  const lists = isId(written)
    ? []
    : await Promise.all(
        resources.map((resource) => listedSlugs(resource, call, { workspaceId, isExact: true })),
      )
  const known = [...new Set(lists.flat())]
  const what = resources[0]?.title ?? kind.replaceAll('_', ' ')
  return unknownName({ what, written, known: known.length === 0 ? null : known })
}

/** The error for a document that a body refers to. */
export async function unknownInBody(
  call: Call,
  param: string,
  reference: UnknownReference,
): Promise<GatewayError> {
  return new GatewayError('not_found', await unknownReference(call, reference), { param })
}

interface ListedSlugsOptions {
  workspaceId: string | null
  isExact?: boolean
}

/**
 * @param isExact whether a missing workspace means only the organisation's documents, instead of those of every
 * workspace
 */
async function listedSlugs(
  resource: Resource,
  call: Call,
  { workspaceId, isExact = false }: ListedSlugsOptions,
): Promise<string[]> {
  const filters = await listFilters(resource, call, workspaceId).catch((error: unknown) => {
    // The caller may read an object whose name it knows, but may not list objects.
    if (isGatewayError(error) && error.code === 'missing_scope') return []
    throw error
  })
  const slugs = new Set<string>()
  for (const filter of filters) {
    const narrowed = { ...filter, statuses: ['active'] }
    await resource.hooks?.narrowList?.(narrowed, call, workspaceId)
    const { documents } = await call.documents.list(resource.kind, narrowed, {
      offset: 0,
      limit: maxProposed,
    })
    for (const { slug, workspace_id } of documents)
      if (slug !== null && (!isExact || workspaceId !== null || workspace_id === null)) slugs.add(slug)
  }
  // Every caller who may list objects sees those of the config file.
  if (filters.length > 0)
    for (const { slug, workspace_id } of fileDocumentsOf(resource, call))
      if (slug !== null && (workspace_id === null || workspace_id === workspaceId)) slugs.add(slug)
  return [...slugs]
}
