/**
 * Converts sampling, length, format and thinking to `generationConfig`. Unsupported parameters (`logit_bias`, `user`,
 * …) are dropped, and so are penalties for models that refuse them; a penalty of 0 is the default and is not sent. JSON
 * output together with tools is requested in the system instruction for models that refuse the combination.
 * `temperature` is clamped to 0..2, `seed` must be a 32-bit integer.
 * Reference: https://ai.google.dev/api/generate-content (GenerationConfig)
 * Errors: `invalid_body` for unsupported formats and modalities.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { maxTokens, stopSequences } from '../../chat/content.ts'
import { refusal } from '../../chat/refusal.ts'
import { jsonInstruction, readResponseFormat } from '../../chat/response-format.ts'
import { clamped } from '../../chat/values.ts'
import { geminiSchema } from './json-schema.ts'
import { formatsBesideTools, takesPenalties } from './models.ts'
import { readThinking } from './thinking.ts'
import type { GenerationConfig, Reader } from './types.ts'

/** The generation parameters of a request; empty if it sets none. */
export function readGenerationConfig(body: JsonObject, reader: Reader): GenerationConfig {
  const thinking = readThinking(body, reader)
  return {
    ...readSampling(body),
    ...readPenalties(body, reader.model),
    ...readLength(body),
    ...readLogprobs(body),
    ...readFormat(body, reader),
    ...readModalities(body, reader),
    ...(thinking === null ? {} : { thinkingConfig: thinking }),
  }
}

function readSampling(body: JsonObject): GenerationConfig {
  const { top_p, top_k, seed: given } = body
  const temperature = clamped(body.temperature, 0, 2)
  const seed = clamped(given, -(2 ** 31), 2 ** 31 - 1)
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(typeof top_p === 'number' ? { topP: top_p } : {}),
    ...(typeof top_k === 'number' ? { topK: top_k } : {}),
    ...(seed === undefined ? {} : { seed: Math.trunc(seed) }),
  }
}

function readPenalties({ presence_penalty, frequency_penalty }: JsonObject, model: string): GenerationConfig {
  if (!takesPenalties(model)) return {}
  return {
    ...(isSet(presence_penalty) ? { presencePenalty: presence_penalty } : {}),
    ...(isSet(frequency_penalty) ? { frequencyPenalty: frequency_penalty } : {}),
  }
}

function isSet(penalty: Json | undefined): penalty is number {
  return typeof penalty === 'number' && penalty !== 0
}

/** The limit on generated tokens includes thinking, as in the unified request. */
function readLength(body: JsonObject): GenerationConfig {
  const { n } = body
  const limit = maxTokens(body)
  const sequences = stopSequences(body)
  return {
    ...(limit === undefined ? {} : { maxOutputTokens: limit }),
    // One is the default, and models that support only one refuse the parameter.
    ...(typeof n === 'number' && n > 1 ? { candidateCount: n } : {}),
    ...(sequences === null ? {} : { stopSequences: sequences }),
  }
}

function readLogprobs({ logprobs, top_logprobs }: JsonObject): GenerationConfig {
  if (logprobs !== true) return {}
  return { responseLogprobs: true, ...(typeof top_logprobs === 'number' ? { logprobs: top_logprobs } : {}) }
}

function readFormat(body: JsonObject, { provider, model }: Reader): GenerationConfig {
  const wanted = readResponseFormat(body, provider)
  if (wanted.type === 'text' || (offersTools(body) && !formatsBesideTools(model))) return {}
  const responseMimeType = 'application/json'
  if (wanted.type === 'json_object') return { responseMimeType }
  return { responseMimeType, responseJsonSchema: geminiSchema(wanted.schema) }
}

const offersTools = ({ tools, web_search_options: search }: JsonObject): boolean =>
  (Array.isArray(tools) && tools.length > 0) || isObject(search)

/**
 * Requests JSON in the system instruction if the model does not accept a format together with tools; otherwise null.
 */
export function formatInstruction(body: JsonObject, { provider, model }: Reader): string | null {
  if (!offersTools(body) || formatsBesideTools(model)) return null
  const wanted = readResponseFormat(body, provider)
  if (wanted.type === 'text') return null
  return jsonInstruction(wanted.type === 'json_schema' ? wanted.schema : undefined)
}

function readModalities({ modalities }: JsonObject, reader: Reader): GenerationConfig {
  if (!Array.isArray(modalities)) return {}
  const responseModalities = modalities.map((modality, index) => {
    if (modality === 'text') return 'TEXT' as const
    if (modality === 'image') return 'IMAGE' as const
    throw refusal(reader.provider, `/modalities/${index}`, 'this provider generates only text and images')
  })
  return responseModalities.every((modality) => modality === 'TEXT') ? {} : { responseModalities }
}
