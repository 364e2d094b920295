/**
 * `generationConfig` → the parameters of a chat completion. A thinking budget becomes an effort, because few providers
 * support budgets. Hints that do not change the meaning (`mediaResolution`, `imageConfig`, …) and unknown members are
 * dropped.
 * Reference: https://ai.google.dev/api/generate-content (GenerationConfig)
 * Errors: `invalid_body` for formats and modalities without an equivalent.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { type DialectContext, isStrict, refuse } from '@gateway/contract/dialect'
import { jsonSchemaOf } from './schema.ts'

/** Members with another name and the same meaning. */
const renamed = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  maxOutputTokens: 'max_completion_tokens',
  candidateCount: 'n',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const

const path = '/generationConfig'

/** The caller's paths of parameters that not all providers define. */
export const configPaths = { top_k: `${path}/topK` } as const

/** The parameters of a request. */
export function readGenerationConfig(body: JsonObject, context: DialectContext): JsonObject {
  const config = isObject(body.generationConfig) ? body.generationConfig : {}
  const { stopSequences: stop } = config
  const shared = Object.entries(renamed).flatMap(([own, name]): [string, Json | undefined][] =>
    typeof config[own] === 'number' ? [[name, config[own]]] : [],
  )
  return {
    ...Object.fromEntries(shared),
    ...(Array.isArray(stop) && stop.length > 0 ? { stop } : {}),
    ...readLogprobs(config),
    ...readFormat(config, context),
    ...readModalities(config, context),
    ...readThinking(config.thinkingConfig),
  }
}

/** Whether the caller requested thoughts. */
export function showsThoughts({ generationConfig: config }: JsonObject): boolean {
  const thinking = isObject(config) ? config.thinkingConfig : null
  return isObject(thinking) && thinking.includeThoughts === true
}

function readLogprobs({ responseLogprobs, logprobs }: JsonObject): JsonObject {
  if (responseLogprobs !== true) return {}
  return { logprobs: true, ...(typeof logprobs === 'number' ? { top_logprobs: logprobs } : {}) }
}

function readFormat(config: JsonObject, context: DialectContext): JsonObject {
  const { responseMimeType: type, responseSchema: own, responseJsonSchema, _responseJsonSchema } = config
  if (type === undefined || type === null || type === '' || type === 'text/plain') return {}
  if (type !== 'application/json')
    throw refuse(context, `${path}/responseMimeType`, `answers of type ${String(type)} cannot be requested`)
  const given = [responseJsonSchema, _responseJsonSchema].find(isObject)
  const schema = given ?? (isObject(own) ? jsonSchemaOf(own) : null)
  if (schema === null) return { response_format: { type: 'json_object' } }
  const strict = isStrict(schema) ? { strict: true } : {}
  return { response_format: { type: 'json_schema', json_schema: { name: 'output', schema, ...strict } } }
}

function readModalities({ responseModalities: given }: JsonObject, context: DialectContext): JsonObject {
  const modalities = Array.isArray(given) ? given.map((modality) => String(modality).toLowerCase()) : []
  const unknown = modalities.findIndex((modality) => modality !== 'text' && modality !== 'image')
  if (unknown !== -1)
    throw refuse(context, `${path}/responseModalities/${unknown}`, 'only text and images can be requested')
  return modalities.includes('image') ? { modalities } : {}
}

/** The maximum thinking tokens of each effort. */
const efforts: readonly [budget: number, effort: string][] = [
  [0, 'none'],
  [4095, 'low'],
  [16_383, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
]

const levels: ReadonlySet<string> = new Set(['minimal', 'low', 'medium', 'high'])

/** Without a budget, or with -1, the model decides how much to think. */
function readThinking(config: Json | undefined): JsonObject {
  const { thinkingBudget: budget, thinkingLevel: level } = isObject(config) ? config : {}
  if (typeof level === 'string' && levels.has(level.toLowerCase()))
    return { reasoning_effort: level.toLowerCase() }
  if (typeof budget !== 'number' || budget < 0) return {}
  return { reasoning_effort: efforts.find(([most]) => budget <= most)?.[1] ?? 'high' }
}
