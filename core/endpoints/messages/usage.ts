/**
 * Token counts of the Messages format. Cached input is counted apart there: the whole input is `input_tokens` plus what
 * was read from and written to the cache.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { count, noUsage, readUsage, type Usage } from '../../metering/usage.ts'

/**
 * What a message, or an event of its stream, says of tokens. Counts of later events are totals. What the first event
 * says of the output is no count yet: it is there before the output.
 */
export function messageUsage(body: JsonObject, before: Usage | null): Usage | null {
  const usage = isObject(body.usage) ? body.usage : isObject(body.message) ? body.message.usage : null
  if (!isObject(usage)) return before
  const hasInput = typeof usage.input_tokens === 'number'
  const hasOutput = usage === body.usage && typeof usage.output_tokens === 'number'
  const read = readUsage(usage)
  const known = before ?? noUsage
  return {
    ...known,
    ...(hasInput
      ? {
          promptTokens: read.promptTokens + read.cachedTokens + read.cacheWriteTokens,
          cachedTokens: read.cachedTokens,
          cacheWriteTokens: read.cacheWriteTokens,
          // A later event repeats the counts without telling apart for how long they are kept.
          cacheWriteHourTokens: Math.max(read.cacheWriteHourTokens, known.cacheWriteHourTokens),
        }
      : {}),
    ...(hasOutput ? { completionTokens: read.completionTokens, reasoningTokens: read.reasoningTokens } : {}),
    units: read.units ?? known.units,
  }
}

/** A chat completion's usage in the format's counts. */
export function usageOfChat(given: unknown): JsonObject {
  const usage = isObject(given) ? given : {}
  const promptDetails = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const details = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  const read = count(promptDetails.cached_tokens)
  const written = count(usage.cache_creation_input_tokens)
  const thinking = details.reasoning_tokens
  return {
    input_tokens: Math.max(0, count(usage.prompt_tokens) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: count(usage.completion_tokens),
    ...(typeof thinking === 'number' ? { output_tokens_details: { thinking_tokens: count(thinking) } } : {}),
  }
}
