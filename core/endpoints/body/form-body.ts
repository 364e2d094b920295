/**
 * The fields of a form as the JSON body that the endpoint's schema describes. `name[]` is a list, `name[key]` a member,
 * a repeated name is also a list; numbers and booleans are parsed where the schema has them. Unknown fields stay text
 * and are forwarded unchanged. Errors: `invalid_body` at the field's path for contradictory names.
 */

import { GatewayError, isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import type { FormField } from './parse-multipart.ts'

/** No known format nests names this deep. */
const maxDepth = 8

/** The body of a form. */
export function formBody(fields: readonly FormField[], schema: TSchema | undefined): JsonObject {
  const body: JsonObject = {}
  for (const { name, value } of fields) put(body, keysOf(name), { value, path: '' })
  const value = read(body, schemaAt(schema))
  return isObject(value) ? value : body
}

/** Splits `a[b][]` into `a`, `b` and an empty key, which appends to a list. */
function keysOf(name: string): string[] {
  const [, first = name, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  const keys = [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, key = '']) => key)]
  if (keys.length > maxDepth || keys.includes('__proto__'))
    throw invalid(`/${escapeKey(first)}`, 'has no such form')
  return keys
}

function put(
  target: JsonObject,
  [key = '', next, ...rest]: readonly string[],
  { value, path }: { value: string; path: string },
): void {
  const at = `${path}/${escapeKey(key)}`
  const known = Object.hasOwn(target, key) ? target[key] : undefined
  if (next === undefined) {
    if (isObject(known)) throw contradiction(at)
    target[key] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value]
  } else if (next === '' && rest.length === 0) {
    if (isObject(known)) throw contradiction(at)
    target[key] = [...(known === undefined ? [] : Array.isArray(known) ? known : [known]), value]
  } else {
    const inner: Json = known ?? {}
    if (!isObject(inner)) throw contradiction(at)
    target[key] = inner
    put(inner, [next, ...rest], { value, path: at })
  }
}

/** Converts the value to the schema's type; unparsable values stay unchanged, for the validator to report. */
function read(value: Json | undefined, schema: Schema): Json | undefined {
  if (typeof value === 'string') return readText(value, schema)
  if (Array.isArray(value)) {
    const items = schemaAt(alternatives(schema).find((one) => typesOf(one).has('array'))?.items)
    return value.map((item) => read(item, items) ?? null)
  }
  if (!isObject(value)) return value
  const members = schemaAt(
    alternatives(schema).find(({ properties }) => properties !== undefined)?.properties,
  )
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const known = Object.hasOwn(members, key) ? members[key] : undefined
      return [key, read(member, schemaAt(known))]
    }),
  )
}

function readText(text: string, schema: Schema): Json {
  const types = typesOf(schema)
  if ((types.has('array') && text.startsWith('[')) || (types.has('object') && text.startsWith('{'))) {
    const value = parseJson(text)
    return value === undefined ? text : (value as Json)
  }
  if (types.has('string')) return text
  if (types.has('number') || types.has('integer')) {
    const number = text.trim() === '' ? Number.NaN : Number(text)
    if (Number.isFinite(number)) return number
  }
  const word = text.toLowerCase()
  if (types.has('boolean') && (word === 'true' || word === 'false')) return word === 'true'
  // A single value of a list field becomes a list with one item.
  return types.has('array') ? (read([text], schema) ?? text) : text
}

/** The part of JSON Schema that is used here. */
type Schema = Readonly<Record<string, unknown>>

const schemaAt = (value: unknown): Schema => (isObject(value) ? value : {})

/** A schema and its alternatives. */
const alternatives = (schema: Schema): Schema[] => [
  schema,
  ...(Array.isArray(schema.anyOf) ? schema.anyOf.map(schemaAt).flatMap(alternatives) : []),
]

const typesOf = (schema: Schema): ReadonlySet<unknown> =>
  new Set(alternatives(schema).flatMap(({ type }): unknown[] => (Array.isArray(type) ? type : [type])))

/** A key within a JSON pointer. */
const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

const contradiction = (path: string) => invalid(path, 'is given in two forms')

const invalid = (param: string, message: string) =>
  new GatewayError('invalid_body', `${param}: ${message}`, { param })
