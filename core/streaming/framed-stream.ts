/**
 * Writes a stream in its dialect's own framing instead of as server-sent events. Each item is written as soon as its
 * event arrives.
 */
import type { StreamFraming } from '@gateway/contract/dialect'
import type { AnswerHead, AnswerStream, StreamEnding, Transport } from '@gateway/flow'
import { parseEvents } from './sse-splitter.ts'

interface FramedOptions {
  framing: StreamFraming
  head: AnswerHead
  /** Server-sent events. */
  stream: AnswerStream
  /** It sees the events, not the items. */
  ending: StreamEnding
}

const nothing: Buffer = Buffer.alloc(0)

/** Sends the stream to its last byte; errors are those of the transport. */
export async function writeFramed(
  transport: Pick<Transport, 'writeStream'>,
  { framing: { contentType, open }, head, stream, ending }: FramedOptions,
): Promise<void> {
  head.headers['content-type'] = contentType
  const frame = open()
  const write = (events: Buffer): Buffer =>
    Buffer.from(
      parseEvents(events)
        .map(({ data }) => frame.item(data))
        .join(''),
    )
  const end = () => Buffer.from(frame.end())
  /** The chunk that was read last, for the log. */
  let read = nothing
  let isOver = false
  const framed: AnswerStream = {
    async next() {
      if (isOver) return { done: true, value: undefined }
      const step = await stream.next()
      isOver = step.done === true
      read = step.done === true ? nothing : step.value
      return { done: false, value: step.done === true ? end() : write(step.value) }
    },
    async return() {
      await stream.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
  await transport.writeStream(head, framed, {
    sent: () => ending.sent(read),
    trailer: null,
    failed(error) {
      const last = ending.failed(error)
      return last === null ? null : Buffer.concat([write(last), end()])
    },
  })
}
