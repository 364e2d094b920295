/**
 * Converts the validation schemas to those of OpenAPI 3.1 (JSON Schema 2020-12). Keywords that only our validator
 * supports are omitted or described in words. A schema with a name becomes a component, and other places refer to it.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** Keywords whose value is a schema, a list of schemas, or a schema for each name. */
const single = [
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
] as const
const many = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const named = ['$defs', 'dependentSchemas', 'patternProperties', 'properties'] as const

/** Keywords whose value is not a schema and is copied unchanged. */
const plain = [
  'const',
  'contentEncoding',
  'contentMediaType',
  'default',
  'dependentRequired',
  'deprecated',
  'description',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'readOnly',
  'required',
  'title',
  'type',
  'uniqueItems',
  'writeOnly',
] as const

export interface Components {
  readonly schemas: JsonObject
  /** A schema at the top of a body or an answer; `name` is used if it has no title. */
  refer(schema: object, name: string): JsonObject
  /** A schema within another object of the document, such as a parameter. */
  inline(schema: object): JsonObject
  /** The schema that a reference in the document names, or null. */
  resolve(reference: string): Json
}

/** A title that can be the name of a component. */
const componentName = /^[A-Z][A-Za-z0-9]*$/

export function createComponents(): Components {
  const schemas: JsonObject = {}
  const byText = new Map<string, string>()
  const textOf = new Map<string, string>()
  /** Routes and their aliases share schemas, and most parts of one occur in others. */
  const known = new Map<object, JsonObject>()

  function refer(schema: JsonObject, wanted: string): JsonObject {
    const reference = known.get(schema) ?? { $ref: `#/components/schemas/${add(schema, wanted)}` }
    known.set(schema, reference)
    return reference
  }
  /** The same untitled schema occurs once, under the first name it was given. */
  function add(schema: JsonObject, wanted: string): string {
    const converted = convert(schema, nest)
    const text = JSON.stringify(converted)
    const name = (nameOf(schema) === null ? byText.get(text) : undefined) ?? freeName(wanted, text)
    byText.set(text, name)
    textOf.set(name, text)
    schemas[name] = converted
    return name
  }
  function freeName(wanted: string, text: string): string {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? wanted : `${wanted}${count}`
      const used =
        textOf.get(name) ?? (schemas[name] === undefined ? undefined : JSON.stringify(schemas[name]))
      if (used === undefined || used === text) return name
    }
  }
  function nest(schema: Json): Json {
    if (!isObject(schema)) return schema
    const name = nameOf(schema)
    return name === null ? convert(schema, nest) : refer(schema, name)
  }
  return {
    schemas,
    refer: (schema, name) => refer(written(schema), nameOf(written(schema)) ?? name),
    inline: (schema) => convert(written(schema), nest),
    resolve: (reference) => schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? null,
  }
}

function nameOf({ title }: JsonObject): string | null {
  return typeof title === 'string' && componentName.test(title) ? title : null
}

/** The symbols that the library adds to its schemas are not members of their JSON. */
const written = (schema: object): JsonObject => schema as JsonObject

function convert(written: JsonObject, nest: (schema: Json) => Json): JsonObject {
  const schema = modernise(written)
  const made: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || isReference(value)) continue
    if (includes(single, keyword)) made[keyword] = nest(value)
    else if (includes(many, keyword) && Array.isArray(value)) made[keyword] = value.map(nest)
    else if (includes(named, keyword) && isObject(value)) made[keyword] = mapValues(value, nest)
    else if (includes(plain, keyword) || keyword.startsWith('x-')) made[keyword] = value
  }
  if (typeof schema.explain === 'string' && made.description === undefined) made.description = schema.explain
  return made
}

/** A bound taken from another member of the value, which only our validator supports. */
const isReference = (value: Json) => isObject(value) && typeof value.$data === 'string'

const includes = (names: readonly string[], name: string) => names.includes(name)

const mapValues = (values: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, change(value)]])),
  )

/** Tuples and dependencies had other keywords in earlier drafts. */
function modernise(schema: JsonObject): JsonObject {
  const { items, additionalItems, dependencies, ...rest } = schema
  const made: JsonObject = { ...rest }
  if (Array.isArray(items)) {
    made.prefixItems = items
    if (additionalItems !== undefined) made.items = additionalItems
  } else if (items !== undefined) {
    made.items = items
  }
  if (isObject(dependencies)) {
    const entries = Object.entries(dependencies)
    const lists = entries.filter(([, value]) => Array.isArray(value))
    const others = entries.filter(([, value]) => !Array.isArray(value))
    if (lists.length > 0) made.dependentRequired = Object.fromEntries(lists)
    if (others.length > 0) made.dependentSchemas = Object.fromEntries(others)
  }
  return made
}
