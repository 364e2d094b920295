/**
 * Token counts. The vendor counts cached input separately: the whole input is `inputTokens` plus cache reads and
 * writes. Without strict compliance the cache counts are included. Reasoning is part of the output and not counted
 * separately.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
import { type Json, type JsonObject, noteUsage } from '@gateway/contract'
import { chatUsage } from '../../chat/answer.ts'
import { countOf, objectOf } from '../../chat/values.ts'

/** Usage in the gateway's format. Counts are tokens. */
export function unifiedUsage(given: Json | undefined, strict: boolean): JsonObject {
  const usage = objectOf(given)
  const cached = countOf(usage.cacheReadInputTokens)
  const written = countOf(usage.cacheWriteInputTokens)
  const prompt = countOf(usage.inputTokens) + cached + written
  const unified = {
    ...chatUsage({ prompt, completion: countOf(usage.outputTokens), cached }),
    ...(strict ? {} : { cache_read_input_tokens: cached, cache_creation_input_tokens: written }),
  }
  return noteUsage(unified, { cacheWriteTokens: written })
}
