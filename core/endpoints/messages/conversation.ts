/**
 * `system` and `messages` → chat messages. Tool use becomes tool calls with the same ids, tool results become `tool`
 * messages before the user's other content. Thinking that came with a signature is replayed as `content_blocks`,
 * without strict compliance only; thinking without one came from a chat provider and is returned as
 * `reasoning_content`. Reference: https://platform.claude.com/docs/en/api/messages
 */
import type { Json, JsonObject } from '@gateway/contract'
import { blockParts, contentOf, eachBlock, keptExtras, keptMarks, partsOf } from './content.ts'
import { type Reader, refuse } from './refuse.ts'
import { toolMessages } from './tool-results.ts'

/** The conversation of a request. */
export function readConversation(body: JsonObject, reader: Reader): JsonObject[] {
  const system = partsOf(body.system, '/system', reader)
  const messages = eachBlock(body.messages, '/messages').flatMap(([message, path]) =>
    readMessage(message, `${path}/content`, reader),
  )
  return system.length === 0 ? messages : [{ role: 'system', content: contentOf(system) }, ...messages]
}

function readMessage({ role, content }: JsonObject, path: string, reader: Reader): JsonObject[] {
  if (role === 'assistant') return [assistantMessage(content, path, reader)]
  if (role === 'system') return [{ role, content: contentOf(partsOf(content, path, reader)) }]
  return userMessages(content, path, reader)
}

function userMessages(content: Json | undefined, path: string, reader: Reader): JsonObject[] {
  const blocks = eachBlock(content, path)
  const results = toolMessages(
    blocks.filter(([block]) => block.type === 'tool_result'),
    reader,
  )
  const said = typeof content === 'string' ? partsOf(content, path, reader) : saidParts(blocks, reader)
  const parts = [...results.media, ...said]
  if (parts.length === 0 && results.messages.length > 0) return results.messages
  return [...results.messages, { role: 'user', content: contentOf(parts) }]
}

const saidParts = (blocks: [JsonObject, string][], reader: Reader): JsonObject[] =>
  blocks
    .filter(([block]) => block.type !== 'tool_result')
    .flatMap(([block, path]) => blockParts(block, path, reader))

function assistantMessage(content: Json | undefined, path: string, reader: Reader): JsonObject {
  if (typeof content === 'string') return { role: 'assistant', content }
  const texts: JsonObject[] = []
  const calls: JsonObject[] = []
  const thoughts: JsonObject[] = []
  for (const [block, at] of eachBlock(content, path)) {
    if (block.type === 'text') texts.push(...blockParts(block, at, reader))
    else if (block.type === 'tool_use') calls.push(toolCall(block, reader))
    else if (block.type === 'thinking' || block.type === 'redacted_thinking') thoughts.push(block)
    else throw refuse(reader, `${at}/type`, `a block of type ${String(block.type)} cannot be translated`)
  }
  return {
    role: 'assistant',
    // Joined without a separator, as it was generated.
    content: texts.length === 0 && calls.length > 0 ? null : contentOf(texts, ''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...replayed(thoughts, reader),
  }
}

function toolCall(block: JsonObject, reader: Reader): JsonObject {
  const { id, name, input } = block
  const called = { name, arguments: JSON.stringify(input ?? {}) }
  return { id, type: 'function', function: called, ...keptMarks(block, reader), ...keptExtras(block, reader) }
}

function replayed(thoughts: readonly JsonObject[], { strict }: Reader): JsonObject {
  const isOurs = ({ type, signature }: JsonObject) => type === 'thinking' && !signature
  const reasoning = thoughts.filter(isOurs).map(({ thinking }) => thinking)
  const signed = thoughts.filter((block) => !isOurs(block)).map(({ cache_control: _, ...block }) => block)
  return {
    ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('') }),
    ...(strict || signed.length === 0 ? {} : { content_blocks: signed }),
  }
}

/** Whether a value is a non-empty list. */
export const isFilled = (value: Json | undefined): value is Json[] => Array.isArray(value) && value.length > 0
