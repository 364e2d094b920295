/** Applies `override_params` to a body. */
import type { JsonObject } from '@gateway/contract'

/** The body with these parameters set; `null` removes one. */
export function overrideBody(body: JsonObject, params: JsonObject): JsonObject {
  const merged = { ...body, ...params }
  for (const [name, value] of Object.entries(params)) if (value === null) delete merged[name]
  return merged
}
