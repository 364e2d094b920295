/**
 * Native embeddings: all inputs in one call, which returns numbers; base64 is encoded here.
 * Reference: https://docs.ollama.com/api/embed
 * Errors: `invalid_body` for token input; `upstream_invalid_response` for an answer without embeddings.
 */
import { type CallContext, GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { countOf, pick, textOf } from '../../chat/values.ts'
import { embeddingList, embeddingTexts } from '../../embedding-format.ts'
import { type EmbedRequest, toJson } from './types.ts'

/** The request body that the API takes. */
export function embedRequest(body: JsonObject, context: CallContext): JsonObject {
  const request: EmbedRequest = {
    model: textOf(body.model),
    input: embeddingTexts(body, context.settings.provider),
    ...(typeof body.dimensions === 'number' ? { dimensions: body.dimensions } : {}),
    ...(typeof body.truncate === 'boolean' ? { truncate: body.truncate } : {}),
    ...(isObject(body.options) ? { options: body.options } : {}),
  }
  return { ...toJson(request), ...pick(body, ['keep_alive']) }
}

/** The unified answer. */
export function embedAnswer(body: JsonObject, { request }: CallContext): JsonObject {
  if (!Array.isArray(body.embeddings)) {
    throw new GatewayError('upstream_invalid_response', 'The provider returned no embeddings.')
  }
  const model = typeof body.model === 'string' ? body.model : request.model
  const promptTokens = countOf(body.prompt_eval_count)
  return embeddingList({ vectors: body.embeddings, request, model, promptTokens })
}
