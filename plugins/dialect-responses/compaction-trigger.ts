/**
 * `/v1/responses` with an input that ends with a `compaction_trigger`. Instead of the next turn, the answer's output is
 * one `compaction` item with a summary like that of `/v1/responses/compact`. Clients keep the user's messages
 * themselves.
 * Reference: https://platform.openai.com/docs/api-reference/responses/create
 * Errors: `invalid_body` for a trigger that is not the last item; `upstream_invalid_response` for an answer without
 * text.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { ClientDialect, ClientStream, DialectContext } from '@gateway/contract/dialect'
import { writeAnswer } from './answer.ts'
import { summaryRequest, writtenSummary } from './compact-dialect.ts'
import { summaryItem } from './compaction.ts'
import { createNumbering, itemAdded, itemDone } from './events.ts'
import { itemId } from './items.ts'
import { inputItems } from './kept-items.ts'
import { responsesStream } from './stream.ts'

/** The dialect for bodies that request a compaction. */
export const triggeredDialect: Pick<ClientDialect, 'request' | 'answer' | 'stream'> = {
  request: (body, context) => summaryRequest(body, inputItems(body.input).slice(0, -1), context),
  answer: (answer, context) => compacted(writeAnswer(answer, context)),
  stream: compactionStream,
}

/** Replaces the response's text with a compaction item. */
function compacted(response: JsonObject): JsonObject & { output: [JsonObject] } {
  const id = itemId('cmp', String(response.id), 0)
  return { ...response, output: [summaryItem(id, writtenSummary(textOf(response.output)))] }
}

const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

const textOf = (output: Json | undefined): string =>
  listOf(output)
    .flatMap(({ type, content }) => (type === 'message' ? listOf(content) : []))
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')

/** The summary is sent as a whole, not in deltas. */
function compactionStream(context: DialectContext): ClientStream {
  const whole = responsesStream(context)
  const number = createNumbering()
  const opened = (events: JsonObject[]) => events.filter(({ type }) => isOpening.has(type))
  return {
    chunk: (chunk) => number(opened(whole.chunk(chunk))),
    end() {
      const events = whole.end()
      const last = events.at(-1)
      const response = compacted(isObject(last?.response) ? last.response : {})
      const [item] = response.output
      const place = { index: 0, id: String(item.id) }
      const { summary: _, ...begun } = item
      return number([
        ...opened(events),
        itemAdded(place, { ...begun, encrypted_content: '' }),
        itemDone(place, item),
        { ...last, response },
      ])
    },
  }
}

const isOpening: ReadonlySet<unknown> = new Set(['response.created', 'response.in_progress'])
