/** A page of documents: stored ones and those of the config file, as one ordered list. */
import type { DocumentFilter, DocumentOrder, DocumentPage, StoredDocument } from '@gateway/contract'
import { compareDocuments, matchesDocument } from '@gateway/domain'
import type { Call } from './call.ts'
import { fileDocumentsOf, isWorkspaceKind } from './present.ts'
import type { AnyResource } from './resource.ts'

interface PageRequest {
  /** Disjoint filters. */
  filters: readonly DocumentFilter[]
  /** Ids to leave out regardless of the filters; only a few. */
  hidden: readonly string[]
  order: DocumentOrder
  offset: number
  limit: number
}

/** Reads one page over all filters, in order. The total counts all matching documents. */
export async function readPage(
  resource: AnyResource,
  call: Call,
  request: PageRequest,
): Promise<DocumentPage> {
  const { filters, hidden, order, offset, limit } = request
  const declared = await declaredDocuments(resource, call, filters)
  const replaced = new Map(declared.map(({ document }) => [document.id, document]))
  const compare = compareDocuments(order)
  const files = declared
    .filter(({ isStored, document }) => !isStored && !hidden.includes(document.id))
    .map(({ document }) => document)
  // With one filter the window can begin after the start: documents of the config file that sort earlier are on earlier
  // pages.
  const [only, ...more] = filters
  const isSingle = only !== undefined && more.length === 0
  const start = isSingle ? Math.max(0, offset - files.length) : 0
  const pages = await Promise.all(
    filters.map((filter) =>
      readVisible({ resource, call, filter, hidden, order, start, end: offset + limit }),
    ),
  )
  const stored = pages.flatMap(({ documents }) => documents).map((found) => replaced.get(found.id) ?? found)
  const merged = [...files, ...stored].sort(compare)
  return {
    total: pages.reduce((sum, { total }) => sum + total, 0) + files.length,
    documents: merged.slice(offset - start, offset - start + limit),
  }
}

interface Window extends Pick<PageRequest, 'hidden' | 'order'> {
  resource: AnyResource
  call: Call
  filter: DocumentFilter
  start: number
  end: number
}

/** Reads the documents that a filter finds, from `start` to `end`, without the hidden ones. */
async function readVisible(window: Window): Promise<DocumentPage> {
  const { resource, call, filter, hidden, order, start, end } = window
  const list = (some: DocumentFilter, offset: number, limit: number) =>
    call.documents.list(resource.kind, some, { ...order, offset, limit })
  const ids = hidden.filter((id) => filter.ids?.includes(id) ?? true)
  if (ids.length === 0) return list(filter, start, end - start)
  // Hidden documents may be in the window, which is then longer by their number, or before it, which then begins later.
  const gone = await list({ ...filter, ids }, 0, ids.length)
  const page = await list(filter, start, end - start + gone.total)
  const [first] = page.documents
  const compare = compareDocuments(order)
  const before = first === undefined ? 0 : gone.documents.filter((one) => compare(one, first) < 0).length
  const visible = page.documents.filter(({ id }) => !ids.includes(id))
  return {
    total: page.total - gone.total,
    documents: visible.slice(before, before + end - start),
  }
}

interface Declared {
  document: StoredDocument
  /** Whether the store has a document with the same id, which this one replaces (the default workspace). */
  isStored: boolean
}

async function declaredDocuments(
  resource: AnyResource,
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
  const { documents } = await call.documents.list(resource.kind, { ids }, { offset: 0, limit: ids.length })
  const stored = new Set(documents.map(({ id }) => id))
  return found.map((document) => ({ document, isStored: stored.has(document.id) }))
}

/** Objects of the config file without a workspace are available in all workspaces. */
function matchesFile(resource: AnyResource, document: StoredDocument, filter: DocumentFilter): boolean {
  if (document.workspace_id !== null || resource.level === 'organisation')
    return matchesDocument(document, filter)
  const { workspace_ids: _, ...rest } = filter
  return matchesDocument(document, rest)
}
