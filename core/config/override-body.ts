/** Applies `override_params` to a body. */
import type { JsonObject } from '@gateway/contract'
import { overrideContents } from './override-contents.ts'

/** Sets these parameters in the body; `null` removes a parameter. */
export function overrideBody(body: JsonObject, params: JsonObject): JsonObject {
  if (body.contents !== undefined) return overrideContents(body, params)
  const merged = { ...body, ...params }
  for (const [name, value] of Object.entries(params)) if (value === null) delete merged[name]
  return merged
}

/** Merges these parameters over those of the nodes above: the nearest value of each name. */
export const nearestParams = (before: JsonObject | null, params: JsonObject): JsonObject =>
  before === null ? params : { ...before, ...params }

/** The names that such parameters remove. */
export const removedNames = (params: JsonObject | null): readonly string[] =>
  params === null ? [] : Object.keys(params).filter((name) => params[name] === null)
