/**
 * `GET /models`: the models of a key. Names lose their `models/` prefix; the vendor returns no creation time.
 * Reference: https://ai.google.dev/api/models
 */
import { type Dialect, GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { geminiError } from './errors.ts'

/** Converts the vendor's list of models to the compatible format. */
export const geminiModelsDialect: Dialect = {
  name: 'gemini-models',
  request: (body) => body,
  answer({ models }) {
    if (!Array.isArray(models)) {
      throw new GatewayError('upstream_invalid_response', 'The provider answered without models.')
    }
    return { object: 'list', data: models.flatMap((model) => (isObject(model) ? modelOf(model) : [])) }
  },
  error: geminiError,
}

function modelOf({ name, displayName }: JsonObject): JsonObject[] {
  if (typeof name !== 'string') return []
  const shown = typeof displayName === 'string' ? { name: displayName } : {}
  return [{ id: name.replace(/^models\//, ''), object: 'model', owned_by: 'google', ...shown }]
}
