/**
 * Suggestions for a slug that does not exist: only names that the caller may list. An object that exists but is hidden
 * from the caller gets the same message.
 */
import { GatewayError, isGatewayError } from '@gateway/contract'
import { unknownName } from '@gateway/core/domain'
import type { Call } from './call.ts'
import { notFound } from './errors.ts'
import { listFilters } from './families.ts'
import { fileDocumentsOf } from './present.ts'
import type { Resource } from './resource.ts'
import { isId } from './slug.ts'

const maxProposed = 100

/** The error for the document that a path names. */
export async function unknownInPath(
  resource: Resource,
  call: Call,
  name: string,
  workspaceId: string | null,
): Promise<GatewayError> {
  const { title, missingCode, slug } = resource
  const param = 'path/id'
  if (isId(name) || slug === null) return notFound(param, title, missingCode)
  const known = await listedSlugs(resource, call, workspaceId)
  if (known.length === 0) return notFound(param, title, missingCode)
  return new GatewayError(missingCode ?? 'not_found', unknownName({ what: title, written: name, known }), {
    param,
  })
}

async function listedSlugs(resource: Resource, call: Call, workspaceId: string | null): Promise<string[]> {
  const filters = await listFilters(resource, call, workspaceId).catch((error: unknown) => {
    // The caller may read an object that it can name, but may not list any.
    if (isGatewayError(error) && error.code === 'missing_scope') return []
    throw error
  })
  const slugs = new Set<string>()
  for (const filter of filters) {
    const narrowed = { ...filter, statuses: ['active'] }
    await resource.hooks?.narrowList?.(narrowed, call, workspaceId)
    const { documents } = await call.documents.list(
      resource.kind,
      narrowed,
      {},
      { offset: 0, limit: maxProposed },
    )
    for (const { slug } of documents) if (slug !== null) slugs.add(slug)
  }
  // Everyone who may list objects sees those of the config file.
  if (filters.length > 0)
    for (const { slug, workspace_id } of fileDocumentsOf(resource, call))
      if (slug !== null && (workspace_id === null || workspace_id === workspaceId)) slugs.add(slug)
  return [...slugs]
}
