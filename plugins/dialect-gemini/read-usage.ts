/**
 * Token counts of `generateContent`. Thoughts are counted separately from the answer, and the input of the vendor's own
 * tools separately from the prompt. Cached tokens are part of the prompt.
 * Reference: https://ai.google.dev/api/generate-content (UsageMetadata)
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { count, noUsage, type Usage } from '@gateway/contract/dialect'

/** The counts of an answer or an event. An event contains the counts of the whole stream so far. */
export function contentUsage({ usageMetadata: usage }: JsonObject, before: Usage | null): Usage | null {
  if (!isObject(usage)) return before
  const thoughts = count(usage.thoughtsTokenCount)
  const known = before ?? noUsage
  return {
    ...known,
    promptTokens: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
    completionTokens: count(usage.candidatesTokenCount) + thoughts,
    cachedTokens: count(usage.cachedContentTokenCount),
    cachedAudioTokens: tokensOf(usage.cacheTokensDetails, 'AUDIO'),
    cachedImageTokens: tokensOf(usage.cacheTokensDetails, 'IMAGE'),
    promptAudioTokens: tokensOf(usage.promptTokensDetails, 'AUDIO'),
    promptImageTokens: tokensOf(usage.promptTokensDetails, 'IMAGE'),
    reasoningTokens: thoughts,
    completionAudioTokens: tokensOf(usage.candidatesTokensDetails, 'AUDIO'),
    completionImageTokens: tokensOf(usage.candidatesTokensDetails, 'IMAGE'),
  }
}

function tokensOf(details: Json | undefined, modality: string): number {
  const found = Array.isArray(details)
    ? details.find((row) => isObject(row) && row.modality === modality)
    : null
  return isObject(found) ? count(found.tokenCount) : 0
}
