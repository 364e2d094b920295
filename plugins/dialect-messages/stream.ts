/**
 * Chat chunks → message events: `message_start`, each block from start to stop, `message_delta` with the stop reason
 * and the tokens, `message_stop`. The usage arrives with the last chunk, so the closing events are sent after it.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import {
  type ClientStream,
  contentText,
  type DialectContext,
  indexed,
  reasoningOf,
} from '@gateway/contract/dialect'
import { legacyId, messageId, unreported } from './answer.ts'
import { createBlockWriter } from './blocks.ts'
import { carryExtra } from './carried.ts'
import { keptExtras } from './content.ts'
import { citationOf, type Source, searchBlocks, sourcesOf } from './sources.ts'
import { readStop } from './stop-reason.ts'
import { messageUsageOfChat, usageOfChat } from './usage.ts'

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Creates the translator of one stream. */
export function messagesStream(context: DialectContext): ClientStream {
  const blocks = createBlockWriter()
  let isStarted = false
  let ended: JsonObject = {}
  let usage: JsonObject = {}
  let refusal = ''
  let sources: Source[] = []

  function start(chunk: JsonObject): JsonObject[] {
    if (isStarted) return []
    isStarted = true
    const message = {
      id: messageId(chunk.id, context),
      type: 'message',
      role: 'assistant',
      model: textOf(chunk.model) || context.request.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      ...unreported,
      usage: messageUsageOfChat(chunk.usage),
    }
    return [{ type: 'message_start', message }]
  }

  const text = (said: string): JsonObject[] =>
    said === ''
      ? []
      : blocks.add('text', () => ({ type: 'text', text: '' }), { type: 'text_delta', text: said })

  /** Citations follow the text that they support, so they belong to its block. */
  function cited(given: Json | undefined): JsonObject[] {
    const added = sourcesOf(given)
    sources = [...sources, ...added]
    const begin = () => ({ type: 'text', text: '', citations: [] })
    return added.flatMap((source) =>
      blocks.add('text', begin, { type: 'citations_delta', citation: citationOf(source) }),
    )
  }

  /** Sources are known only at the end, so the search that found them is reported there. */
  const search = (): JsonObject[] =>
    searchBlocks(sources, context).flatMap((block) => blocks.add(String(block.type), () => block, null))

  function call(index: number, part: JsonObject, called: JsonObject): JsonObject[] {
    const input = textOf(called.arguments)
    const begin = () => ({
      type: 'tool_use',
      id: textOf(part.id) || context.id('call_'),
      name: textOf(called.name),
      input: {},
      ...keptExtras(part),
    })
    return blocks.add(
      `tool ${index}`,
      begin,
      input === '' ? null : { type: 'input_json_delta', partial_json: input },
    )
  }

  const carried = (extra: JsonObject): JsonObject[] => blocks.add('extra', () => carryExtra(extra), null)

  function read(delta: JsonObject): JsonObject[] {
    const { function_call: legacy } = delta
    refusal += textOf(delta.refusal)
    return [
      ...thinkingParts(delta).flatMap(({ key, start, delta }) => blocks.add(key, () => start, delta)),
      ...text(contentText(delta.content) + textOf(delta.refusal)),
      ...cited(delta.annotations),
      ...(isObject(delta.extra_content) ? carried(delta.extra_content) : []),
      ...indexed(delta.tool_calls).flatMap(([index, part]) =>
        call(index, part, isObject(part.function) ? part.function : {}),
      ),
      ...(isObject(legacy) ? call(0, { id: legacyId(context.request) }, legacy) : []),
    ]
  }

  return {
    chunk(chunk) {
      if (isObject(chunk.usage)) usage = chunk.usage
      // Only the first of several choices is sent.
      const choice = indexed(chunk.choices).find(([index]) => index === 0)?.[1]
      if (choice === undefined) return start(chunk)
      if (typeof choice.finish_reason === 'string') ended = choice
      return [...start(chunk), ...(isObject(choice.delta) ? read(choice.delta) : [])]
    },
    end() {
      const sequences = context.request.stop_sequences
      const stop = readStop({ choice: ended, hasCalls: blocks.hasCalls(), refusal, sequences })
      const { container } = unreported
      return [
        ...start({}),
        ...search(),
        ...blocks.end(),
        { type: 'message_delta', delta: { ...stop, container }, usage: usageOfChat(usage) },
        { type: 'message_stop' },
      ]
    },
  }
}

interface ThinkingPart {
  key: string
  start: JsonObject
  delta: JsonObject | null
}

const blank: JsonObject = { type: 'thinking', thinking: '', signature: '' }

/** Thinking as the provider's own blocks, or as the text that many chat providers return. */
function thinkingParts(delta: JsonObject): ThinkingPart[] {
  const parts = indexed(delta.content_blocks).flatMap(([index, block]) => partsOfBlock(index, block))
  const reasoning = reasoningOf(delta)
  if (parts.length > 0 || reasoning === '') return parts
  return [{ key: 'thinking', start: blank, delta: { type: 'thinking_delta', thinking: reasoning } }]
}

function partsOfBlock(index: number, { type, thinking, signature, data }: JsonObject): ThinkingPart[] {
  const key = `thinking ${index}`
  if (type === 'redacted_thinking' && typeof data === 'string')
    return [{ key, start: { type, data }, delta: null }]
  const deltas = [
    ...(textOf(thinking) === '' ? [] : [{ type: 'thinking_delta', thinking }]),
    ...(textOf(signature) === '' ? [] : [{ type: 'signature_delta', signature }]),
  ]
  return deltas.map((delta) => ({ key, start: blank, delta }))
}
