/** The parameters of a check, from its schema, for listings and the generated page. */

import { isObject, type Json, type JsonObject, schemaAsJson } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'

export interface CheckParameter {
  /** The name with its path: `rules.defaults`, `policies[].name`. */
  name: string
  /** The type in words: `string`, `one of any, all, none`, `list of string`, `integer from 1 to 100`. */
  type: string
  isRequired: boolean
  /** The default as JSON; empty if the parameter has none. */
  fallback: string
  description: string
}

/** The parameters in schema order, each followed by its members. */
export function parametersOf(parameters: TSchema): CheckParameter[] {
  return membersOf(schemaAsJson(parameters), '')
}

function membersOf(schema: JsonObject, prefix: string): CheckParameter[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  return entriesOf(schema.properties).flatMap(([name, property]) => [
    {
      name: prefix + name,
      type: typeOf(property),
      isRequired: required.includes(name),
      fallback: property.default === undefined ? '' : JSON.stringify(property.default),
      description: typeof property.description === 'string' ? property.description : '',
    },
    ...innerOf(property, prefix + name),
  ])
}

/** The members of an object, of a list of objects, or of a map of objects. */
function innerOf(schema: JsonObject, name: string): CheckParameter[] {
  const options = optionsOf(schema)
  if (options.length > 0) return join(options.map((option) => innerOf(option, name)))
  if (isObject(schema.items)) return innerOf(schema.items, `${name}[]`)
  const value = mapValueOf(schema)
  return value === null ? membersOf(schema, `${name}.`) : innerOf(value, `${name}.*`)
}

/** The members of alternatives. A member is required if every alternative requires it. */
function join(alternatives: readonly (readonly CheckParameter[])[]): CheckParameter[] {
  const lists = alternatives.filter(({ length }) => length > 0)
  const isAlways = ({ name }: CheckParameter) =>
    lists.every((list) => list.some((parameter) => parameter.name === name && parameter.isRequired))
  const byName = new Map(lists.flat().map((parameter) => [parameter.name, parameter]))
  return [...byName.values()].map((parameter) => ({ ...parameter, isRequired: isAlways(parameter) }))
}

function typeOf(schema: JsonObject): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.join(', ')}`
  const options = optionsOf(schema)
  if (options.length > 0) {
    const constants = options.map((option) => option.const)
    return constants.every((value) => value !== undefined)
      ? `one of ${constants.join(', ')}`
      : [...new Set(options.map(typeOf))].join(' or ')
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' or ')
  if (schema.type === 'array') return `list of ${isObject(schema.items) ? typeOf(schema.items) : 'anything'}`
  const value = mapValueOf(schema)
  if (schema.type === 'object' && value !== null) return `map of ${typeOf(value)}`
  if (schema.type === 'integer' || schema.type === 'number') return schema.type + boundsOf(schema)
  return typeof schema.type === 'string' ? schema.type : 'anything'
}

function boundsOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonObject): string {
  const least = bound(minimum, ' from ') || bound(exclusiveMinimum, ' above ')
  return least + (bound(maximum, ' to ') || bound(exclusiveMaximum, ' below '))
}

const bound = (value: Json | undefined, word: string) => (typeof value === 'number' ? word + value : '')

const optionsOf = ({ anyOf, oneOf }: JsonObject): JsonObject[] =>
  [anyOf, oneOf].flatMap((options) => (Array.isArray(options) ? options.filter(isObject) : []))

/** The schema of a map's values; null for other schemas. */
function mapValueOf({ patternProperties, additionalProperties }: JsonObject): JsonObject | null {
  const [pattern] = entriesOf(patternProperties)
  if (pattern !== undefined) return pattern[1]
  return isObject(additionalProperties) ? additionalProperties : null
}

const entriesOf = (members: Json | undefined): [name: string, schema: JsonObject][] =>
  Object.entries(isObject(members) ? members : {}).map(([name, member]) => [
    name,
    isObject(member) ? member : {},
  ])
