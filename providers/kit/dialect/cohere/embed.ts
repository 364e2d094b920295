/**
 * Embeddings of v2. `input_type` defaults to `search_document`; with `image` the inputs are images, as base64 data
 * URLs. `encoding_format` can be any of the vendor's types, such as `int8`. `truncate`, `embedding_types`, `images`,
 * `inputs`, `max_tokens` and `priority` are forwarded.
 * Reference: https://docs.cohere.com/reference/embed
 * Errors: `invalid_body` for token input; `upstream_invalid_response` for an answer without embeddings.
 */
import { type CallContext, GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import { countOf, objectOf, pick, textOf } from '../../chat/values.ts'
import { embeddingList, embeddingTexts } from '../../embedding-format.ts'
import { type EmbeddingType, type EmbedRequest, toJson } from './types.ts'

const types: readonly EmbeddingType[] = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64']
const vendorFields = ['truncate', 'inputs', 'max_tokens', 'priority']

/** The request body that the API takes. */
export function embedRequest(body: JsonObject, context: CallContext): JsonObject {
  const type = textOf(body.input_type) || 'search_document'
  const request: EmbedRequest = {
    model: textOf(body.model),
    ...readInput(body, type, context),
    // The vendor refuses unknown types itself.
    input_type: type as EmbedRequest['input_type'],
    embedding_types: [...new Set([wantedType(body), ...askedTypes(body)])],
    ...(typeof body.dimensions === 'number' ? { output_dimension: body.dimensions } : {}),
  }
  return { ...toJson(request), ...pick(body, vendorFields) }
}

function readInput(
  body: JsonObject,
  type: string,
  context: CallContext,
): Pick<EmbedRequest, 'texts' | 'images'> {
  if (Array.isArray(body.inputs)) return {}
  if (Array.isArray(body.images)) return { images: body.images.map(textOf) }
  const inputs = embeddingTexts(body, context.settings.provider)
  return type === 'image' ? { images: inputs } : { texts: inputs }
}

/** The embedding type in the answer. */
function wantedType({ encoding_format: format }: JsonObject): EmbeddingType {
  return types.find((type) => type === format) ?? 'float'
}

function askedTypes({ embedding_types: asked }: JsonObject): EmbeddingType[] {
  return Array.isArray(asked) ? types.filter((type) => asked.includes(type)) : []
}

/** The unified answer; without strict compliance with all requested types. */
export function embedAnswer(body: JsonObject, context: CallContext): JsonObject {
  const { request } = context
  const { embeddings } = body
  const billed = objectOf(objectOf(body.meta).billed_units)
  const list = embeddingList({
    vectors: vectorsOf(embeddings, wantedType(request)),
    request,
    model: request.model,
    promptTokens: countOf(billed.input_tokens) + countOf(billed.image_tokens),
  })
  const isMore = askedTypes(request).length > 0
  return context.strict || !isMore ? list : { ...list, embeddings: embeddings ?? null }
}

function vectorsOf(embeddings: Json | undefined, type: EmbeddingType): Json[] {
  if (Array.isArray(embeddings)) return embeddings
  const byType = isObject(embeddings) ? embeddings : {}
  const found = [byType[type], byType.float].find(Array.isArray)
  if (found === undefined)
    throw new GatewayError('upstream_invalid_response', 'The provider returned no embeddings.')
  return found
}
