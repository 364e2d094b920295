/** JSON as it travels: bodies stay plain objects in snake_case, from the wire to the wire. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }

/** A JSON object; `undefined` members are left out when it is written. */
export type JsonObject = { [key: string]: Json | undefined }

/** The same members without interfaces: those have no index signature, and so are no {@link JsonObject} for the compiler. */
export type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : { [Name in keyof T]: Plain<T[Name]> }

/** A value whose type is written as interfaces, as the JSON object that it is. The compiler checks that every member is JSON. */
export function asJson<T extends object>(value: T): Plain<T> {
  // The same value: only the type differs, and its members are compared where the result is used as JSON.
  return value as unknown as Plain<T>
}

/** A TypeBox schema as the JSON Schema that it is. */
export const schemaAsJson = (schema: object): JsonObject => Object.fromEntries(Object.entries(schema))

/**
 * The member of that name, where the object itself has one. Every object answers to `toString` or `constructor`, so a
 * name that comes from outside is looked up with this.
 */
export function ownMember<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value that a text stands for; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Whether a parsed value is nested deeper than `limit` objects and arrays; looks no deeper than that. Loops over names: a
 * list of the members of a hostile object costs more than reading it.
 */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  if (Array.isArray(value)) return value.some((member) => isDeeperThan(member, limit - 1))
  for (const name in value) {
    const member: unknown = (value as Record<string, unknown>)[name]
    if (typeof member === 'object' && member !== null && isDeeperThan(member, limit - 1)) return true
  }
  return false
}

/**
 * Whether an object somewhere in a parsed value has a key of the name `__proto__`: no document has one, and a copy that
 * is made member by member would take it for the prototype. For values of a bounded depth.
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
