/**
 * Converts messages to `system` and `messages`. System and developer messages at any position become `system`.
 * Consecutive messages of one role are merged, which puts the results of parallel tool calls into one user message, as
 * the API requires. `name` on a message has no counterpart and is dropped.
 * Reference: https://platform.claude.com/docs/en/api/messages
 */
import type { ContentBlockParam, MessageParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages'
import { isObject, type JsonObject, saidInOrder } from '@gateway/contract'
import { refusal } from '../../chat/refusal.ts'
import { saidTexts } from '../../chat/said-texts.ts'
import { inputBlocks, textBlock, textBlocks } from './content.ts'
import { thinkingBlock } from './replay.ts'
import { resultBlock, toolUseBlocks } from './tool-calls.ts'
import type { Conversation, Reader } from './types.ts'

type Role = 'user' | 'assistant'

/**
 * The conversation of a request without deprecated members.
 * Errors: `invalid_body` for parts without a counterpart.
 */
export function readConversation(body: JsonObject, reader: Reader): Conversation {
  const given = Array.isArray(body.messages) ? body.messages : []
  const system: TextBlockParam[] = []
  const messages: MessageParam[] = []
  let isPlain = true
  for (const [index, message] of given.entries()) {
    if (!isObject(message)) continue
    const path = `/messages/${index}`
    if (message.role === 'system' || message.role === 'developer') {
      isPlain &&= typeof message.content === 'string'
      system.push(...textBlocks(message.content, `${path}/content`, reader))
    } else {
      append(messages, ...readMessage(message, path, reader))
    }
  }
  if (messages.length === 0) {
    throw refusal(reader.provider, '/messages', 'at least one user message with content is required')
  }
  return { system: systemOf(system, isPlain), messages }
}

function systemOf(blocks: TextBlockParam[], isPlain: boolean): Conversation['system'] {
  if (blocks.length === 0) return null
  return isPlain ? blocks.map((block) => block.text).join('\n\n') : blocks
}

function readMessage(message: JsonObject, path: string, reader: Reader): [Role, ContentBlockParam[]] {
  if (message.role === 'assistant') return ['assistant', assistantBlocks(message, path, reader)]
  if (message.role === 'tool') return ['user', [resultBlock(message, path, reader)]]
  return ['user', inputBlocks(message.content, `${path}/content`, reader)]
}

/** The parts in the order of the answer, if that is known. */
function assistantBlocks(message: JsonObject, path: string, reader: Reader): ContentBlockParam[] {
  const calls = toolUseBlocks(message, path, reader)
  const said = saidInOrder(message, saidTexts(message, `${path}/content`, reader.provider))
  return said.flatMap((item): ContentBlockParam[] => {
    if (item.kind === 'text') return textBlock(item.text, item.part)
    if (item.kind === 'block') return reader.strict ? [] : thinkingBlock(item.block)
    return calls.slice(item.index, item.index + 1)
  })
}

function append(messages: MessageParam[], role: Role, blocks: ContentBlockParam[]): void {
  if (blocks.length === 0) return
  const last = messages[messages.length - 1]
  if (last !== undefined && last.role === role && Array.isArray(last.content)) last.content.push(...blocks)
  else messages.push({ role, content: blocks })
}
