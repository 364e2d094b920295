/** GET of a collection: filters, order, paging (management.md §1). */

import type { DocumentFilter, DocumentOrder, Json, JsonObject, ServiceAnswer } from '@gateway/contract'
import { guessOf } from '@gateway/domain'
import type { Call } from './call.ts'
import type { CompiledResource } from './compiled.ts'
import { checkOrganisation } from './create-call.ts'
import { invalidQuery } from './errors.ts'
import { listFilters, requireSomewhere, scopesFor } from './families.ts'
import { namedWorkspace } from './locate.ts'
import { readPage } from './page.ts'
import { present } from './present.ts'
import { commaList, type QueryReader, type QueryValues } from './query.ts'
import type { Resource } from './resource.ts'
import { isId } from './slug.ts'

const maxIds = 100
const defaultPageSize = 100

export interface Paging {
  current_page: number
  page_size: number
}

export function pagingOf({ current_page = 0, page_size = defaultPageSize }: QueryValues): Paging {
  return { current_page: Number(current_page), page_size: Number(page_size) }
}

/** The envelope of every list. */
export function listAnswer(data: Json[], total: number, { current_page, page_size }: Paging): JsonObject {
  const has_more = current_page * page_size + data.length < total
  return { object: 'list', total, current_page, page_size, has_more, data }
}

export async function listResource(
  { resource }: CompiledResource,
  call: Call,
  read: QueryReader,
): Promise<ServiceAnswer> {
  await requireSomewhere(call, scopesFor(resource, ['list']))
  const query = read(call.request.query)
  await checkOrganisation(call, query.organisation_id, 'query/organisation_id')
  const workspaceId = await namedWorkspace(resource, call)
  await resource.hooks?.ensure?.(call, workspaceId)
  const paging = pagingOf(query)
  const common = await commonFilter(resource, call, { query, workspaceId })
  const filters = (await listFilters(resource, call, workspaceId)).flatMap((one) => {
    const both = intersect(one, common)
    return both === null ? [] : [both]
  })
  const { total, documents } = await readPage(resource, call, {
    ...(await byShownStatus(resource, call, filters)),
    order: orderOf(query),
    offset: paging.current_page * paging.page_size,
    limit: paging.page_size,
  })
  await resource.hooks?.preload?.(documents, call)
  const data = await Promise.all(
    documents.map((document) => present(resource, document, { call, view: 'list' })),
  )
  return { status: 200, body: listAnswer(data, total, paging) }
}

export const orderOf = ({ sort, order }: QueryValues): DocumentOrder => ({
  sort: (sort ?? 'created_at') as NonNullable<DocumentOrder['sort']>,
  order: (order ?? 'desc') as NonNullable<DocumentOrder['order']>,
})

async function commonFilter(
  resource: Resource,
  call: Call,
  { query, workspaceId }: { query: QueryValues; workspaceId: string | null },
): Promise<DocumentFilter> {
  const filter: DocumentFilter = { statuses: statusesOf(resource, query.status) }
  if (query.search !== undefined) filter.search = String(query.search)
  if (query.ids !== undefined)
    filter.ids = await idsOf(resource, call, { written: String(query.ids), workspaceId })
  for (const [name, { attribute, apply }] of Object.entries(resource.filters ?? {})) {
    const value = query[name]
    if (value === undefined) continue
    if (attribute !== undefined) {
      filter.attributes = { ...filter.attributes, [attribute]: commaList(String(value)) }
    }
    await apply?.(String(value), filter, call)
  }
  await resource.hooks?.narrowList?.(filter, call, workspaceId)
  return filter
}

export function statusesOf(resource: Resource, written: QueryValues[string]): readonly string[] {
  const { statuses = ['active', 'archived'], listed } = resource
  if (written === undefined) return listed ?? statuses.filter((status) => status !== 'archived')
  const asked = commaList(String(written).toLowerCase())
  const wrong = asked.find((status) => !statuses.includes(status))
  if (wrong !== undefined || asked.length === 0) {
    const message = `must be a comma-separated list of ${statuses.join(', ')}${guessOf(wrong, statuses)}`
    throw invalidQuery('status', message)
  }
  return asked
}

/** Filters for the statuses that answers show: an exhausted object is stored as active. */
async function byShownStatus(
  { hooks }: Resource,
  call: Call,
  filters: readonly DocumentFilter[],
): Promise<{ filters: readonly DocumentFilter[]; hidden: readonly string[] }> {
  const statuses = filters[0]?.statuses ?? []
  const isSought = statuses.includes('exhausted')
  if (hooks?.exhausted === undefined || isSought === statuses.includes('active'))
    return { filters, hidden: [] }
  const ids = await hooks.exhausted(call)
  if (!isSought) return { filters, hidden: ids }
  const rest = statuses.filter((status) => status !== 'exhausted')
  return {
    hidden: [],
    filters: filters.flatMap((filter) => [
      { ...filter, statuses: rest },
      {
        ...filter,
        statuses: ['active', 'exhausted'],
        ids: filter.ids === undefined ? ids : ids.filter((id) => filter.ids?.includes(id)),
      },
    ]),
  }
}

async function idsOf(
  resource: Resource,
  call: Call,
  { written, workspaceId }: { written: string; workspaceId: string | null },
): Promise<readonly string[]> {
  const names = commaList(written)
  if (names.length > maxIds) throw invalidQuery('ids', `must have at most ${maxIds} members`)
  const found = await Promise.all(
    names.map(async (name) => {
      if (isId(name)) return [name]
      const scopes = workspaceId === null ? [call.organisationId] : [workspaceId, call.organisationId]
      const documents = await Promise.all(scopes.map((scope) => call.find(resource.kind, name, scope)))
      return documents.flatMap((document) => (document === null ? [] : [document.id]))
    }),
  )
  return found.flat()
}

/** The filter for documents that match both, or null when no document can. */
function intersect(left: DocumentFilter, right: DocumentFilter): DocumentFilter | null {
  const attributes: Record<string, readonly string[]> = { ...left.attributes }
  for (const [name, values] of Object.entries(right.attributes ?? {})) {
    const present = attributes[name]
    const both = present === undefined ? values : values.filter((value) => present.includes(value))
    if (both.length === 0) return null
    attributes[name] = both
  }
  const workspaces =
    left.workspace_ids === undefined || right.workspace_ids === undefined
      ? (left.workspace_ids ?? right.workspace_ids)
      : left.workspace_ids.filter((id) => right.workspace_ids?.includes(id))
  if (workspaces?.length === 0 || right.ids?.length === 0) return null
  return {
    ...left,
    ...right,
    ...(workspaces === undefined ? {} : { workspace_ids: workspaces }),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
  }
}
