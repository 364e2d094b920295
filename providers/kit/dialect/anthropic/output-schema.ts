/**
 * Converts a JSON schema to the subset of structured outputs: every object is closed, `oneOf` becomes `anyOf`, and
 * constraints that the vendor cannot enforce (ranges, lengths, patterns) are written into the description instead.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { mapSchemas, mapSubschema, withNotes } from '../../chat/json-schema.ts'

const schemaMaps = ['properties', '$defs', 'definitions']
const schemaLists = ['anyOf', 'allOf']
const kept = new Set(['type', 'enum', 'const', '$ref', 'title', 'description', 'required', 'default'])
const formats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '))

/** The schema in that subset. */
export function outputSchema(schema: JsonObject): JsonObject {
  const sent: JsonObject = {}
  const notes: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    const name = key === 'oneOf' ? 'anyOf' : key
    if (schemaMaps.includes(name) && isObject(value)) sent[name] = mapSchemas(value, outputSchema)
    else if (schemaLists.includes(name) && Array.isArray(value))
      sent[name] = value.map((each) => mapSubschema(each, outputSchema))
    else if (name === 'items' && isObject(value)) sent.items = outputSchema(value)
    else if (kept.has(name) || isEnforced(name, value)) sent[name] = value
    else if (!isClosing(name)) notes.push(`${name}: ${JSON.stringify(value)}`)
  }
  if (isObjectSchema(schema)) sent.additionalProperties = false
  return withNotes(sent, notes)
}

function isEnforced(key: string, value: Json | undefined): boolean {
  if (key === 'format') return typeof value === 'string' && formats.has(value)
  return key === 'minItems' && (value === 0 || value === 1)
}

function isClosing(key: string): boolean {
  return key === 'additionalProperties' || key === '$schema'
}

function isObjectSchema(schema: JsonObject): boolean {
  const { type } = schema
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(schema.properties)
}
