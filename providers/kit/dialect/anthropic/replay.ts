/**
 * `content_blocks` of an earlier answer that the caller sends back. Thinking blocks must be returned unmodified to
 * continue a tool use; they need `strict_compat_compliance: false`, as in the answer.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
import type { RedactedThinkingBlockParam, ThinkingBlockParam } from '@anthropic-ai/sdk/resources/messages'
import { carriedMark, type JsonObject } from '@gateway/contract'

type Thinking = ThinkingBlockParam | RedactedThinkingBlockParam

/** A block of an earlier answer as thinking; none for other blocks, and for thinking of other providers. */
export function thinkingBlock(block: JsonObject): Thinking[] {
  const { type, thinking, signature, data } = block
  if (type === 'redacted_thinking' && typeof data === 'string')
    return data.startsWith(carriedMark) ? [] : [{ type, data }]
  return type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string'
    ? [{ type, thinking, signature }]
    : []
}
