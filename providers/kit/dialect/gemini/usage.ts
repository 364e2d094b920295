/**
 * Token counts. The vendor counts thoughts apart from the answer, and what its own tools put into the prompt apart
 * from the prompt; cached tokens are part of the prompt already.
 * Reference: https://ai.google.dev/api/generate-content (UsageMetadata)
 */
import { isObject, type Json, type JsonObject } from '@gateway/core/contract'
import { countOf, objectOf } from '../../chat/values.ts'

/** Usage in our shape. Counts are tokens. */
export function unifiedUsage(given: Json | undefined): JsonObject {
  const usage = objectOf(given)
  const thoughts = countOf(usage.thoughtsTokenCount)
  const prompt = countOf(usage.promptTokenCount) + countOf(usage.toolUsePromptTokenCount)
  const completion = countOf(usage.candidatesTokenCount) + thoughts
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: typeof usage.totalTokenCount === 'number' ? usage.totalTokenCount : prompt + completion,
    prompt_tokens_details: {
      cached_tokens: countOf(usage.cachedContentTokenCount),
      ...audioTokens(usage.promptTokensDetails),
    },
    completion_tokens_details: { reasoning_tokens: thoughts, ...audioTokens(usage.candidatesTokensDetails) },
  }
}

function audioTokens(details: Json | undefined): JsonObject {
  const audio = Array.isArray(details)
    ? details.find((row) => isObject(row) && row.modality === 'AUDIO')
    : null
  return isObject(audio) ? { audio_tokens: countOf(audio.tokenCount) } : {}
}
