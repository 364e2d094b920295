/** The output of a stream: its indexes in use and its completed items. */
import type { JsonObject } from '@gateway/contract'
import type { Place } from './events.ts'
import { type ItemStatus, itemId } from './items.ts'
import type { Ending } from './response-object.ts'
import type { Closed } from './writers.ts'

export interface Output {
  /** The completed items, in order. */
  items(): JsonObject[]
  /** Takes the next free index. `kind` is the prefix of the item's id. */
  take(kind: string): Place
  /** Stores a completed item and returns its last events. */
  keep(place: Place, closed: Closed): JsonObject[]
  /** The status of an item. Only the last item of a truncated response is incomplete. */
  statusAt(place: Place, ending: Ending): ItemStatus
}

export function createOutput(responseId: string): Output {
  const items: JsonObject[] = []
  let places = 0
  return {
    items: () => items,
    take(kind) {
      const index = places++
      return { index, id: itemId(kind, responseId, index) }
    },
    keep({ index }, { events, item }) {
      items[index] = item
      return events
    },
    statusAt: ({ index }, ending) => (index === places - 1 ? ending.status : 'completed'),
  }
}
