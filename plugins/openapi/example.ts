/**
 * Example values from schemas: from the schema's own examples and values, otherwise from the name of the member,
 * otherwise from its type.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** Finds what a reference in a document refers to. */
export type Resolve = (reference: string) => Json

const uuid = '3f0c1a52-7f0e-4a39-9d27-1c5f4a8e9b10'

/** Strings by the name of their member; the first match is used. */
const byName: readonly (readonly [pattern: RegExp, value: string])[] = [
  [/^model$/, '@echo/echo-1'],
  [/^scope$/, 'completions.write'],
  [/e?mail/, 'ada@example.com'],
  [/(^|_)(url|uri|endpoint|callback)s?$/, 'https://example.com/hook'],
  [/_id$|^id$/, uuid],
  [/slug$/, 'my-app'],
  [/_at$|^(since|until|start_time|end_time)/, '2026-01-31T12:00:00.000Z'],
  [/password/, 'correct horse battery staple'],
  [/description/, 'For the staging environment'],
  [/name$/, 'My app'],
  [/^cron/, '0 6 * * *'],
]

/** Values for patterns of the management API. */
const byPattern = [
  'member',
  'my-app',
  'MY_APP',
  uuid,
  '1',
  'a',
  'default.regexMatch',
  'sha256',
  'ada@example.com',
  '2026-01',
]

const maxDepth = 9

/** A value that the schema allows, with the required members of objects; `undefined` if none is found. */
export function exampleOf(
  schema: Json,
  resolve: Resolve,
  { name = '', depth = 0 }: { name?: string; depth?: number } = {},
): Json | undefined {
  if (schema === true) return {}
  if (!isObject(schema) || depth > maxDepth) return undefined
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref), resolve, { name, depth })
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  for (const choices of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(choices)) continue
    for (const choice of choices) {
      const value = exampleOf(merged(schema, choice), resolve, { name, depth: depth + 1 })
      if (value !== undefined && value !== null) return value
    }
  }
  if (Array.isArray(schema.allOf))
    return exampleOf(
      schema.allOf.reduce<Json>((all, part) => merged(all, targetOf(part, resolve)), {
        ...schema,
        allOf: [],
      }),
      resolve,
      { name, depth: depth + 1 },
    )
  switch (typeOf(schema)) {
    case 'object':
      return objectExample(schema, resolve, depth)
    case 'array':
      return arrayExample(schema, resolve, { name, depth })
    case 'string':
      return stringExample(schema, name)
    case 'integer':
    case 'number':
      return Math.max(Number(schema.minimum ?? 1), Number(schema.exclusiveMinimum ?? 0) + 1)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return depth === 0 ? {} : 'value'
  }
}

/** Resolves a reference; returns any other schema unchanged. */
const targetOf = (schema: Json, resolve: Resolve): Json =>
  isObject(schema) && typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema

/** Merges one alternative of a schema with the keywords next to it. */
function merged(outer: Json, inner: Json): Json {
  if (!isObject(outer) || !isObject(inner) || typeof inner.$ref === 'string') return inner
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = outer
  const properties = { ...objectAt(rest.properties), ...objectAt(inner.properties) }
  const required = [...new Set([...listOf(rest.required), ...listOf(inner.required)])]
  return {
    ...rest,
    ...inner,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  }
}

function typeOf(schema: JsonObject): Json | undefined {
  const { type } = schema
  if (Array.isArray(type)) return type.find((each) => each !== 'null')
  return type ?? (schema.properties === undefined ? undefined : 'object')
}

/** The number of optional members in the example of an object without required ones. */
const shownOptional = 2

function objectExample(schema: JsonObject, resolve: Resolve, depth: number): JsonObject {
  const properties = objectAt(schema.properties)
  const required = listOf(schema.required).filter((name) => typeof name === 'string')
  const shown = required.length > 0 || depth > 0 ? required : Object.keys(properties).slice(0, shownOptional)
  const made: JsonObject = {}
  for (const name of shown) {
    const value = exampleOf(properties[name] ?? true, resolve, { name, depth: depth + 1 })
    if (value !== undefined) made[name] = value
  }
  if (Object.keys(made).length < Number(schema.minProperties ?? 0)) {
    for (const [name, member = true] of Object.entries(properties)) {
      const value = exampleOf(member, resolve, { name, depth: depth + 1 })
      if (value !== undefined) return { ...made, [name]: value }
    }
    return {
      ...made,
      team:
        exampleOf(schema.additionalProperties ?? true, resolve, { name: 'team', depth: depth + 1 }) ??
        'search',
    }
  }
  return made
}

function arrayExample(
  schema: JsonObject,
  resolve: Resolve,
  { name, depth }: { name: string; depth: number },
): Json[] {
  const item = exampleOf(schema.items ?? true, resolve, { name: name.replace(/s$/, ''), depth: depth + 1 })
  return item === undefined ? [] : Array.from({ length: Number(schema.minItems ?? 1) || 1 }, () => item)
}

function stringExample(schema: JsonObject, name: string): string {
  const { format, pattern, minLength = 0, maxLength } = schema
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z'
  if (format === 'uuid') return uuid
  const wanted = byName.find(([names]) => names.test(name))?.[1] ?? 'text'
  const fitting =
    typeof pattern === 'string'
      ? [wanted, ...byPattern].find((one) => new RegExp(pattern, 'u').test(one))
      : wanted
  const value = (fitting ?? wanted).padEnd(Number(minLength), 'x')
  return maxLength === undefined ? value : value.slice(0, Number(maxLength))
}

const objectAt = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
