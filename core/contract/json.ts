/** JSON bodies: plain snake_case objects from the request to the upstream and back. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }

/** A JSON object; `undefined` members are omitted when it is serialized. */
export type JsonObject = { [key: string]: Json | undefined }

/**
 * The same members as a mapped type: interfaces have no index signature and are not assignable to {@link JsonObject}.
 */
export type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : { [Name in keyof T]: Plain<T[Name]> }

/** A value with an interface type as a {@link JsonObject}. The compiler checks that every member is JSON. */
export function asJson<T extends object>(value: T): Plain<T> {
  // Returns the same value with another type. Its members are checked where the result is used as JSON.
  return value as unknown as Plain<T>
}

/** A TypeBox schema, typed as JSON Schema. */
export const schemaAsJson = (schema: object): JsonObject => Object.fromEntries(Object.entries(schema))

/**
 * The object's own member of that name. Use it for untrusted names: every object inherits `toString` and `constructor`.
 */
export function ownMember<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON text; undefined when it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Whether a content type is JSON: `application/json`, `application/problem+json`. */
export function isJsonType(contentType: string): boolean {
  return /^[^;]*\bjson\b/i.test(contentType)
}

/**
 * Whether a parsed value is nested deeper than `limit` objects and arrays. Loops with `for…in`: for a hostile object, a
 * list of its members costs more than parsing it.
 */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  if (Array.isArray(value)) {
    for (const member of value) if (isDeeperThan(member, limit - 1)) return true
    return false
  }
  for (const name in value) if (isDeeperThan((value as Record<string, unknown>)[name], limit - 1)) return true
  return false
}

/**
 * Whether any object in a parsed value has the key `__proto__`: no document needs one, and copying it member by member
 * would set the prototype. For values of a bounded depth.
 */
export function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasPrototypeKey)
  if (Object.hasOwn(value, '__proto__')) return true
  for (const name in value) {
    const member: unknown = (value as Record<string, unknown>)[name]
    if (typeof member === 'object' && member !== null && hasPrototypeKey(member)) return true
  }
  return false
}
