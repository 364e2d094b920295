/**
 * Embeddings of compatible providers, in the requested format: some return lists of numbers although base64 was
 * requested.
 * Reference: https://platform.openai.com/docs/api-reference/embeddings
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { formatEmbedding } from '../../embedding-format.ts'

/** The answer with base64 vectors; the same object when it already contains them. */
export function inBase64(body: JsonObject, request: JsonObject): JsonObject {
  const { data } = body
  if (!Array.isArray(data) || !data.some(isList)) return body
  return { ...body, data: data.map((item) => (isList(item) ? encode(item, request) : item)) }
}

const isList = (item: Json): item is JsonObject => isObject(item) && Array.isArray(item.embedding)

function encode(item: JsonObject, request: JsonObject): JsonObject {
  return { ...item, embedding: formatEmbedding(item.embedding, request) }
}

/** The same usage with input tokens, for a provider that reports one total. */
export function withPromptTokens(body: JsonObject): JsonObject {
  const { usage } = body
  if (!isObject(usage) || usage.prompt_tokens !== undefined) return body
  return { ...body, usage: { prompt_tokens: usage.total_tokens, ...usage } }
}
