/** Shared by translations of JSON schemas to a vendor's subset. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export type MapSchema = (schema: JsonObject) => JsonObject

/** A schema within a schema; `true` and `false` are unchanged. */
export const mapSubschema = <Value extends Json | undefined>(
  schema: Value,
  map: MapSchema,
): Value | JsonObject => (isObject(schema) ? map(schema) : schema)

/** Named schemas, as in `properties` and `$defs`. */
export function mapSchemas(schemas: JsonObject, map: MapSchema): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, mapSubschema(schema, map)]),
  )
}

/** Moves constraints that the vendor cannot enforce into the schema's description. */
export function withNotes(schema: JsonObject, notes: readonly string[]): JsonObject {
  if (notes.length === 0) return schema
  return { ...schema, description: [schema.description, notes.join(', ')].filter(Boolean).join('\n') }
}
