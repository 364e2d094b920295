/** JSON as it travels: bodies stay plain objects in snake_case, from the wire to the wire. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }

/** A JSON object; `undefined` members are left out when it is written. */
export type JsonObject = { [key: string]: Json | undefined }

/** Whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
