/**
 * Converts a JSON schema to the subset of `parametersJsonSchema` and `responseJsonSchema`. `const` becomes an `enum`
 * of one value, `definitions` become `$defs`, an `allOf` of one schema becomes that schema, `nullable` becomes a
 * type; a reference has no sibling keywords. Unsupported constraints (patterns, lengths, exclusive ranges) are
 * written into the description.
 * Reference: https://ai.google.dev/api/generate-content (GenerationConfig.responseJsonSchema)
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { mapSubschema, withNotes } from '../../chat/json-schema.ts'

const schemaMaps = new Set(['properties', '$defs'])
const schemaLists = new Set(['anyOf', 'oneOf', 'prefixItems'])
const schemas = new Set(['items', 'additionalProperties'])
const kept = new Set(
  '$id $anchor type format title description enum minItems maxItems minimum maximum required propertyOrdering'.split(
    ' ',
  ),
)
/** Keywords that do not constrain a value. */
const silent = new Set(
  '$schema $comment $vocabulary deprecated readOnly writeOnly discriminator strict'.split(' '),
)

/** The schema in that subset. */
export function geminiSchema(given: JsonObject): JsonObject {
  const schema = unwrap(given)
  if (typeof schema.$ref === 'string') return reference(schema, schema.$ref)
  const sent: JsonObject = {}
  const notes: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || silent.has(key)) continue
    if (schemaMaps.has(key) && isObject(value)) sent[key] = mapValues(value)
    else if (schemaLists.has(key) && Array.isArray(value)) sent[key] = value.map(subschema)
    else if (schemas.has(key))
      sent[key] = key === 'items' ? subschema(value) : mapSubschema(value, geminiSchema)
    else if (kept.has(key)) sent[key] = value
    else notes.push(`${key}: ${JSON.stringify(value)}`)
  }
  return withNotes(sent, notes)
}

/** Converts keywords that are another spelling of supported ones. */
function unwrap(given: JsonObject): JsonObject {
  const { definitions, const: constant, nullable, allOf, ...schema } = given
  if (isObject(definitions))
    schema.$defs = { ...definitions, ...(isObject(schema.$defs) ? schema.$defs : {}) }
  if (constant !== undefined) schema.enum = [constant]
  if (nullable === true && typeof schema.type === 'string') schema.type = [schema.type, 'null']
  if (allOf === undefined) return schema
  const [only, ...others] = Array.isArray(allOf) ? allOf : []
  return isObject(only) && others.length === 0 ? unwrap({ ...only, ...schema }) : { ...schema, allOf }
}

/**
 * Next to a reference only keywords that begin with `$` are allowed; a description is moved to a schema around it.
 */
function reference(schema: JsonObject, target: string): JsonObject {
  const $ref = target.replace(/^#\/definitions\//, '#/$defs/')
  const definitions = isObject(schema.$defs) ? { $defs: mapValues(schema.$defs) } : {}
  const { description } = schema
  return typeof description === 'string'
    ? { description, anyOf: [{ $ref }], ...definitions }
    : { $ref, ...definitions }
}

function mapValues(given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, schema]) => [name, schema === undefined ? schema : subschema(schema)]),
  )
}

/** `true` means any value. */
function subschema(schema: Json): Json {
  if (isObject(schema)) return geminiSchema(schema)
  return schema === true ? {} : schema
}
