/**
 * The wire formats of embedding models, as data.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html,
 * …/model-parameters-titan-embed-mm.html, …/model-parameters-embed-v3.html, …/model-parameters-embed-v4.html,
 * https://docs.aws.amazon.com/nova/latest/userguide/embeddings-schema.html
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { objectOf, pick } from '@gateway/provider-kit'

export interface EmbeddingFamily {
  models: RegExp
  /** The maximum number of texts per call. */
  batchSize: number
  hasDimensions: boolean
  /** The request body for some texts. */
  body(texts: string[], request: JsonObject): JsonObject
  /** The vectors of an answer, in the order of the texts. */
  vectors(answer: JsonObject): Json | undefined
}

/** The purpose that the API requires; a search index is the usual one. */
const defaultInputType = 'search_document'
/** The number of dimensions that Nova requires in the request; its maximum. */
const novaDimensions = 3072

const cohere = (request: JsonObject): JsonObject => ({
  input_type: defaultInputType,
  ...pick(request, ['input_type', 'truncate']),
})

/** The first family whose pattern matches a model. */
export const embeddingFamilies: readonly EmbeddingFamily[] = [
  {
    models: /titan-embed-text-v2/,
    batchSize: 1,
    hasDimensions: true,
    body: ([inputText], request) => ({ inputText, ...pick(request, ['dimensions', 'normalize']) }),
    vectors: ({ embedding }) => [embedding ?? null],
  },
  {
    models: /titan-embed-image/,
    batchSize: 1,
    hasDimensions: true,
    body: ([inputText], { dimensions }) => ({
      inputText,
      ...(typeof dimensions === 'number' ? { embeddingConfig: { outputEmbeddingLength: dimensions } } : {}),
    }),
    vectors: ({ embedding }) => [embedding ?? null],
  },
  {
    models: /titan-embed/,
    batchSize: 1,
    hasDimensions: false,
    body: ([inputText]) => ({ inputText }),
    vectors: ({ embedding }) => [embedding ?? null],
  },
  {
    models: /nova-.*embed/,
    batchSize: 1,
    hasDimensions: true,
    body: ([value], request) => ({
      schemaVersion: 'nova-multimodal-embed-v1',
      taskType: 'SINGLE_EMBEDDING',
      singleEmbeddingParams: {
        embeddingPurpose: request.embeddingPurpose ?? 'GENERIC_INDEX',
        embeddingDimension: request.dimensions ?? novaDimensions,
        text: { truncationMode: request.truncationMode ?? 'END', value },
      },
    }),
    vectors: ({ embeddings }) =>
      Array.isArray(embeddings) ? embeddings.map((item) => objectOf(item).embedding ?? null) : undefined,
  },
  {
    models: /cohere\.embed-v4/,
    batchSize: 96,
    hasDimensions: true,
    body: (texts, request) => ({
      texts,
      ...cohere(request),
      embedding_types: ['float'],
      ...(typeof request.dimensions === 'number' ? { output_dimension: request.dimensions } : {}),
    }),
    vectors: cohereVectors,
  },
  {
    models: /cohere\.embed/,
    batchSize: 96,
    hasDimensions: false,
    body: (texts, request) => ({ texts, ...cohere(request) }),
    vectors: cohereVectors,
  },
]

/** A list, or a list per type if types were requested. */
function cohereVectors({ embeddings }: JsonObject): Json | undefined {
  return isObject(embeddings) ? embeddings.float : embeddings
}
