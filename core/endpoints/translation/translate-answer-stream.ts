/**
 * Translates a chat stream to a client dialect, event by event. It completes with the chat stream, and fails with the
 * same error.
 */

import { isObject, parseJson } from '@gateway/contract'
import type { ClientStream, StreamFormat } from '@gateway/contract/dialect'
import type { AnswerStream } from '@gateway/flow'
import { compatibleFormat, parseEvents } from '@gateway/streaming'

/** @param chat a stream in the compatible format; it is closed when this one is */
export function translateAnswerStream(
  chat: AnswerStream,
  translator: ClientStream,
  format: StreamFormat,
): AnswerStream {
  let isOver = false

  /** The translated bytes of these events; events after the last one are dropped. */
  const translate = (bytes: Buffer): Buffer => {
    const out: Buffer[] = []
    for (const event of parseEvents(bytes)) {
      isOver ||= compatibleFormat.isLast(event)
      if (isOver) {
        out.push(...translator.end().map(format.write), format.ending)
        break
      }
      const chunk = parseJson(event.data)
      if (isObject(chunk)) out.push(...translator.chunk(chunk).map(format.write))
    }
    return Buffer.concat(out)
  }

  return {
    async next() {
      while (!isOver) {
        const step = await chat.next()
        if (step.done === true) break
        const value = translate(step.value)
        if (value.length > 0) return { done: false, value }
      }
      isOver = true
      await chat.return?.()
      return { done: true, value: undefined }
    },
    async return() {
      isOver = true
      await chat.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
