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

/**
 * @param began runs at the first event, whatever it says
 * @throws what the stream throws before its first content
 */
export async function peekFirstContent(
  stream: AnswerStream,
  format: StreamFormat,
  began: () => void = () => undefined,
): Promise<AnswerStream> {
  const head: Buffer[] = []
  for (;;) {
    const step = await stream.next()
    if (step.done === true) return prefixStream(head, stream)
    head.push(step.value)
    const events = parseEvents(step.value)
    if (events.length > 0) began()
    // An event that says more than that an answer begins.
    if (events.some(({ data }) => isContent(data, format))) return prefixStream(head, stream)
  }
}

function isContent(data: string, format: StreamFormat): boolean {
  const event = parseJson(data)
  return !isObject(event) || !format.isOpening(event)
}
