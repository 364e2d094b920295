/** The output of a stream: the places that its items have taken, and the items that are done. */
import type { JsonObject } from '@gateway/contract'
import type { Place } from './events.ts'
import { type ItemStatus, itemId } from './items.ts'
import type { Ending } from './response-object.ts'
import type { Closed } from './writers.ts'

export interface Output {
  /** In their order. */
  items(): JsonObject[]
  /** The next free place. */
  take(kind: 'msg' | 'rs' | 'fc'): Place
  /** Keeps an item that is done, and gives its last events. */
  keep(place: Place, closed: Closed): JsonObject[]
  /** What was cut off was the last item. */
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
