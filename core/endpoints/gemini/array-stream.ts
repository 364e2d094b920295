/**
 * `streamGenerateContent` without `alt=sse`: the events of a stream as the items of one JSON array, each as soon as it
 * arrives.
 * Reference: https://ai.google.dev/api/generate-content
 */
import type { AnswerHead, AnswerStream, Received, StreamEnding, Transport } from '../../flow/index.ts'
import { parseEvents } from '../../streaming/index.ts'

/** Makes the exchange send its stream as an array. */
export function sendAsArray(exchange: Received): void {
  exchange.transport = Object.create(exchange.transport, {
    writeStream: { value: writeArray(exchange.transport) },
  })
}

function writeArray(transport: Transport): Transport['writeStream'] {
  return async (head: AnswerHead, stream: AnswerStream, ending: StreamEnding): Promise<void> => {
    head.headers['content-type'] = 'application/json'
    const items = createItems()
    /** What was read last, for the log. */
    let read = nothing
    let isOver = false
    const array: AnswerStream = {
      async next() {
        if (isOver) return { done: true, value: undefined }
        const step = await stream.next()
        isOver = step.done === true
        read = step.done === true ? nothing : step.value
        if (step.done === true) return { done: false, value: items.end() }
        return { done: false, value: items.write(step.value) }
      },
      async return() {
        await stream.return?.()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
    await transport.writeStream(head, array, {
      sent: () => ending.sent(read),
      trailer: null,
      failed(error) {
        const last = ending.failed(error)
        return last === null ? null : Buffer.concat([items.write(last), items.end()])
      },
    })
  }
}

const nothing: Buffer = Buffer.alloc(0)

function createItems() {
  let count = 0
  const begin = () => (count++ === 0 ? '[' : ',\r\n')
  return {
    write: (events: Buffer): Buffer =>
      Buffer.from(
        parseEvents(events)
          .map(({ data }) => begin() + data)
          .join(''),
      ),
    end: (): Buffer => Buffer.from(count === 0 ? '[]' : ']'),
  }
}
