/**
 * Differences between the API's models, by id. A model of an application profile's ARN has no known family and gets
 * what most models accept.
 * Reference:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html,
 * …/structured-output.html, …/inference-reasoning.html, https://docs.aws.amazon.com/nova/latest/userguide/
 */
import type { JsonObject } from '@gateway/contract'
import { isSince } from '../anthropic/models.ts'

export interface ModelFamily {
  models: RegExp
  /** The family's own field for `top_k`, or null. */
  topK(value: number): JsonObject | null
  /** Whether the model supports a choice of one tool. A tool can then replace an output schema. */
  canForceTool: boolean
}

const families: readonly ModelFamily[] = [
  { models: /anthropic\.|claude/, topK: (top_k) => ({ top_k }), canForceTool: true },
  { models: /amazon\.nova/, topK: (topK) => ({ inferenceConfig: { topK } }), canForceTool: true },
  { models: /cohere\./, topK: (k) => ({ k }), canForceTool: false },
  { models: /(?:amazon\.titan|meta\.|ai21\.|openai\.|deepseek\.)/, topK: () => null, canForceTool: false },
]

const anyFamily: ModelFamily = { models: /./, topK: (top_k) => ({ top_k }), canForceTool: false }

/** The family of a model. */
export function familyOf(model: string): ModelFamily {
  return families.find((row) => row.models.test(model)) ?? anyFamily
}

/** Resources of an account: their names do not contain the model. */
const opaque =
  /:(?:application-inference-profile|provisioned-model|custom-model(?:-deployment)?|(?:default-)?prompt-router|prompt)\//

/** Whether a model is, or may be, an Anthropic model. */
export const mayBeClaude = (model: string): boolean => /anthropic\.|claude/.test(model) || opaque.test(model)

const openWeights =
  /qwen3|gpt-oss|deepseek\.v3|gemma-3|minimax-m2|ministral|mistral-large-3|magistral|voxtral|kimi-k2|nemotron/

/** Whether the API enforces a JSON schema for a model, in its answers and in the input of strict tools. */
export function takesSchema(model: string): boolean {
  return openWeights.test(model) || isSince(model, 4, 5)
}

export interface CacheSupport {
  cachesTools: boolean
}

/** The caching rules of a model; null for a model that refuses cache points or whose name is unknown. */
export function cacheSupport(model: string): CacheSupport | null {
  if (/amazon\.nova-(?:micro|lite|pro|premier|2)/.test(model)) return { cachesTools: false }
  const isClaude = isSince(model, 4, 0) || /claude-3-(?:7-sonnet|5-haiku)/.test(model)
  return isClaude ? { cachesTools: true } : null
}
