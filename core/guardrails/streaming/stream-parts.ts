/** Separates a stream's terminating event, before which results are sent, from the other events. */
import type { JsonObject } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import { parseEvents, sliceEvents } from '@gateway/streaming'

export interface Split {
  events: Buffer[]
  /** The event that ends the stream; null if it is missing. */
  last: Buffer | null
}

/** Splits complete events. */
export function splitLast(bytes: Buffer, format: StreamFormat): Split {
  const slices = sliceEvents(bytes)
  const at = slices.findIndex((slice) => {
    const [event] = parseEvents(slice)
    return event !== undefined && format.isLast(event)
  })
  if (at === -1) return { events: slices, last: null }
  return { events: slices.slice(0, at), last: slices[at] ?? null }
}

/** The events of a body that a mutator changed. */
export function rewrite(body: JsonObject, format: StreamFormat): Split {
  const events = format.disassemble(body).map(format.write)
  const last = format.ending.length > 0 ? null : (events.pop() ?? null)
  return { events, last }
}
