/**
 * Null in a request: in the specification a null parameter counts as absent. Not every compatible provider does the
 * same, so providers with their own rules get no nulls. A field outside the specification is forwarded with any
 * value.
 */
import { type InferenceEndpoint, type JsonObject, specifiedParameters } from '@gateway/contract'

/** The body without parameters that are null; the same object if no parameter is null. */
export function withoutNulls(body: JsonObject, endpoint: InferenceEndpoint): JsonObject {
  const specified = specifiedParameters(endpoint)
  const isGiven = (field: string) => body[field] !== null || !specified.has(field)
  const fields = Object.keys(body)
  if (fields.every(isGiven)) return body
  return Object.fromEntries(fields.filter(isGiven).map((field) => [field, body[field]]))
}
