/** Reads a config from a body: an object, or a string of JSON. */
import { describeJsonFault, isObject, type Json, type JsonObject } from '@gateway/contract'

/** The config, or a text that describes the error. */
export function parseConfig(written: Json | undefined): JsonObject | string {
  if (isObject(written)) return written
  if (typeof written !== 'string') return 'must be an object, or a string with a JSON object'
  try {
    const parsed: unknown = JSON.parse(written)
    return isObject(parsed) ? parsed : 'must be an object, or a string with a JSON object'
  } catch {
    return describeJsonFault(written)
  }
}
