/**
 * Converts messages to `system` and `messages`. System and developer messages at any position become `system`.
 * Consecutive messages of one role are merged, which puts the results of parallel tool calls into one user message, as
 * the API requires. Reasoning of an earlier answer (`content_blocks`) is sent back with its signature when compliance
 * is not strict. `name` on a message has no counterpart and is dropped.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 */
import { isObject, type JsonObject, saidInOrder } from '@gateway/contract'
import { refusal } from '../../chat/refusal.ts'
import { saidTexts } from '../../chat/said-texts.ts'
import { thinkingBlock } from '../anthropic/replay.ts'
import { saidBlocks, textBlocks, userBlocks } from './content.ts'
import { callBlocks, callResult } from './tool-calls.ts'
import type { Reader, WireBlock, WireMessage, WireSystemBlock } from './types.ts'

export interface Conversation {
  system: WireSystemBlock[]
  messages: WireMessage[]
}

/**
 * The conversation of a request.
 * Errors: `invalid_body` for parts without a counterpart.
 */
export function readConversation(body: JsonObject, reader: Reader): Conversation {
  const given = Array.isArray(body.messages) ? body.messages : []
  const system: WireSystemBlock[] = []
  const messages: { role: 'user' | 'assistant'; content: WireBlock[] }[] = []
  for (const [index, message] of given.entries()) {
    if (!isObject(message)) continue
    const path = `/messages/${index}`
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...textBlocks(message.content, `${path}/content`, reader))
      continue
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks = messageBlocks(message, path, reader)
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else if (blocks.length > 0) messages.push({ role, content: blocks })
  }
  if (messages.length === 0) {
    throw refusal(reader.provider, '/messages', 'at least one user message with content is required')
  }
  return { system, messages }
}

function messageBlocks(message: JsonObject, path: string, reader: Reader): WireBlock[] {
  if (message.role === 'assistant') return assistantBlocks(message, path, reader)
  if (message.role === 'tool') return callResult(message, path, reader)
  return userBlocks(message.content, `${path}/content`, reader)
}

/** The parts in the order of the answer, if that is known. */
function assistantBlocks(message: JsonObject, path: string, reader: Reader): WireBlock[] {
  const calls = callBlocks(message, path, reader)
  const said = saidInOrder(message, saidTexts(message, `${path}/content`, reader.provider))
  return said.flatMap((item): WireBlock[] => {
    if (item.kind === 'text') return saidBlocks(item.text, item.part)
    if (item.kind === 'block') return reader.strict ? [] : thinkingBlock(item.block).map(reasoningBlock)
    return calls.slice(item.index, item.index + 1)
  })
}

function reasoningBlock(block: ReturnType<typeof thinkingBlock>[number]): WireBlock {
  if (block.type === 'redacted_thinking') return { reasoningContent: { redactedContent: block.data } }
  const { thinking: text, signature } = block
  return { reasoningContent: { reasoningText: { text, ...(signature === '' ? {} : { signature }) } } }
}
