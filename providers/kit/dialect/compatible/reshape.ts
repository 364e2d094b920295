/**
 * Small differences of a compatible provider's request, as data: other names, refused fields and values, narrower
 * limits.
 */
import type { Json, JsonObject } from '@gateway/contract'
import { type MessageRules, reshapeMessages } from './messages.ts'
import type { RefusalRules } from './refuse.ts'
import { type ThinkingRules, translateThinking } from './thinking.ts'

interface FieldRules {
  /** Maps a unified name to the provider's name. If both are sent, the unified one takes precedence. */
  renames?: Readonly<Record<string, string>>
  /** Fields of the specification that the provider refuses. */
  drops?: readonly string[]
  /** Default values that the provider refuses when they are sent explicitly. */
  defaults?: Readonly<Record<string, Json>>
  /** Minimum and maximum of a number; other values are clamped. */
  ranges?: Readonly<Record<string, readonly [least: number, greatest: number]>>
  /** Maps a field's values to the provider's; `null` drops the field. */
  values?: Readonly<Record<string, Readonly<Record<string, Json>>>>
  /** Defaults that the provider requires and callers do not send; a caller's value takes precedence. */
  additions?: Readonly<Record<string, Json>>
}

export interface BodyRules extends FieldRules, MessageRules, ThinkingRules, Pick<RefusalRules, 'only'> {}

/** The body converted by the provider's rules; the same object when no rule applies. */
export function reshape(body: JsonObject, rules: BodyRules): JsonObject {
  return reshapeFields(reshapeMessages(translateThinking(body, rules), rules), rules)
}

/** The fields in a provider's rules, collected once: hardly any body contains one of them. */
const named = new WeakMap<BodyRules, ReadonlySet<string>>()

function namedFields(rules: BodyRules): ReadonlySet<string> {
  const known = named.get(rules)
  if (known !== undefined) return known
  const { renames, drops = [], only, defaults, ranges, values } = rules
  const tables = [renames, only, defaults, ranges, values]
  const made = new Set([...drops, ...tables.flatMap((table) => Object.keys(table ?? {}))])
  named.set(rules, made)
  return made
}

function isNamed(body: JsonObject, rules: BodyRules): boolean {
  const fields = namedFields(rules)
  for (const field in body) if (fields.has(field)) return true
  return false
}

function reshapeFields(body: JsonObject, rules: BodyRules): JsonObject {
  if (rules.additions === undefined && !isNamed(body, rules)) return body
  const { renames = {}, additions = {} } = rules
  const missing = Object.keys(additions).filter((field) => body[field] === undefined)
  const fields = Object.keys(body).filter((field) => body[field] !== undefined)
  const touched = fields.some(
    (field) => Object.hasOwn(renames, field) || sentValue(field, body[field], rules) !== body[field],
  )
  if (!touched && missing.length === 0) return body
  const sent: JsonObject = {}
  const renamed: JsonObject = {}
  for (const field of fields) {
    const value = sentValue(field, body[field], rules)
    if (value === undefined) continue
    const name = Object.hasOwn(renames, field) ? renames[field] : undefined
    if (name !== undefined) renamed[name] = value
    else sent[field] = value
  }
  for (const field of missing) sent[field] = additions[field]
  return { ...sent, ...renamed }
}

/** Converts a field's value; undefined drops it. */
function sentValue(field: string, value: Json | undefined, rules: BodyRules): Json | undefined {
  const { drops = [], only = {}, defaults = {}, ranges = {}, values = {} } = rules
  if (drops.includes(field) || Object.hasOwn(only, field)) return undefined
  if (Object.hasOwn(defaults, field) && defaults[field] === value) return undefined
  if (typeof value === 'number') return withinRange(value, own(ranges, field))
  const words = own(values, field)
  const word = typeof value === 'string' && words !== undefined ? own(words, value) : undefined
  if (word === undefined) return value
  return word ?? undefined
}

function withinRange(value: number, range: readonly [number, number] | undefined): number {
  return range === undefined ? value : Math.min(Math.max(value, range[0]), range[1])
}

const own = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
