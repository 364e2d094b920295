/**
 * The query of `GET /v1/models`: filters, order, and paging by number or by page. Errors: `invalid_query` with all
 * invalid parameters.
 */

import { type Fault, faultsError } from '@gateway/contract'
import { mustBeOneOf } from '@gateway/domain'

const sorts = ['name', 'provider', 'ai_service'] as const
type ModelSort = (typeof sorts)[number]

export interface ModelQuery {
  /** The provider's slug, without `@`. */
  provider: string | null
  aiService: string | null
  search: string | null
  limit: number
  offset: number
  sort: ModelSort
  isDescending: boolean
}

/** @param pageSize default number of entries */
export function readModelQuery(query: URLSearchParams, pageSize: number): ModelQuery {
  const faults: Fault[] = []
  const fault = (name: string, message: string) =>
    faults.push({ param: `query/${name}`, code: 'invalid_query', message })
  const integer = (
    name: string,
    { fallback, minimum, maximum }: { fallback: number; minimum: number; maximum: number },
  ): number => {
    const written = query.get(name)
    if (written === null) return fallback
    const value = /^\d{1,9}$/.test(written) ? Number(written) : -1
    if (value < minimum || value > maximum) fault(name, `must be an integer from ${minimum} to ${maximum}`)
    return value
  }
  const size = integer(query.has('pageSize') ? 'pageSize' : 'page_size', {
    fallback: pageSize,
    minimum: 1,
    maximum: 1000,
  })
  const page = integer(query.has('currentPage') ? 'currentPage' : 'current_page', {
    fallback: 0,
    minimum: 0,
    maximum: 999_999,
  })
  const limit = integer('limit', { fallback: size, minimum: 1, maximum: 1000 })
  const offset = integer('offset', { fallback: page * size, minimum: 0, maximum: 999_999_999 })
  const sort = sorts.find((name) => name === (query.get('sort') ?? 'name'))
  if (sort === undefined) fault('sort', mustBeOneOf(sorts, query.get('sort')))
  const order = query.get('order') ?? 'asc'
  if (order !== 'asc' && order !== 'desc') fault('order', 'must be asc or desc')
  if (faults.length > 0) throw faultsError(faults)
  return {
    provider: query.get('provider')?.replace(/^@/, '') ?? null,
    aiService: query.get('ai_service'),
    search: query.get('search'),
    limit,
    offset,
    sort: sort ?? 'name',
    isDescending: order === 'desc',
  }
}
