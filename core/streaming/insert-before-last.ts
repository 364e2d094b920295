/** Puts an event in front of the last one of a stream, which clients stop reading at. */
import type { AnswerStream } from '../flow/answer.ts'
import type { StreamFormat } from '../flow/stream-format.ts'
import { parseEvents, sliceEvents } from './sse-splitter.ts'

/** @param made the event's bytes, asked for when the last event is there; a stream that breaks off gets none */
export async function* insertBeforeLast(
  stream: AnswerStream,
  format: StreamFormat,
  made: () => Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  let isInserted = false
  for await (const bytes of stream) {
    if (isInserted || !format.marks.some((mark) => bytes.includes(mark))) {
      yield bytes
      continue
    }
    const slices = sliceEvents(bytes)
    const last = slices.findIndex((slice) => parseEvents(slice).some((event) => format.isLast(event)))
    if (last === -1) {
      yield bytes
      continue
    }
    isInserted = true
    yield Buffer.concat([...slices.slice(0, last), made(), ...slices.slice(last)])
  }
  if (!isInserted && format.ending.length === 0) yield made()
}
