/**
 * Converts a JSON schema to the subset of structured outputs: `oneOf` becomes `anyOf`, the parts of `allOf` become
 * one schema, every object has a required member, patterns have no anchors; constraints that the vendor cannot
 * enforce (ranges, lengths, other formats) are written into the description instead.
 * Reference: https://docs.cohere.com/docs/structured-outputs
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { mapSchemas, mapSubschema, withNotes } from '../../chat/json-schema.ts'
import { objectsOf } from '../../chat/values.ts'

const schemaMaps = ['properties', '$defs', 'definitions']
const kept = new Set([
  'type',
  'enum',
  'const',
  '$ref',
  'title',
  'description',
  'required',
  'default',
  'additionalProperties',
])
const formats = ['date-time', 'uuid', 'date', 'time']

/** The schema in that subset. */
export function outputSchema(schema: JsonObject): JsonObject {
  const merged = flatten(schema)
  const sent: JsonObject = {}
  const notes: string[] = []
  for (const [key, value] of Object.entries(merged)) {
    const read = readKeyword(key, value)
    if (read !== null) Object.assign(sent, read)
    else if (key !== '$schema') notes.push(`${key}: ${JSON.stringify(value)}`)
  }
  return withRequired(withNotes(sent, notes))
}

/** The converted keyword; null when the vendor does not support it. */
function readKeyword(key: string, value: Json | undefined): JsonObject | null {
  if (schemaMaps.includes(key) && isObject(value)) return { [key]: mapSchemas(value, outputSchema) }
  if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value)) {
    return { anyOf: value.map((each) => mapSubschema(each, outputSchema)) }
  }
  if (key === 'items' && isObject(value)) return { items: outputSchema(value) }
  if (key === 'format') return typeof value === 'string' && formats.includes(value) ? { format: value } : null
  if (key === 'pattern') return readPattern(value)
  return kept.has(key) ? { [key]: value } : null
}

/** A pattern matches the whole text, with or without anchors; look-aheads are not supported. */
function readPattern(value: Json | undefined): JsonObject | null {
  if (typeof value !== 'string') return null
  const bare = value.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')
  const isWhole = value.startsWith('^') && /(?<!\\)\$$/.test(value)
  return isWhole && !/\(\?[=!]|(?<!\\|\[)\^|(?<!\\)\$/.test(bare) ? { pattern: bare } : null
}

/** A schema and all parts of its `allOf` as one: later members override earlier ones, and properties are merged. */
function flatten({ allOf, ...own }: JsonObject): JsonObject {
  let whole: JsonObject = own
  for (const part of objectsOf(allOf).map(flatten)) {
    const required = [...listOf(whole.required), ...listOf(part.required)]
    whole = {
      ...whole,
      ...part,
      ...(isObject(whole.properties) && isObject(part.properties)
        ? { properties: { ...whole.properties, ...part.properties } }
        : {}),
      ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    }
  }
  return whole
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

function withRequired(schema: JsonObject): JsonObject {
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : []
  const isMissing = !Array.isArray(schema.required) || schema.required.length === 0
  return isMissing && names.length > 0 ? { ...schema, required: names } : schema
}
