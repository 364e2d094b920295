/**
 * Embeddings in the requested format: lists of numbers, or base64 of little-endian 32-bit floats (`encoding_format:
 * base64`, which some clients request by default), independent of the provider's format.
 * Reference: https://platform.openai.com/docs/api-reference/embeddings/create
 * Errors: `upstream_invalid_response` for a vector in neither format; `invalid_body` for input that is not text.
 */
import { GatewayError, type Json, type JsonObject } from '@gateway/contract'

const bytesPerFloat = 4

/** Encodes numbers as base64 of little-endian 32-bit floats. */
export function encodeEmbedding(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * bytesPerFloat)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * bytesPerFloat)
  return bytes.toString('base64')
}

/** Decodes numbers from base64 of little-endian 32-bit floats. */
export function decodeEmbedding(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length % bytesPerFloat !== 0) throw unreadable()
  return Array.from({ length: bytes.length / bytesPerFloat }, (_, at) =>
    bytes.readFloatLE(at * bytesPerFloat),
  )
}

/** One vector, given as numbers or as base64, in the format of `encoding_format` (default: numbers). */
export function formatEmbedding(vector: Json | undefined, request: JsonObject): number[] | string {
  const isBase64 = request.encoding_format === 'base64'
  if (typeof vector === 'string') return isBase64 ? vector : decodeEmbedding(vector)
  if (!isNumbers(vector)) throw unreadable()
  return isBase64 ? encodeEmbedding(vector) : vector
}

export interface EmbeddingList {
  /** One vector per input, in input order, as numbers or base64. */
  vectors: readonly (Json | undefined)[]
  /** The unified request; its `encoding_format` selects the format. */
  request: JsonObject
  model: Json | undefined
  /** Tokens of all inputs; 0 when the provider does not report them. */
  promptTokens: number
  totalTokens?: number | undefined
}

/** The unified answer of an embedding call. */
export function embeddingList(list: EmbeddingList): JsonObject {
  const { vectors, request, model, promptTokens, totalTokens = promptTokens } = list
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: formatEmbedding(vector, request),
    })),
    model,
    usage: { prompt_tokens: promptTokens, total_tokens: totalTokens },
  }
}

/** The texts of a request's `input`, for a provider that does not accept tokens. */
export function embeddingTexts({ input }: JsonObject, provider: string): string[] {
  const inputs = Array.isArray(input) ? input : [input]
  return inputs.map((text, index) => {
    if (typeof text === 'string') return text
    const param = Array.isArray(input) ? `/input/${index}` : '/input'
    throw new GatewayError(
      'invalid_body',
      `${param}: must be text, as this provider does not accept tokens (provider ${provider})`,
      {
        param,
      },
    )
  })
}

function isNumbers(vector: Json | undefined): vector is number[] {
  return Array.isArray(vector) && vector.length > 0 && vector.every((value) => typeof value === 'number')
}

function unreadable(): GatewayError {
  return new GatewayError(
    'upstream_invalid_response',
    'The provider returned an embedding that cannot be decoded.',
  )
}
