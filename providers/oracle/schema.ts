/**
 * Converts the JSON schemas of tools to the subset that the service supports: references are replaced by their
 * definitions, and of alternatives the first that is not null is kept. Cohere's older format has a type and a
 * description per parameter; other constraints are written into the description.
 * Reference:
 * https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/CohereParameterDefinition
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { objectOf, textOf } from '@gateway/provider-kit'
import type { CohereTool } from './wire.ts'

/** Deeper schemas are treated as recursive. */
const maxDepth = 20

/** The schema without references and alternatives. */
export function plainSchema(schema: JsonObject): JsonObject {
  const { $defs, definitions, ...root } = schema
  return inlined(root, { ...objectOf(definitions), ...objectOf($defs) }, 0)
}

function inlined(schema: JsonObject, known: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) return { type: 'object' }
  const { $ref, anyOf, oneOf, ...rest } = schema
  const target = typeof $ref === 'string' ? known[$ref.split('/').at(-1) ?? ''] : chosen(anyOf ?? oneOf)
  if (isObject(target)) return inlined({ ...target, ...rest }, known, depth + 1)
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, member(key, value, { known, depth })]),
  )
}

function member(
  key: string,
  value: Json | undefined,
  { known, depth }: { known: JsonObject; depth: number },
): Json | undefined {
  // The values of these keywords are data, not schemas.
  if (key === 'enum' || key === 'const' || key === 'default' || key === 'required' || key === 'examples')
    return value
  if (key === 'properties' && isObject(value)) {
    const properties = Object.entries(value).map(([name, each]) => [name, subschema(each, known, depth)])
    return Object.fromEntries(properties)
  }
  return Array.isArray(value)
    ? value.map((each) => subschema(each, known, depth))
    : subschema(value, known, depth)
}

function subschema<Value extends Json | undefined>(
  value: Value,
  known: JsonObject,
  depth: number,
): Value | JsonObject {
  return isObject(value) ? inlined(value, known, depth + 1) : value
}

function chosen(alternatives: Json | undefined): Json | undefined {
  if (!Array.isArray(alternatives)) return undefined
  return alternatives.find((each) => !isObject(each) || each.type !== 'null') ?? alternatives[0]
}

/** Maps JSON schema types to the vendor's, which are Python's. */
const types: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
  array: 'list',
  object: 'dict',
}

/** The parameters of a function, one by one. */
export function parameterDefinitions(schema: JsonObject): NonNullable<CohereTool['parameterDefinitions']> {
  const { properties, required } = plainSchema(schema)
  const names = Array.isArray(required) ? required : []
  return Object.fromEntries(
    Object.entries(objectOf(properties)).map(([name, value]) => {
      const { type, description, title: _, ...rest } = objectOf(value)
      const notes = Object.entries(rest).map(([key, each]) => `${key}: ${JSON.stringify(each)}`)
      const said = [textOf(description), ...notes].filter((part) => part !== '').join('\n')
      const definition = { type: typeOf(type), isRequired: names.includes(name) }
      return [name, said === '' ? definition : { ...definition, description: said }]
    }),
  )
}

function typeOf(type: Json | undefined): string {
  const first = Array.isArray(type) ? type.find((each) => each !== 'null') : type
  return (typeof first === 'string' && Object.hasOwn(types, first) ? types[first] : undefined) ?? 'any'
}
