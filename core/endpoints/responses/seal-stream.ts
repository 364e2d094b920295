/** Seals the summary of a compaction in a stream, as the caller receives it. */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { AnswerStream } from '../../flow/index.ts'

const field = 'data: '
const mark = '"type":"compaction"'

/** @param seal returns the body with sealed summaries; the same body when it has none */
export function sealStream(stream: AnswerStream, seal: (body: JsonObject) => JsonObject): AnswerStream {
  // The response repeats the item, with the same seal.
  let item: JsonObject | null = null

  const sealEvent = (event: JsonObject): JsonObject => {
    if (isObject(event.item)) {
      const [sealed] = outputOf(seal({ output: [event.item] }))
      if (sealed === undefined || sealed === event.item) return event
      item = sealed
      return { ...event, item }
    }
    if (!isObject(event.response)) return event
    const own = item
    if (own === null) return { ...event, response: seal(event.response) }
    const output = outputOf(event.response).map((each) => (each.id === own.id ? own : each))
    return { ...event, response: { ...event.response, output } }
  }

  const sealLine = (line: string): string => {
    const event = line.startsWith(field) && line.includes(mark) ? parseJson(line.slice(field.length)) : null
    return isObject(event) ? field + JSON.stringify(sealEvent(event)) : line
  }

  return {
    async next() {
      const step = await stream.next()
      if (step.done === true || !step.value.includes(mark)) return step
      const lines = step.value.toString('utf8').split('\n')
      return { done: false, value: Buffer.from(lines.map(sealLine).join('\n')) }
    },
    async return() {
      await stream.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const outputOf = ({ output }: JsonObject): JsonObject[] =>
  Array.isArray(output) ? output.filter(isObject) : []
