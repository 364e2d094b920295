/**
 * Schemas of the format → JSON Schemas. In the format, types are in capitals, `nullable` is a separate member, and
 * numbers of items and characters may be strings.
 * Reference: https://ai.google.dev/api/caching#Schema
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** Keywords that JSON Schema does not have. */
const dropped: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering', 'example'])
const counts: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])

/** The schema of a function's parameters or of an answer. */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const read: JsonObject = {}
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined || dropped.has(name)) continue
    read[name] = keywordOf(name, value)
  }
  if (schema.nullable !== true) return read
  if (Array.isArray(read.enum) && !read.enum.includes(null)) read.enum = [...read.enum, null]
  return typeof read.type === 'string' ? { ...read, type: [read.type, 'null'] } : read
}

function keywordOf(name: string, value: Json): Json {
  if (name === 'type') return typeOf(value)
  if (counts.has(name) && typeof value === 'string' && /^\d+$/.test(value)) return Number(value)
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, subschema(each ?? null)]))
  if (name === 'anyOf' && Array.isArray(value)) return value.map(subschema)
  return name === 'items' || name === 'additionalProperties' ? subschema(value) : value
}

const subschema = (value: Json): Json => (isObject(value) ? jsonSchemaOf(value) : value)

function typeOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(typeOf)
  return typeof value === 'string' ? value.toLowerCase() : value
}
