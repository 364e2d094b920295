/** A page of documents: what is stored and what the config file declares, as one ordered list. */
import {
  compareDocuments,
  type DocumentFilter,
  type DocumentOrder,
  type DocumentPage,
  matchesDocument,
  type StoredDocument,
} from '@gateway/core/contract'
import type { Call } from './call.ts'
import { fileDocumentsOf, isWorkspaceKind } from './present.ts'
import type { Resource } from './resource.ts'

interface PageRequest {
  /** Their union is disjoint. */
  filters: readonly DocumentFilter[]
  order: DocumentOrder
  offset: number
  limit: number
}

/** Reads one page over all filters, in order; the total counts everything. */
export async function readPage(resource: Resource, call: Call, request: PageRequest): Promise<DocumentPage> {
  const { filters, order, offset, limit } = request
  const declared = await declaredDocuments(resource, call, filters)
  const extra = declared.filter(({ isStored }) => !isStored).map(({ document }) => document)
  const replaced = new Map(declared.map(({ document }) => [document.id, document]))
  const compare = compareDocuments(order)
  const files = extra.sort(compare)
  // With one filter the window can begin behind the start: files before it are on earlier pages.
  const [only, ...more] = filters
  const isSingle = only !== undefined && more.length === 0
  const start = isSingle ? Math.max(0, offset - files.length) : 0
  const pages = await Promise.all(
    filters.map((filter) =>
      call.documents.list(resource.kind, filter, order, { offset: start, limit: offset + limit - start }),
    ),
  )
  const stored = pages.flatMap(({ documents }) => documents).map((found) => replaced.get(found.id) ?? found)
  const merged = [...files, ...stored].sort(compare)
  return {
    total: pages.reduce((sum, { total }) => sum + total, 0) + files.length,
    documents: merged.slice(offset - start, offset - start + limit),
  }
}

interface Declared {
  document: StoredDocument
  /** Whether the store has one of the same id, which it stands in for (the default workspace). */
  isStored: boolean
}

async function declaredDocuments(
  resource: Resource,
  call: Call,
  filters: readonly DocumentFilter[],
): Promise<Declared[]> {
  const found = fileDocumentsOf(resource, call).filter((document) =>
    filters.some((filter) => matchesFile(resource, document, filter)),
  )
  if (found.length === 0 || !isWorkspaceKind(resource)) {
    return found.map((document) => ({ document, isStored: false }))
  }
  const ids = found.map(({ id }) => id)
  const { documents } = await call.documents.list(
    resource.kind,
    { ids },
    {},
    { offset: 0, limit: ids.length },
  )
  const stored = new Set(documents.map(({ id }) => id))
  return found.map((document) => ({ document, isStored: stored.has(document.id) }))
}

/** What the file declares without a workspace serves all of them. */
function matchesFile(resource: Resource, document: StoredDocument, filter: DocumentFilter): boolean {
  if (document.workspace_id !== null || resource.level === 'organisation')
    return matchesDocument(document, filter)
  const { workspace_ids: _, ...rest } = filter
  return matchesDocument(document, rest)
}
