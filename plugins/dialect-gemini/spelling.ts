/**
 * Normalises the other spellings that the format's parser accepts: snake_case members, and a single object instead of a
 * list in `contents` and `parts`. Names that callers define (in arguments, results, JSON schemas, properties) stay
 * unchanged.
 * Reference: https://protobuf.dev/programming-guides/json/
 */
import { isDeeperThan, isObject, type Json, type JsonObject } from '@gateway/contract'

/** Members with arbitrary content, which is not normalised. */
const free: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parametersJsonSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
  'labels',
  'customMetadata',
  'default',
  'example',
  'gateway_options',
  'extra_body',
])
/** Members that the gateway adds to the format. */
const own: ReadonlySet<string> = new Set(['gateway_options', 'extra_body'])
/** Maps whose keys are defined by the caller. */
const named: ReadonlySet<string> = new Set(['properties', 'defs'])
const lists: ReadonlySet<string> = new Set(['contents', 'parts'])

/** Validation refuses deeper bodies. */
const maxDepth = 100

/** Returns the body in the format's own spelling, or the same object if nothing differs. */
export function inOwnSpelling(body: JsonObject): JsonObject {
  return isDeeperThan(body, maxDepth) ? body : spelledObject(body)
}

const camelCase = (name: string): string =>
  own.has(name)
    ? name
    : name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

function spelledObject(object: JsonObject): JsonObject {
  let isSame = true
  const members: [string, Json | undefined][] = []
  for (const [written, value] of Object.entries(object)) {
    const name = camelCase(written)
    const spelled = value === undefined ? value : spelledMember(name, value)
    isSame &&= name === written && spelled === value
    // If a member occurs in two spellings, the format's own takes precedence.
    if (name === written || !Object.hasOwn(object, name)) members.push([name, spelled])
  }
  return isSame ? object : Object.fromEntries(members)
}

function spelledMember(name: string, value: Json): Json {
  if (free.has(name)) return value
  if (named.has(name) && isObject(value)) return eachValue(value)
  return lists.has(name) && isObject(value) ? [spelled(value)] : spelled(value)
}

function spelled(value: Json): Json {
  if (isObject(value)) return spelledObject(value)
  if (!Array.isArray(value)) return value
  const items = value.map(spelled)
  return items.some((item, index) => item !== value[index]) ? items : value
}

function eachValue(map: JsonObject): JsonObject {
  const values = Object.entries(map).map(([name, value]): [string, Json | undefined] => [
    name,
    value === undefined ? value : spelled(value),
  ])
  return values.some(([name, value]) => value !== map[name]) ? Object.fromEntries(values) : map
}
