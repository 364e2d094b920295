/**
 * Embeddings: `{text: […]}` → `{data: [[…]]}`.
 * Reference: https://developers.cloudflare.com/workers-ai/models/bge-m3/
 * Errors: `invalid_body` for input that is not text, and for `dimensions`; `upstream_invalid_response` for vectors
 * that cannot be read.
 */
import { type CallContext, type Dialect, GatewayError, type JsonObject } from '@gateway/contract'
import { countOf, embeddingList, embeddingTexts, objectOf, refusal } from '@gateway/provider-kit'
import { resultOf, workersError } from './result.ts'

export const embedDialect: Dialect = {
  name: 'workers-ai-embedding',
  request: embedRequest,
  answer: embedAnswer,
  error: workersError,
}

/** Other parameters in the models' own format (`pooling`) are forwarded. */
function embedRequest(body: JsonObject, { settings: { provider } }: CallContext): JsonObject {
  const { model: _model, input: _input, encoding_format: _format, user: _user, dimensions, ...rest } = body
  if (dimensions !== undefined && dimensions !== null) {
    throw refusal(provider, '/dimensions', 'is not supported')
  }
  return { ...rest, text: embeddingTexts(body, provider) }
}

function embedAnswer(body: JsonObject, { request }: CallContext): JsonObject {
  const { data, usage } = resultOf(body)
  if (!Array.isArray(data)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without embeddings.')
  }
  const promptTokens = countOf(objectOf(usage).prompt_tokens)
  return embeddingList({ vectors: data, request, model: request.model, promptTokens })
}
