/**
 * Reads a stream up to its first content, so that an error before it can still be answered as one,
 * retried, or left to the next target. What was read is put back in front.
 */

import { isObject } from '@gateway/contract'
import type { AnswerStream } from '../flow/answer.ts'
import type { StreamFormat } from '../flow/stream-format.ts'
import { parseJson } from '../shared/json.ts'
import { prefixStream } from './iterator.ts'
import { parseEvents } from './sse-splitter.ts'

/** @throws what the stream throws before its first content */
export async function primeStream(stream: AnswerStream, format: StreamFormat): Promise<AnswerStream> {
  const head: Buffer[] = []
  for (;;) {
    const step = await stream.next()
    if (step.done === true) return prefixStream(head, stream)
    head.push(step.value)
    if (hasContent(step.value, format)) return prefixStream(head, stream)
  }
}

/** Whether some event says more than that an answer begins. */
function hasContent(bytes: Buffer, format: StreamFormat): boolean {
  return parseEvents(bytes).some(({ data }) => {
    const event = parseJson(data)
    return !isObject(event) || !format.isOpening(event)
  })
}
