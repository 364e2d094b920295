/** Corrects the events of one stream whose provider deviates from the format. */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { RepairContext, StreamFormat } from '../flow/stream-format.ts'
import { parseEvents, sliceEvents } from './sse-splitter.ts'

export interface StreamRepair {
  /** The bytes of whole events; the same bytes when nothing is corrected. */
  bytes(events: Buffer): Buffer
  event(event: JsonObject): JsonObject
}

const none: StreamRepair = { bytes: (events) => events, event: (event) => event }

export function createStreamRepair({ repair, write }: StreamFormat, context: RepairContext): StreamRepair {
  if (repair === null) return none
  let correct: ((event: JsonObject) => JsonObject) | null = null
  const event = (given: JsonObject): JsonObject => {
    correct ??= repair.stream(context)
    return correct(given)
  }
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
      if (!repair.marks.some((mark) => events.includes(mark))) return events
      const slices = sliceEvents(events)
      const corrected = slices.map(slice)
      return corrected.every((bytes, index) => bytes === slices[index]) ? events : Buffer.concat(corrected)
    },
  }
}
