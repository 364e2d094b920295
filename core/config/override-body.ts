/** Applies `override_params` to a body. */
import type { JsonObject } from '@gateway/contract'

/** The body with these parameters set; `null` removes one. */
export function overrideBody(body: JsonObject, params: JsonObject): JsonObject {
  const merged = { ...body, ...params }
  for (const [name, value] of Object.entries(params)) if (value === null) delete merged[name]
  return merged
}

/** The names that are removed after these parameters, too: by the nearer node, unless it sets them again. */
export function removedNames(before: ReadonlySet<string>, params: JsonObject): ReadonlySet<string> {
  const entries = Object.entries(params)
  if (before.size === 0 && entries.every(([, value]) => value !== null)) return before
  const names = new Set(before)
  for (const [name, value] of entries) {
    if (value === null) names.add(name)
    else names.delete(name)
  }
  return names
}
