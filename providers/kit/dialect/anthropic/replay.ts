/**
 * `content_blocks` of an earlier answer that the caller sends back. Thinking blocks must be returned unmodified to
 * continue a tool use; they need `strict_compat_compliance: false`, as in the answer.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
import type {
  RedactedThinkingBlockParam,
  TextBlockParam,
  ThinkingBlockParam,
} from '@anthropic-ai/sdk/resources/messages'
import type { JsonObject } from '@gateway/contract'
import { objectsOf } from '../../chat/values.ts'
import type { Reader } from './types.ts'

type Thinking = ThinkingBlockParam | RedactedThinkingBlockParam

/** The thinking of an earlier answer, and its text for a message without `content`. */
export function replayedBlocks(
  message: JsonObject,
  reader: Reader,
): { thinking: Thinking[]; text: TextBlockParam[] } {
  const blocks = objectsOf(message.content_blocks)
  return {
    thinking: reader.strict ? [] : blocks.flatMap(thinkingBlock),
    text: blocks.flatMap((block) =>
      block.type === 'text' && typeof block.text === 'string' && block.text.trim() !== ''
        ? [{ type: 'text', text: block.text }]
        : [],
    ),
  }
}

function thinkingBlock(block: JsonObject): Thinking[] {
  const { type, thinking, signature, data } = block
  if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }]
  return type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string'
    ? [{ type, thinking, signature }]
    : []
}
