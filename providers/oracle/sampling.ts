/**
 * Sampling parameters with the vendor's names.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/GenericChatRequest
 */
import type { CallContext, JsonObject } from '@gateway/contract'
import { clamped, defined, maxTokens } from '@gateway/provider-kit'
import type { Sampling } from './wire.ts'

/** On-demand models stop after a few words without a token limit; this is the largest one that all of them accept. */
export const defaultMaxTokens = 4000

/** The parameters that all formats share; Cohere's ranges are narrower. */
export function readSampling(body: JsonObject, isCohere: boolean): Omit<Sampling, 'maxTokens'> {
  const [least, greatest] = isCohere ? ([0, 1] as const) : ([-2, 2] as const)
  return defined({
    temperature: clamped(body.temperature, 0, isCohere ? 1 : 2),
    topK: typeof body.top_k === 'number' ? body.top_k : undefined,
    topP: clamped(body.top_p, 0, 1),
    frequencyPenalty: clamped(body.frequency_penalty, least, greatest),
    presencePenalty: clamped(body.presence_penalty, least, greatest),
    seed: typeof body.seed === 'number' ? body.seed : undefined,
  })
}

/** The token limit for a Cohere model. */
export const cohereMaxTokens = (body: JsonObject): number => maxTokens(body) ?? defaultMaxTokens

/** Whether the answer is streamed. */
export function readStreaming(body: JsonObject, { includeUsage }: CallContext) {
  if (body.stream !== true) return {}
  return { isStream: true, ...(includeUsage ? { streamOptions: { isIncludeUsage: true } } : {}) }
}
