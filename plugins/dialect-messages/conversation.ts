/**
 * `system` and `messages` → chat messages. Tool use becomes tool calls with the same ids; tool results become `tool`
 * messages before the user's other content. Thinking with a signature is replayed as `content_blocks`, but only without
 * strict compliance. Thinking without a signature came from a chat provider and is returned as `reasoning_content`.
 * Reference: https://platform.claude.com/docs/en/api/messages
 */
import { type Json, type JsonObject, replayedBlocks } from '@gateway/contract'
import { contentOf, eachBlock, type Reader, refuse, textPart } from '@gateway/contract/dialect'
import { carriedExtra } from './carried.ts'
import { blockParts, keptExtras, keptMarks, partsOf } from './content.ts'
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
  const lost: string[] = []
  /** The whole content, with texts and calls as in `content_blocks`. */
  const said: JsonObject[] = []
  for (const [block, at] of eachBlock(content, path)) {
    if (block.type === 'text') {
      texts.push(...blockParts(block, at, reader))
      said.push(textPart(block.text))
    } else if (block.type === 'tool_use') {
      calls.push(toolCall(block, reader))
      said.push({ type: 'tool_use', id: block.id })
    } else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      thoughts.push(block)
      if (!isUnsigned(block) && carriedExtra(block) === null) said.push(withoutMark(block))
    } else if (isOfVendor(block)) lost.push(at)
    else throw refuse(reader, `${at}/type`, `a block of type ${String(block.type)} cannot be translated`)
  }
  const [first] = lost
  if (first !== undefined && texts.length === 0 && calls.length === 0)
    throw refuse(reader, `${first}/type`, 'the message has only calls of tools that the provider lacks')
  reader.leftOut.push(...lost)
  return {
    role: 'assistant',
    // Texts are joined without a separator, as they were generated.
    content: texts.length === 0 && calls.length > 0 ? null : contentOf(texts, ''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...replayed(thoughts, said, reader),
  }
}

/** Whether thinking came from a chat provider. */
const isUnsigned = ({ type, signature }: JsonObject): boolean => type === 'thinking' && !signature

const withoutMark = ({ cache_control: _, ...block }: JsonObject): JsonObject => block

/** Whether it is a call of a tool that the vendor runs, or its result. The text after it contains the outcome. */
const isOfVendor = ({ type }: JsonObject): boolean =>
  type === 'server_tool_use' ||
  type === 'mcp_tool_use' ||
  (typeof type === 'string' && /^\w+_tool_result$/.test(type))

function toolCall(block: JsonObject, reader: Reader): JsonObject {
  const { id, name, input } = block
  const called = { name, arguments: JSON.stringify(input ?? {}) }
  return { id, type: 'function', function: called, ...keptMarks(block, reader), ...keptExtras(block) }
}

function replayed(thoughts: JsonObject[], said: JsonObject[], { strict }: Reader): JsonObject {
  const reasoning = thoughts.filter(isUnsigned).map(({ thinking }) => thinking)
  const blocks = replayedBlocks(said)
  const extras = thoughts.map(carriedExtra).filter((extra) => extra !== null)
  return {
    ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('') }),
    ...(strict || blocks.length === 0 ? {} : { content_blocks: blocks }),
    ...(extras.at(-1) === undefined ? {} : { extra_content: extras.at(-1) }),
  }
}
