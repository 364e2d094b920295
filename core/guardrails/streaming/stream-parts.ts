/** The events of a stream apart from the one that ends it, before which results are told. */
import type { JsonObject } from '@gateway/contract'
import type { StreamFormat } from '../../flow/stream-format.ts'
import { parseEvents, sliceEvents } from '../../streaming/sse-splitter.ts'

export interface Split {
  events: Buffer[]
  /** The event that ends the stream; null when it is not there. */
  last: Buffer | null
}

/** Takes whole events apart. */
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
