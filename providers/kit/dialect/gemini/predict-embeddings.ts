/**
 * Text embeddings with the cloud's `predict`: one instance per text. `task_type`, `title` and `auto_truncate` are
 * forwarded as extras; `user` is dropped.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 * Errors: `invalid_body` for tokens, `upstream_invalid_response` for an answer without predictions.
 */
import { type Dialect, GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { embeddingList, embeddingTexts } from '../../embedding-format.ts'
import type { Embedded } from './embeddings.ts'
import { geminiError } from './errors.ts'

/** `POST {model}:predict`. */
export const predictEmbedDialect: Dialect = {
  name: 'vertex-predict-embeddings',
  request(body, context) {
    return predictRequest(body, embeddingTexts(body, context.settings.provider))
  },
  answer(body, { request }) {
    const { vectors, tokens } = readPredictions(body)
    return embeddingList({ vectors, request, model: request.model, promptTokens: tokens })
  },
  error: geminiError,
}

/** The body of a prediction for these texts. */
export function predictRequest(body: JsonObject, texts: readonly string[]): JsonObject {
  const { dimensions, task_type, title, auto_truncate: autoTruncate } = body
  const parameters = {
    ...(typeof dimensions === 'number' ? { outputDimensionality: dimensions } : {}),
    ...(typeof autoTruncate === 'boolean' ? { autoTruncate } : {}),
  }
  return {
    instances: texts.map((content) => ({
      content,
      ...(typeof task_type === 'string' ? { task_type } : {}),
      ...(typeof title === 'string' ? { title } : {}),
    })),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  }
}

/** The vectors of a prediction and their tokens. */
export function readPredictions({ predictions }: JsonObject): Embedded {
  if (!Array.isArray(predictions) || predictions.length === 0) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without predictions.')
  }
  const rows = predictions.map((row) => (isObject(row) && isObject(row.embeddings) ? row.embeddings : {}))
  const tokens = rows.map(({ statistics }) => (isObject(statistics) ? statistics.token_count : 0))
  return {
    vectors: rows.map(({ values }) => values),
    tokens: tokens.reduce((sum: number, count) => sum + (typeof count === 'number' ? count : 0), 0),
  }
}
