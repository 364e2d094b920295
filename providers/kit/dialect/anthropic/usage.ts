/**
 * Token counts. The vendor counts cached input apart: the whole input is `input_tokens` plus what was read from
 * and written to the cache. Without strict compliance the vendor's own cache counts stand beside ours.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { isObject, type Json, type JsonObject } from '@gateway/core/contract'

/** Usage in our shape. Counts are tokens. */
export function unifiedUsage(given: Json | undefined, strict: boolean): JsonObject {
  const usage = isObject(given) ? given : {}
  const read = count(usage.cache_read_input_tokens)
  const written = count(usage.cache_creation_input_tokens)
  const prompt = count(usage.input_tokens) + read + written
  const completion = count(usage.output_tokens)
  const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : null
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: read },
    ...(details === null
      ? {}
      : { completion_tokens_details: { reasoning_tokens: count(details.thinking_tokens) } }),
    ...(strict ? {} : { cache_read_input_tokens: read, cache_creation_input_tokens: written }),
  }
}

/** Counts of a stream: later events carry running totals and leave out what they do not know. */
export function mergeUsage(before: JsonObject, given: Json | undefined): JsonObject {
  if (!isObject(given)) return before
  const known = Object.entries(given).filter(([, value]) => value !== null && value !== undefined)
  return { ...before, ...Object.fromEntries(known) }
}

function count(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}
