/**
 * The compatible wire format: one dialect an endpoint. Bodies and events pass as they are (the same objects,
 * the same bytes); only what a provider's rules name is renamed or left out.
 * Reference: https://platform.openai.com/docs/api-reference
 */
import {
  type Dialect,
  type InferenceEndpoint,
  isObject,
  type JsonObject,
  streamingEndpoints,
} from '@gateway/core/contract'
import { compatibleError } from './errors.ts'
import { mapFinishReasons } from './finish-reasons.ts'
import { type RerankRules, rerankDialect } from './rerank.ts'
import { type BodyRules, reshape } from './reshape.ts'
import { compatibleStream, needsTranslation, type StreamRules } from './stream.ts'

/** What one endpoint of a provider does differently. */
export interface EndpointRules extends RerankRules, StreamRules {
  /** The usage of an embedding call is one total, which is its input. */
  usageIsTotal?: boolean
}

/** The dialect of an endpoint for a provider with these rules. */
export function compatibleDialect(endpoint: InferenceEndpoint, rules: EndpointRules = {}): Dialect {
  return endpoint === 'rerank' ? rerankDialect(rules) : plainDialect(endpoint, rules)
}

const names: Record<InferenceEndpoint, string> = {
  chatComplete: 'compatible-chat',
  complete: 'compatible-completion',
  embed: 'compatible-embedding',
  imageGenerate: 'compatible-image',
  rerank: 'compatible-rerank',
}

/** `thinking` needs `strict_compat_compliance: false`; under strict compliance it is dropped, not refused. */
const strictRules: BodyRules = { drops: ['thinking'] }

function plainDialect(endpoint: InferenceEndpoint, rules: EndpointRules): Dialect {
  const requestRules = endpoint === 'chatComplete' ? strictRules : {}
  const { finishReasons = {} } = rules
  const dialect: Dialect = {
    name: names[endpoint],
    request(body, context) {
      const sent = reshape(body, rules)
      return context.strict ? reshape(sent, requestRules) : sent
    },
    answer(body, context) {
      const answer = mapFinishReasons(body, finishReasons, context.strict)
      return rules.usageIsTotal === true ? withPromptTokens(answer) : answer
    },
    error: compatibleError,
  }
  if (!streamingEndpoints.includes(endpoint)) return dialect
  return {
    ...dialect,
    stream: needsTranslation(rules) ? (context) => compatibleStream(rules, context) : 'same',
  }
}

function withPromptTokens(body: JsonObject): JsonObject {
  const { usage } = body
  if (!isObject(usage) || usage.prompt_tokens !== undefined) return body
  return { ...body, usage: { prompt_tokens: usage.total_tokens, ...usage } }
}
