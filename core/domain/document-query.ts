/** What a filter lets through, and in which order documents stand: the meaning that every engine's queries share. */
import type { DocumentFilter, DocumentOrder, StoredDocument } from '@gateway/contract'

/** Whether a document passes a filter. */
export function matchesDocument(document: StoredDocument, filter: DocumentFilter): boolean {
  const {
    organisation_id: organisation,
    workspace_ids: workspaces,
    statuses,
    ids,
    search,
    attributes,
  } = filter
  if (organisation !== undefined && document.organisation_id !== organisation) return false
  if (workspaces !== undefined && !workspaces.includes(document.workspace_id)) return false
  if (statuses !== undefined && !statuses.includes(document.status)) return false
  if (ids !== undefined && !ids.includes(document.id)) return false
  if (search !== undefined && !searchText(document).includes(search.toLowerCase())) return false
  if (filter.created_from !== undefined && document.created_at < filter.created_from) return false
  if (filter.created_to !== undefined && document.created_at >= filter.created_to) return false
  return Object.entries(attributes ?? {}).every(([name, values]) =>
    values.some((value) => document.attributes[name]?.includes(value)),
  )
}

/** Name and slug in one text, in lower case; a line break is in neither. */
function searchText({ name, slug }: Pick<StoredDocument, 'name' | 'slug'>): string {
  return `${name ?? ''}\n${slug ?? ''}`.toLowerCase()
}

/** A comparison for sorting: by the order's field, ties by `id` in the same direction; no name stands as an empty one. */
export function compareDocuments({
  sort = 'created_at',
  order = 'desc',
}: DocumentOrder): (left: StoredDocument, right: StoredDocument) => number {
  const sign = order === 'asc' ? 1 : -1
  const sortValue = (document: StoredDocument) =>
    sort === 'name' ? (document.name ?? '').toLowerCase() : document[sort]
  return (left, right) => {
    const [a, b] = [sortValue(left), sortValue(right)]
    if (a !== b) return a < b ? -sign : sign
    return left.id < right.id ? -sign : left.id > right.id ? sign : 0
  }
}
