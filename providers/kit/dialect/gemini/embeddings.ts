/**
 * Embeddings of the Gemini API: all inputs in one `batchEmbedContents`; or one text in one `embedContent`, because the
 * cloud's newer models support only that. `task_type` and `title` are forwarded as extras; `user` is dropped.
 * Reference: https://ai.google.dev/api/embeddings
 * Errors: `invalid_body` for tokens, `upstream_invalid_response` for an answer without vectors.
 */
import {
  type CallContext,
  type Dialect,
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/contract'
import { embeddingList, embeddingTexts } from '../../embedding-format.ts'
import { geminiError } from './errors.ts'

/** Vectors, and their total number of tokens. */
export interface Embedded {
  vectors: (Json | undefined)[]
  tokens: number
}

/** `POST {model}:batchEmbedContents`. */
export const batchEmbedDialect: Dialect = {
  name: 'gemini-batch-embed-contents',
  request(body, context) {
    const model = String(body.model)
    const name = /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`
    const texts = embeddingTexts(body, context.settings.provider)
    return { requests: texts.map((text) => ({ model: name, ...embedContentRequest(body, text) })) }
  },
  answer(body, context) {
    const rows = Array.isArray(body.embeddings) ? body.embeddings : []
    const vectors = rows.map((row) => (isObject(row) ? row.values : undefined))
    return listOf({ vectors, tokens: countedTokens(body.usageMetadata) }, context)
  },
  error: geminiError,
}

/** `POST {model}:embedContent` for a request with one text. */
export const embedContentDialect: Dialect = {
  name: 'gemini-embed-content',
  request(body, context) {
    const [text = ''] = embeddingTexts(body, context.settings.provider)
    return embedContentRequest(body, text)
  },
  answer: (body, context) => listOf(readEmbedding(body), context),
  error: geminiError,
}

/** The vector of an `embedContent` answer and its tokens. */
export function readEmbedding({ embedding, usageMetadata }: JsonObject): Embedded {
  const vectors = isObject(embedding) ? [embedding.values] : []
  return { vectors, tokens: countedTokens(usageMetadata) }
}

/** The body of `POST {model}:embedContent` for one text. */
export function embedContentRequest(body: JsonObject, text: string): JsonObject {
  const { dimensions, task_type: taskType, title } = body
  return {
    content: { parts: [{ text }] },
    ...(typeof dimensions === 'number' ? { outputDimensionality: dimensions } : {}),
    ...(typeof taskType === 'string' ? { taskType } : {}),
    ...(typeof title === 'string' ? { title } : {}),
  }
}

/** The number of tokens in an answer; 0 when it is not reported. */
function countedTokens(usage: Json | undefined): number {
  return isObject(usage) && typeof usage.promptTokenCount === 'number' ? usage.promptTokenCount : 0
}

function listOf({ vectors, tokens }: Embedded, { request }: CallContext): JsonObject {
  if (vectors.length === 0) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without embeddings.')
  }
  return embeddingList({ vectors, request, model: request.model, promptTokens: tokens })
}
