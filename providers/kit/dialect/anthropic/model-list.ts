/**
 * Model lists in the format of the Messages API: read from the provider, and written for its clients.
 * Reference: https://platform.claude.com/docs/en/api/models/list
 */
import {
  type Dialect,
  isObject,
  type Json,
  type JsonObject,
  type ModelInfo,
  type ModelListFormat,
} from '@gateway/contract'
import { anthropicError } from './errors.ts'

/** Converts the vendor's list to the gateway's. */
export const anthropicModelsDialect: Dialect = {
  name: 'anthropic-models',
  request: (body) => body,
  answer: ({ data }) => ({ data: Array.isArray(data) ? data.map(entry) : null }),
  error: anthropicError,
}

function entry(model: Json): JsonObject {
  if (!isObject(model)) return {}
  const { id, display_name, created_at, capabilities } = model
  const created = typeof created_at === 'string' ? Date.parse(created_at) / 1000 : Number.NaN
  const age = Number.isFinite(created) ? { created } : {}
  return { id, name: display_name, owned_by: 'anthropic', capabilities, ...age }
}

/** Converts the gateway's list to the vendor's format. */
export const anthropicModelList: ModelListFormat = {
  header: 'anthropic-version',
  pageSize: 20,
  model: ({ id, name, created }: ModelInfo) => ({
    type: 'model',
    id,
    display_name: name ?? id,
    // An unknown time is the epoch, as in the reference.
    created_at: new Date((created ?? 0) * 1000).toISOString(),
  }),
  page: (models, hasMore) => ({
    data: [...models],
    has_more: hasMore,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  }),
}
