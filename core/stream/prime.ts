/**
 * Reads a stream up to its first content, so that an error before it can still be answered as one,
 * retried, or left to the next target. What was read is put back in front.
 */
import type { AnswerStream } from '../answer.ts'
import { isObject, type JsonObject } from '../contract/index.ts'
import { parseJson } from '../gateway-headers.ts'
import { prefixStream } from './iterator.ts'
import { parseEvents } from './split.ts'

/** @throws what the stream throws before its first content */
export async function primeStream(stream: AnswerStream): Promise<AnswerStream> {
  const head: Buffer[] = []
  for (;;) {
    const step = await stream.next()
    if (step.done === true) return prefixStream(head, stream)
    head.push(step.value)
    if (hasContent(step.value)) return prefixStream(head, stream)
  }
}

/** Whether some event says more than that an answer begins. */
function hasContent(bytes: Buffer): boolean {
  return parseEvents(bytes).some(({ data }) => {
    const chunk = parseJson(data)
    return !isObject(chunk) || !isOpening(chunk)
  })
}

/** A chunk whose choices only name a role so far. */
function isOpening(chunk: JsonObject): boolean {
  const { choices } = chunk
  if (!Array.isArray(choices) || choices.length === 0) return false
  return choices.every((choice) => {
    if (!isObject(choice) || !isObject(choice.delta)) return false
    const hasFinished = choice.finish_reason !== null && choice.finish_reason !== undefined
    return (
      !hasFinished && Object.entries(choice.delta).every(([key, value]) => key === 'role' || isEmpty(value))
    )
  })
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
