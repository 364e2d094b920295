/**
 * One page of the items that led to a response, the newest first unless `order` specifies otherwise.
 * Reference: https://www.openresponses.org/reference
 * Errors: `invalid_query` for a cursor that is not one of the items.
 */
import { GatewayError, type JsonObject } from '@gateway/contract'
import type { ItemsQuery } from './query.ts'

const defaultLimit = 20

export function pageOf(items: readonly JsonObject[], query: ItemsQuery): JsonObject {
  const { limit = defaultLimit, order = 'desc' } = query
  const ordered = order === 'asc' ? [...items] : [...items].reverse()
  const start = query.after === undefined ? 0 : placeOf(ordered, query.after, 'after') + 1
  const end = query.before === undefined ? ordered.length : placeOf(ordered, query.before, 'before')
  const between = ordered.slice(start, end)
  // A page with `before` ends at the cursor.
  const data =
    query.before !== undefined && query.after === undefined ? between.slice(-limit) : between.slice(0, limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data[data.length - 1]?.id ?? null,
    has_more: data.length < between.length,
  }
}

function placeOf(items: readonly JsonObject[], id: string, name: string): number {
  const place = items.findIndex((item) => item.id === id)
  if (place !== -1) return place
  throw new GatewayError('invalid_query', `No item has the id "${id.slice(0, 100)}".`, {
    param: `query/${name}`,
  })
}
