/**
 * Null in a request: in the specification it says that a parameter is not given. Not every provider of the compatible
 * format reads it so; those with rules of their own get none. A field that the specification does not name passes
 * with whatever it holds.
 */
import { type InferenceEndpoint, type JsonObject, specifiedParameters } from '@gateway/contract'

/** The body without parameters that are null; the same object when there are none. */
export function withoutNulls(body: JsonObject, endpoint: InferenceEndpoint): JsonObject {
  const specified = specifiedParameters(endpoint)
  const isGiven = (field: string) => body[field] !== null || !specified.has(field)
  const fields = Object.keys(body)
  if (fields.every(isGiven)) return body
  return Object.fromEntries(fields.filter(isGiven).map((field) => [field, body[field]]))
}
