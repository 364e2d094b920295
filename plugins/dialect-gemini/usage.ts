/**
 * Converts chat usage to this format, which counts thoughts separately from the answer.
 * Reference: https://ai.google.dev/api/generate-content (UsageMetadata)
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { cachedTokensOf, count } from '@gateway/contract/dialect'

/** Translates a chat completion's usage. */
export function usageMetadataOf(given: unknown): JsonObject {
  const usage = isObject(given) ? given : {}
  const details = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  const thoughts = count(details.reasoning_tokens)
  const prompt = count(usage.prompt_tokens)
  const completion = count(usage.completion_tokens)
  const cached = cachedTokensOf(usage) ?? 0
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: Math.max(0, completion - thoughts),
    totalTokenCount: prompt + completion,
    ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
  }
}
