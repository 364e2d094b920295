/**
 * Applies operations to a copy of a resource: https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2 Attributes that no
 * schema has are ignored. Errors: 400 `mutability`, `noTarget`, `invalidPath`, `invalidValue`.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { matches } from '../filter/matches.ts'
import type { Filter } from '../filter/parse-filter.ts'
import { type Attribute, attributeNamed, type ResourceType } from '../protocol/attribute.ts'
import { invalid } from '../protocol/errors.ts'
import { readItems, readValue } from '../protocol/read-resource.ts'
import type { Operation } from './operations.ts'

/** Attributes that only the gateway writes. */
const ownAttributes: ReadonlySet<string> = new Set(['id', 'meta', 'schemas'])

/** Returns the changed resource; the given one is not modified. */
export function applyOperations(
  type: ResourceType,
  resource: JsonObject,
  operations: readonly Operation[],
): JsonObject {
  const copy = structuredClone(resource)
  for (const operation of operations) applyOne(type, copy, operation)
  return copy
}

function applyOne(type: ResourceType, resource: JsonObject, operation: Operation): void {
  const { urn, name } = operation.target.path
  const extension = type.extensions.find(({ id }) => id.toLowerCase() === urn?.toLowerCase())
  if (extension === undefined && urn !== null && urn.toLowerCase() !== type.schema.id.toLowerCase()) return
  if (extension !== undefined && name === '') {
    delete resource[extension.id]
    return
  }
  const attribute = attributeNamed((extension ?? type.schema).attributes, name)
  const isOwn = extension === undefined && ownAttributes.has(name.toLowerCase())
  if (isOwn || attribute?.isReadOnly === true) {
    // In the value of an operation without a path it is ignored; with an explicit path it is an error.
    if (!operation.hasPath) return
    throw invalid('mutability', `${name} cannot be changed.`)
  }
  if (attribute === null || attribute.isWriteOnly === true) return
  if (extension === undefined) {
    change(resource, attribute, operation)
    return
  }
  const own = resource[extension.id]
  const holder: JsonObject = isObject(own) ? own : {}
  change(holder, attribute, operation)
  if (Object.keys(holder).length === 0) delete resource[extension.id]
  else resource[extension.id] = holder
}

function change(holder: JsonObject, attribute: Attribute, operation: Operation): void {
  const { item, path } = operation.target
  if (attribute.isMultiValued === true) {
    const present = holder[attribute.name]
    const items = (Array.isArray(present) ? present : []).filter(isObject)
    const changed =
      item === null && path.part === null
        ? changeList(items, attribute, operation)
        : changeItems(items, attribute, operation)
    set(holder, attribute.name, changed.length === 0 ? null : changed)
    return
  }
  if (item !== null) throw invalid('invalidPath', `${attribute.name} is not a list that can be filtered.`)
  if (path.part === null) {
    changeSingle(holder, attribute, operation)
    return
  }
  const part = attributeNamed(attribute.parts ?? [], path.part)
  if (part === null) return
  const present = holder[attribute.name]
  const whole: JsonObject = isObject(present) ? present : {}
  set(whole, part.name, operation.op === 'remove' ? null : readValue(part, operation.value, path.part))
  set(holder, attribute.name, Object.keys(whole).length === 0 ? null : whole)
}

function set(holder: JsonObject, name: string, value: Json): void {
  if (value === null) delete holder[name]
  else holder[name] = value
}

/** An object is merged over the existing one; any other value replaces it. */
function changeSingle(holder: JsonObject, attribute: Attribute, { op, value }: Operation): void {
  const read = op === 'remove' ? null : readValue(attribute, value, attribute.name)
  const present = holder[attribute.name]
  set(holder, attribute.name, isObject(read) && isObject(present) ? { ...present, ...read } : read)
}

function changeList(items: JsonObject[], attribute: Attribute, { op, value }: Operation): JsonObject[] {
  const given = value === null ? null : readItems(attribute, value, attribute.name)
  if (op === 'remove') {
    if (given === null) return []
    const gone = new Set(given.map(({ value: one }) => textOf(one)))
    return items.filter(({ value: one }) => !gone.has(textOf(one)))
  }
  if (op === 'replace') return given ?? []
  return (given ?? []).reduce(withItem, items)
}

/** An item replaces the existing one with the same value and type; only one item is primary. */
function withItem(items: JsonObject[], item: JsonObject): JsonObject[] {
  const isSame = (one: JsonObject) =>
    textOf(one.value) === textOf(item.value) &&
    textOf(one.type) === textOf(item.type) &&
    (item.value !== undefined || JSON.stringify(one) === JSON.stringify(item))
  const others = items.filter((one) => !isSame(one))
  return [...(item.primary === true ? others.map(withoutPrimary) : others), item]
}

function withoutPrimary(item: JsonObject): JsonObject {
  if (item.primary !== true) return item
  return { ...item, primary: false }
}

const textOf = (value: Json | undefined) =>
  value === undefined || value === null ? '' : String(value).toLowerCase()

/** Changes the items that the path selects; if none exists, creates one that it would select. */
function changeItems(items: JsonObject[], attribute: Attribute, operation: Operation): JsonObject[] {
  const { op, target, value } = operation
  const { item: filter } = target
  const partName = target.path.part
  const part = partName === null ? null : attributeNamed(attribute.parts ?? [], partName)
  if (partName !== null && part === null) return items
  const isChosen = (item: JsonObject) => filter === null || matches(item, filter)
  if (op === 'remove') {
    if (part === null) return items.filter((item) => !isChosen(item))
    return items.flatMap((item) => {
      if (!isChosen(item)) return [item]
      const { [part.name]: _, ...rest } = item
      return Object.keys(rest).some((name) => name !== 'type' && name !== 'primary') ? [rest] : []
    })
  }
  const merged = mergePart(attribute, part, value)
  if (merged === null) return items
  const chosen = items.filter(isChosen)
  const made =
    chosen.length === 0
      ? [{ ...implied(attribute, filter), ...merged }]
      : chosen.map((one) => ({ ...one, ...merged }))
  const isPrimary = made.some(({ primary }) => primary === true) && merged.primary === true
  const others = items.filter((item) => !isChosen(item)).map((one) => (isPrimary ? withoutPrimary(one) : one))
  if (chosen.length === 0) return [...others, ...made]
  const byOld = new Map(chosen.map((one, index) => [one, made[index] ?? one]))
  return items.map((item) => byOld.get(item) ?? (isPrimary ? withoutPrimary(item) : item))
}

function mergePart(attribute: Attribute, part: Attribute | null, value: Json): JsonObject | null {
  if (part === null) return readItems(attribute, value, attribute.name)?.[0] ?? null
  const read = readValue(part, value, `${attribute.name}.${part.name}`)
  return read === null ? null : { [part.name]: read }
}

/**
 * The values that an item must have to be selected with `eq`. Errors: 400 `noTarget` for filters that select otherwise.
 */
function implied(attribute: Attribute, filter: Filter | null): JsonObject {
  if (filter === null) return {}
  const parts = 'and' in filter ? filter.and : [filter]
  return Object.assign(
    {},
    ...parts.map((one) => {
      if (!('op' in one) || one.op !== 'eq' || one.path.part !== null) {
        throw invalid('noTarget', `No value of ${attribute.name} matches the filter.`)
      }
      const part = attributeNamed(attribute.parts ?? [], one.path.name)
      if (part === null) throw invalid('invalidPath', `${attribute.name} has no ${one.path.name}.`)
      const value = readValue(part, one.value, one.path.name)
      return value === null ? {} : { [part.name]: value }
    }),
  )
}
