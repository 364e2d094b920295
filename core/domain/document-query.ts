/** Filtering and ordering of documents, as every engine must implement them. */
import type {
  DocumentCondition,
  DocumentFilter,
  DocumentOrder,
  StoredDocument,
  TextTest,
} from '@gateway/contract'

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
  if (filter.where !== undefined && !meetsCondition(document, filter.where)) return false
  return Object.entries(attributes ?? {}).every(([name, values]) =>
    values.some((value) => document.attributes[name]?.includes(value)),
  )
}

function meetsCondition(document: StoredDocument, condition: DocumentCondition): boolean {
  if ('all' in condition) return condition.all.every((one) => meetsCondition(document, one))
  if ('any' in condition) return condition.any.some((one) => meetsCondition(document, one))
  if ('not' in condition) return !meetsCondition(document, condition.not)
  if ('member' in condition) return passes(document[condition.member], condition.test)
  if ('time' in condition) return compares(condition.op, document[condition.time], condition.value)
  const { attribute, test } = condition
  const values = document.attributes[attribute] ?? []
  return values.some((value) => test === undefined || passes(value, test))
}

function passes(text: string, { op, value }: TextTest): boolean {
  switch (op) {
    case 'contains':
      return text.includes(value)
    case 'starts':
      return text.startsWith(value)
    case 'ends':
      return text.endsWith(value)
    default:
      return compares(op, Buffer.compare(Buffer.from(text), Buffer.from(value)), 0)
  }
}

function compares(op: 'equals' | 'above' | 'from' | 'below' | 'to', left: number, right: number): boolean {
  switch (op) {
    case 'equals':
      return left === right
    case 'above':
      return left > right
    case 'from':
      return left >= right
    case 'below':
      return left < right
    case 'to':
      return left <= right
  }
}

/** Name and slug in one lower-case text, separated by a line break, which neither contains. */
function searchText({ name, slug }: Pick<StoredDocument, 'name' | 'slug'>): string {
  return `${name ?? ''}\n${slug ?? ''}`.toLowerCase()
}

/**
 * A comparison for sorting: by the order's field, ties by `id` in the same direction; a missing name sorts as an empty
 * one.
 */
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
