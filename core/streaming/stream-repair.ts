/** Corrects the events of one stream whose provider deviates from the format. */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { Repair, RepairContext, StreamFormat } from '@gateway/contract/dialect'
import { parseEvents, sliceEvents } from './sse-splitter.ts'

export interface StreamRepair {
  /** The bytes of whole events; the same bytes when nothing is corrected. Needed only for events with a mark. */
  bytes(events: Buffer): Buffer
  event(event: JsonObject): JsonObject
}

export function createStreamRepair(
  repair: Repair,
  context: RepairContext,
  write: StreamFormat['write'],
): StreamRepair {
  const event = repair.stream(context)
  const slice = (bytes: Buffer): Buffer => {
    if (!repair.marks.some((mark) => bytes.includes(mark))) return bytes
    const [first] = parseEvents(bytes)
    const given = first === undefined ? undefined : parseJson(first.data)
    if (!isObject(given)) return bytes
    const corrected = event(given)
    return corrected === given ? bytes : write(corrected)
  }
  return {
    event,
    bytes(events) {
      const slices = sliceEvents(events)
      const corrected = slices.map(slice)
      return corrected.every((bytes, index) => bytes === slices[index]) ? events : Buffer.concat(corrected)
    },
  }
}
