/** Pages and their query parameters: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.4 */
import { isObject, type JsonObject } from '@gateway/contract'
import { type Filter, parseFilter } from '../filter/parse-filter.ts'
import { invalid } from './errors.ts'
import { type Projection, readProjection } from './projection.ts'

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const searchSchema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
const defaultCount = 100
export const maxCount = 1000
const maxStart = 1_000_000_000

export interface Asked {
  filter: Filter | null
  /** Counted from 1. */
  startIndex: number
  count: number
  projection: Projection
}

type Written = Readonly<Record<string, unknown>>

/** The paging parameters of a query or of a search's body. Errors: 400 `invalidValue`, `invalidFilter`, `tooMany`. */
export function readAsked(written: Written): Asked {
  const { filter } = written
  if (filter !== undefined && filter !== null && typeof filter !== 'string') {
    throw invalid('invalidFilter', 'filter must be a string.')
  }
  return {
    filter: typeof filter !== 'string' || filter.trim() === '' ? null : parseFilter(filter),
    // A value below the minimum counts as the minimum.
    startIndex: Math.max(1, readCount(written.startIndex, 'startIndex', 1)),
    count: Math.min(maxCount, Math.max(0, readCount(written.count, 'count', defaultCount))),
    projection: readProjection(written),
  }
}

function readCount(written: unknown, name: string, otherwise: number): number {
  if (written === undefined || written === null || written === '') return otherwise
  const value = typeof written === 'number' ? written : Number(String(written).trim())
  if (Number.isInteger(value) && Math.abs(value) <= maxStart) return value
  throw invalid('invalidValue', `${name} must be a whole number.`)
}

/** The body of `POST /.search`. */
export function readSearch(body: unknown): Asked {
  if (!isObject(body)) throw invalid('invalidSyntax', 'The body must be a JSON object.')
  const { schemas } = body
  if (Array.isArray(schemas) && !schemas.includes(searchSchema)) {
    throw invalid('invalidSyntax', `schemas must contain ${searchSchema}.`)
  }
  return readAsked(body)
}

export function listResponse(
  total: number,
  { startIndex }: Pick<Asked, 'startIndex'>,
  resources: JsonObject[],
): JsonObject {
  return {
    schemas: [listSchema],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}
