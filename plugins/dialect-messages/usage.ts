/**
 * Converts chat usage to the Messages format, which counts cached input separately.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { cachedTokensOf, count } from '@gateway/contract/dialect'

/** Required members of a message's usage that no chat provider reports. */
const unreported = { cache_creation: null, inference_geo: null, service_tier: null, speed: null }

/** The usage of a whole message. */
export const messageUsageOfChat = (given: unknown): JsonObject => ({ ...usageOfChat(given), ...unreported })

/** Converts a chat completion's usage to that of a `message_delta`. */
export function usageOfChat(given: unknown): JsonObject {
  const usage = isObject(given) ? given : {}
  const details = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  const read = cachedTokensOf(usage) ?? 0
  const written = count(usage.cache_creation_input_tokens)
  const thinking = details.reasoning_tokens
  return {
    input_tokens: Math.max(0, count(usage.prompt_tokens) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: count(usage.completion_tokens),
    output_tokens_details: typeof thinking === 'number' ? { thinking_tokens: count(thinking) } : null,
    server_tool_use: null,
  }
}
