/**
 * Converts `logprobsResult` to `logprobs.content`. The vendor returns tokens as text; their bytes are those of the
 * text.
 * Reference: https://ai.google.dev/api/generate-content (LogprobsResult)
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** The log probabilities of a candidate; null when it has none. */
export function readLogprobs(result: Json | undefined): JsonObject | null {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return null
  const tops = Array.isArray(result.topCandidates) ? result.topCandidates : []
  const content = result.chosenCandidates.map((chosen, index) => {
    const top = tops[index]
    const candidates = isObject(top) && Array.isArray(top.candidates) ? top.candidates : []
    return { ...tokenOf(chosen), top_logprobs: candidates.map(tokenOf) }
  })
  return { content, refusal: null }
}

function tokenOf(candidate: Json): JsonObject {
  const { token, logProbability } = isObject(candidate) ? candidate : {}
  const text = typeof token === 'string' ? token : ''
  return {
    token: text,
    logprob: typeof logProbability === 'number' ? logProbability : null,
    bytes: [...Buffer.from(text, 'utf8')],
  }
}
