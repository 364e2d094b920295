/**
 * Normalises what identity providers send to the schema: names in its letter case, values of its types (`"True"` is a
 * boolean, a single object a list), without unknown members. `null` and an empty list mean no value. Errors: 400
 * `invalidValue`, `invalidSyntax`.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { type Attribute, attributeNamed, type ResourceType } from './attribute.ts'
import { invalid } from './errors.ts'

const maxTextChars = 4096
const maxItems = 1000

/** A complete resource, without read-only attributes. */
export function readResource(type: ResourceType, sent: unknown): JsonObject {
  if (!isObject(sent)) throw invalid('invalidSyntax', 'The body must be a JSON object.')
  const resource: JsonObject = {}
  for (const [written, value] of Object.entries(sent)) {
    const extension = type.extensions.find(({ id }) => id.toLowerCase() === written.toLowerCase())
    if (extension !== undefined) {
      const read = readParts(extension.attributes, value ?? null, extension.id)
      if (read !== null) resource[extension.id] = read
      continue
    }
    const attribute = attributeNamed(type.schema.attributes, written)
    if (attribute === null || attribute.isReadOnly === true || attribute.isWriteOnly === true) continue
    const read = readValue(attribute, value ?? null, attribute.name)
    if (read !== null) resource[attribute.name] = read
  }
  return resource
}

/** One attribute's value. Null: no value. */
export function readValue(attribute: Attribute, value: Json, path: string): Json {
  if (value === null) return null
  if (attribute.isMultiValued === true) return readItems(attribute, value, path)
  return readOne(attribute, value, path)
}

/** The items of a list; a single item is read as a list with it. */
export function readItems(attribute: Attribute, value: Json, path: string): JsonObject[] | null {
  // A person's addresses are never derived from other attributes.
  if (attribute.name === 'emails' && !Array.isArray(value) && !isObject(value)) throw noList(path)
  const given = Array.isArray(value) ? value : [value]
  if (given.length > maxItems && attribute.name !== 'members') {
    throw invalid('tooMany', `${path} must not have more than ${maxItems} values.`)
  }
  const items = given.flatMap((item) => {
    const read = readOne(attribute, item, path)
    return isObject(read) ? [read] : []
  })
  return items.length === 0 ? null : items
}

const noList = (path: string) => invalid('invalidValue', `${path} must be a list.`)

function readOne(attribute: Attribute, value: Json, path: string): Json {
  if (value === null) return null
  switch (attribute.type) {
    case 'complex':
      return readParts(attribute.parts ?? [], isObject(value) ? value : asValue(attribute, value, path), path)
    case 'boolean':
      return readBoolean(value, path)
    default:
      return readText(value, path)
  }
}

/** A plain string instead of an object is its value. */
function asValue({ parts = [] }: Attribute, value: Json, path: string): JsonObject {
  if (typeof value === 'object' || attributeNamed(parts, 'value') === null) {
    throw invalid('invalidValue', `${path} must be an object.`)
  }
  return { value }
}

function readParts(parts: readonly Attribute[], value: Json, path: string): JsonObject | null {
  if (value === null) return null
  if (!isObject(value)) throw invalid('invalidValue', `${path} must be an object.`)
  const read: JsonObject = {}
  for (const [written, part] of Object.entries(value)) {
    const attribute = attributeNamed(parts, written)
    if (attribute === null) continue
    const member = readValue(attribute, part ?? null, `${path}.${attribute.name}`)
    if (member !== null) read[attribute.name] = member
  }
  return Object.keys(read).length === 0 ? null : read
}

function readBoolean(value: Json, path: string): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (text === 'true') return true
  if (text === 'false') return false
  throw invalid('invalidValue', `${path} must be true or false.`)
}

function readText(value: Json, path: string): string | null {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof text !== 'string') throw invalid('invalidValue', `${path} must be a string.`)
  if (text.length > maxTextChars) {
    throw invalid('invalidValue', `${path} must not be longer than ${maxTextChars} characters.`)
  }
  return text === '' ? null : text
}
