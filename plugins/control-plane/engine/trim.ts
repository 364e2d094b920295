/** Trims the strings of a body that the schema describes; others stay unchanged. */
import { isObject, type JsonObject } from '@gateway/contract'

/** The value with every string trimmed that the schema describes as a string, unless it says `trim: false`. */
export function trimStrings(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value
  const branches = branchesOf(schema)
  if (typeof value === 'string') {
    const strings = branches.filter(isStringSchema)
    return strings.length > 0 && strings.every(({ trim }) => trim !== false) ? value.trim() : value
  }
  if (Array.isArray(value)) {
    const items = branches.find((branch) => isObject(branch.items))?.items
    return items === undefined ? value : value.map((item) => trimStrings(item, items))
  }
  return isObject(value) ? trimMembers(value, branches) : value
}

/**
 * Copies the object only if a member changes. Looks only at described members, because a hostile body may have very
 * many others.
 */
function trimMembers(object: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const changed: [string, unknown][] = []
  for (const name of describedNames(object, branches)) {
    const described = branches
      .map((branch) => memberSchema(branch, name))
      .find((found) => found !== undefined)
    const trimmed = trimStrings(object[name], described)
    if (trimmed !== object[name]) changed.push([name, trimmed])
  }
  // Built from entries, so that a member named `__proto__` is an ordinary member.
  return changed.length === 0
    ? object
    : (Object.fromEntries([...Object.entries(object), ...changed]) as JsonObject)
}

/** The names of the described members that an object has. */
function describedNames(object: JsonObject, branches: readonly JsonObject[]): string[] {
  const isOpen = branches.some(
    ({ additionalProperties, patternProperties }) =>
      isObject(additionalProperties) || isObject(patternProperties),
  )
  if (isOpen) return Object.keys(object)
  const names = branches.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))
  return [...new Set(names)].filter((name) => Object.hasOwn(object, name))
}

function branchesOf(schema: JsonObject): JsonObject[] {
  const { anyOf, allOf, oneOf } = schema
  const inner = [anyOf, allOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []))
  return [schema, ...inner.flatMap(branchesOf)]
}

const isStringSchema = ({ type, const: fixed, enum: allowed }: JsonObject) =>
  type === 'string' || typeof fixed === 'string' || (Array.isArray(allowed) && typeof allowed[0] === 'string')

function memberSchema(
  { properties, additionalProperties, patternProperties }: JsonObject,
  name: string,
): unknown {
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name]
  if (isObject(patternProperties)) {
    const [found] = Object.entries(patternProperties).filter(([pattern]) => new RegExp(pattern).test(name))
    if (found !== undefined) return found[1]
  }
  return isObject(additionalProperties) ? additionalProperties : undefined
}
