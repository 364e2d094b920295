/** A config in a body: an object, or JSON in a string. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** The config, or what is wrong with it. */
export function parseConfig(written: Json | undefined): JsonObject | string {
  if (isObject(written)) return written
  if (typeof written !== 'string') return 'must be an object, or a string that holds one as JSON'
  try {
    const parsed: unknown = JSON.parse(written)
    // What was parsed from JSON is JSON.
    return isObject(parsed) ? parsed : 'must be an object, or a string that holds one as JSON'
  } catch {
    return 'is a string that is not JSON'
  }
}
