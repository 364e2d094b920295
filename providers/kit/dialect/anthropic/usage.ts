/**
 * Token counts. The vendor counts cached input separately: the whole input is `input_tokens` plus cache reads and
 * writes. Without strict compliance the vendor's own cache counts are included.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { isObject, type Json, type JsonObject, noteUsage } from '@gateway/contract'
import { chatUsage } from '../../chat/answer.ts'
import { countOf, objectOf } from '../../chat/values.ts'

/** Usage in the gateway's format. Counts are tokens. */
export function unifiedUsage(given: Json | undefined, strict: boolean): JsonObject {
  const usage = objectOf(given)
  const read = countOf(usage.cache_read_input_tokens)
  const written = countOf(usage.cache_creation_input_tokens)
  const { output_tokens_details: details } = usage
  const unified = {
    ...chatUsage({
      prompt: countOf(usage.input_tokens) + read + written,
      completion: countOf(usage.output_tokens),
      cached: read,
      reasoning: isObject(details) ? countOf(details.thinking_tokens) : undefined,
    }),
    ...(strict ? {} : { cache_read_input_tokens: read, cache_creation_input_tokens: written }),
  }
  return noteUsage(unified, {
    cacheWriteTokens: written,
    cacheWriteHourTokens: countOf(objectOf(usage.cache_creation).ephemeral_1h_input_tokens),
    webSearches: countOf(objectOf(usage.server_tool_use).web_search_requests),
  })
}

/** Counts of a stream: later events contain running totals, without the counts that they do not know. */
export function mergeUsage(before: JsonObject, given: Json | undefined): JsonObject {
  if (!isObject(given)) return before
  const known = Object.entries(given).filter(([, value]) => value !== null && value !== undefined)
  return { ...before, ...Object.fromEntries(known) }
}
