/**
 * Token counts. The vendor counts thoughts separately from the answer, and the input of its own tools separately from
 * the prompt; cached tokens are part of the prompt.
 * Reference: https://ai.google.dev/api/generate-content (UsageMetadata)
 */
import { isObject, type Json, type JsonObject, noteUsage } from '@gateway/contract'
import { countOf, objectOf } from '../../chat/values.ts'

/** Usage in the gateway's format. Counts are tokens. */
export function unifiedUsage(given: Json | undefined): JsonObject {
  const usage = objectOf(given)
  const thoughts = countOf(usage.thoughtsTokenCount)
  const prompt = countOf(usage.promptTokenCount) + countOf(usage.toolUsePromptTokenCount)
  const completion = countOf(usage.candidatesTokenCount) + thoughts
  const unified = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: typeof usage.totalTokenCount === 'number' ? usage.totalTokenCount : prompt + completion,
    prompt_tokens_details: {
      cached_tokens: countOf(usage.cachedContentTokenCount),
      ...audioTokens(usage.promptTokensDetails),
    },
    completion_tokens_details: { reasoning_tokens: thoughts, ...audioTokens(usage.candidatesTokensDetails) },
  }
  return noteUsage(unified, {
    promptImageTokens: tokensOf(usage.promptTokensDetails, 'IMAGE') ?? 0,
    completionImageTokens: tokensOf(usage.candidatesTokensDetails, 'IMAGE') ?? 0,
  })
}

function audioTokens(details: Json | undefined): JsonObject {
  const tokens = tokensOf(details, 'AUDIO')
  return tokens === null ? {} : { audio_tokens: tokens }
}

/** Null when the modality is not reported. */
function tokensOf(details: Json | undefined, modality: string): number | null {
  const found = Array.isArray(details)
    ? details.find((row) => isObject(row) && row.modality === modality)
    : null
  return isObject(found) ? countOf(found.tokenCount) : null
}
