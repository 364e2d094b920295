/** Values for a parameter, from its schema: invalid ones, and unusual ones that may be valid. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** Longer values are not generated. */
const maxMade = 100_000

const oddTexts = [
  '',
  ' ',
  '(',
  '[a',
  '*',
  '{}',
  '/x/y',
  '__proto__',
  'http://',
  '👩‍🚀\u0000\ud800',
  'x'.repeat(10_000),
]

/**
 * Values that a schema refuses although they have its type: too small, too long, not in the enumeration.
 * @param valid a valid value, from which objects and lists are derived
 */
export function valuesBeyond(schema: JsonObject, valid: Json | undefined): Json[] {
  return [
    ...numbersBeyond(schema),
    ...textsBeyond(schema),
    ...listsBeyond(schema, Array.isArray(valid) ? valid : []),
    ...objectsBeyond(schema, isObject(valid) ? valid : {}),
  ]
}

function numbersBeyond({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, type }: JsonObject): Json[] {
  const beyond: Json[] = type === 'integer' ? [0.5] : []
  if (typeof minimum === 'number') beyond.push(minimum - 1)
  if (typeof exclusiveMinimum === 'number') beyond.push(exclusiveMinimum)
  if (typeof maximum === 'number') beyond.push(maximum + 1)
  if (typeof exclusiveMaximum === 'number') beyond.push(exclusiveMaximum)
  return beyond
}

function textsBeyond({ minLength, maxLength, pattern, enum: listed }: JsonObject): Json[] {
  const beyond: Json[] = []
  if (typeof minLength === 'number' && minLength > 0) beyond.push('x'.repeat(minLength - 1))
  if (typeof maxLength === 'number' && maxLength < maxMade) beyond.push('x'.repeat(maxLength + 1))
  if (typeof pattern === 'string') {
    const expression = new RegExp(pattern, 'u')
    beyond.push(...oddTexts.filter((text) => !expression.test(text)))
  }
  if (Array.isArray(listed)) beyond.push('none of the listed ones')
  return beyond
}

function listsBeyond({ minItems, maxItems, uniqueItems, items }: JsonObject, valid: Json[]): Json[] {
  const beyond: Json[] = []
  const [item = 'x'] = valid
  if (typeof minItems === 'number' && minItems > 0) beyond.push(valid.slice(0, minItems - 1))
  if (typeof maxItems === 'number' && maxItems < maxMade)
    beyond.push(Array.from({ length: maxItems + 1 }, () => item))
  if (uniqueItems === true) beyond.push([item, item])
  if (isObject(items)) beyond.push(...valuesBeyond(items, valid[0]).map((value) => [value]))
  return beyond
}

function objectsBeyond(schema: JsonObject, valid: JsonObject): Json[] {
  const { additionalProperties, properties } = schema
  const beyond: Json[] = additionalProperties === false ? [{ ...valid, unknown_key: true }] : []
  for (const [name, member] of Object.entries(isObject(properties) ? properties : {}))
    if (isObject(member))
      beyond.push(...valuesBeyond(member, valid[name]).map((value) => ({ ...valid, [name]: value })))
  return beyond
}

/** Values that a careless or hostile config could contain; the schema may accept them or not. */
export function oddValues(schema: JsonObject): Json[] {
  const { minimum, maximum, items } = schema
  const numbers = [minimum ?? -1e9, maximum ?? 1e9, 0, 1, 0.1]
  const texts: Json[] = [...oddTexts]
  const lists = [[], ...(isObject(items) ? oddValues(items).map((value) => [value]) : [])]
  return [...numbers, ...texts, ...lists, {}, true, false, ...listedValues(schema)]
}

/** The values that a schema enumerates. */
function listedValues({ enum: listed, anyOf: options }: JsonObject): Json[] {
  const constants = (Array.isArray(options) ? options : []).map((option) =>
    isObject(option) ? option.const : undefined,
  )
  return [...(Array.isArray(listed) ? listed : []), ...constants].filter((value) => value !== undefined)
}
