/** Inserts an event before the last one of a stream, after which clients stop reading. */
import type { StreamFormat } from '@gateway/contract/dialect'
import type { AnswerStream } from '@gateway/flow'
import { parseEvents, sliceEvents } from './sse-splitter.ts'

/**
 * @param made creates the event's bytes, called when the last event arrives; not called for a stream that breaks off
 */
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
