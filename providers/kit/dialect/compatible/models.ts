/**
 * The list of models in the compatible format: `{data: [{id, created, owned_by}]}`, or a plain list from some
 * providers.
 * Reference: https://platform.openai.com/docs/api-reference/models/list
 */
import { type Dialect, type HttpEndpoint, isObject, type Json, type JsonObject } from '@gateway/contract'
import { compatibleError } from './errors.ts'

export const modelsDialect: Dialect = {
  name: 'compatible-models',
  request: (body) => body,
  answer: ({ data }) => ({ data: Array.isArray(data) ? data.map(entry) : null }),
  error: compatibleError,
}

/** Providers use different members for the display name. */
function entry(model: Json): JsonObject {
  if (!isObject(model)) return {}
  const { id, created, owned_by, name, display_name, capabilities } = model
  return { id, created, owned_by, name: typeof name === 'string' ? name : display_name, capabilities }
}

export const modelsEndpoint: HttpEndpoint = {
  kind: 'http',
  method: 'GET',
  path: '/models',
  dialect: modelsDialect,
}
