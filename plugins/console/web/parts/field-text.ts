/** The values of an object's fields: text while edited, JSON when sent. */
import type { Fault, Json, Row } from '../api.ts'
import { rowsOf } from '../json.ts'
import type { FieldSpec, PartSpec } from '../resources.ts'
import { textOfMembers, valueOfMembers } from './member-text.ts'

export type Texts = Readonly<Record<string, string>>

/** Represents an incomplete date and time input, whose own value is empty. */
export const incompleteTime = 'incomplete'

/** Formats a time for a date and time input: local, without a time zone. */
export function toLocalTime(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return ''
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString()
  return local.slice(0, local.endsWith(':00.000Z') ? 'yyyy-mm-ddThh:mm'.length : 'yyyy-mm-ddThh:mm:ss'.length)
}

const plain = (value: unknown): string =>
  value === null || value === undefined ? '' : Array.isArray(value) ? value.join('\n') : String(value)

function toText({ kind, parts = [], members = [] }: FieldSpec, value: unknown): string {
  if (kind === 'members') return textOfMembers(members, value)
  if (value === null || value === undefined) return ''
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (kind === 'time') return toLocalTime(String(value))
  if (kind === 'area' && typeof value === 'string') return indented(value)
  // The API returns a single limit as an object, and several as a list.
  if (kind === 'rows')
    return textOfRows(
      rowsOf(Array.isArray(value) ? value : [value]).map((row) =>
        Object.fromEntries(parts.map(({ name }) => [name, plain(row[name])])),
      ),
    )
  return typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value, null, 2) : plain(value)
}

/** Indents a template in JSON. A template whose tags make it invalid JSON stays unchanged. */
function indented(text: string): string {
  try {
    const value: Json = JSON.parse(text)
    return typeof value === 'object' ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

export const textOfRows = (rows: readonly Texts[]): string => (rows.length === 0 ? '' : JSON.stringify(rows))

export const rowsOfText = (text: string): readonly Texts[] =>
  text === ''
    ? []
    : rowsOf(JSON.parse(text)).map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])),
      )

export const newRow = (parts: readonly PartSpec[]): Texts =>
  Object.fromEntries(parts.map(({ name, initial = '' }) => [name, initial]))

export const textsOf = (fields: readonly FieldSpec[], row: Row): Texts =>
  Object.fromEntries(fields.map((spec) => [spec.name, toText(spec, row[spec.name])]))

export const initialTexts = (fields: readonly FieldSpec[]): Texts =>
  Object.fromEntries(fields.map((spec) => [spec.name, toText(spec, spec.initial)]))

/** A value that is not a number is sent unchanged, and the gateway reports the error. */
const toNumber = (text: string): Json => (Number.isNaN(Number(text)) ? text : Number(text))

const linesOf = (text: string, separator: RegExp): string[] =>
  text
    .split(separator)
    .map((one) => one.trim())
    .filter(Boolean)

/** Omits members without a value. */
function toRow(parts: readonly PartSpec[], texts: Texts): Record<string, Json> {
  const row: Record<string, Json> = {}
  for (const { name, kind } of parts) {
    const lines = linesOf(texts[name] ?? '', /\n/)
    const [first] = lines
    if (first !== undefined)
      row[name] = kind === 'number' ? toNumber(first) : lines.length === 1 ? first : lines
  }
  return row
}

/** The value of one field. Errors: `SyntaxError` or `RangeError` for an invalid text. */
function toValue({ kind, parts = [] }: FieldSpec, text: string): Json {
  const trimmed = text.trim()
  if (kind === 'list') return linesOf(text, /[\n,]/)
  if (kind === 'rows') return rowsOfText(trimmed).map((row) => toRow(parts, row))
  if (trimmed === '') return null
  if (kind === 'json' || kind === 'variables') return JSON.parse(trimmed)
  if (kind === 'number') return toNumber(trimmed)
  if (kind === 'boolean') return trimmed === 'true'
  if (kind === 'time') return new Date(trimmed).toISOString()
  return kind === 'area' ? text : trimmed
}

export interface Body {
  body: Row
  faults: readonly Fault[]
}

/** @param before unchanged texts are omitted; null: only empty texts are omitted */
export function bodyOf(fields: readonly FieldSpec[], texts: Texts, before: Texts | null): Body {
  const body: Row = {}
  const faults: Fault[] = []
  for (const spec of fields) {
    const text = texts[spec.name] ?? ''
    if (before === null ? text.trim() === '' : text === before[spec.name]) continue
    if (spec.kind === 'members') {
      const read = valueOfMembers(spec.members ?? [], text)
      faults.push(...read.faults.map(({ param, message }) => ({ param: `/${spec.name}${param}`, message })))
      body[spec.name] =
        spec.isMerged === true ? { ...removedMembers(spec, before), ...read.value } : read.value
      continue
    }
    try {
      body[spec.name] = toValue(spec, text)
    } catch {
      const message = spec.kind === 'time' ? 'This is not a date and a time.' : 'This is not JSON.'
      faults.push({ param: `/${spec.name}`, message })
    }
  }
  return { body, faults }
}

/** Returns null for each previous member. */
function removedMembers({ name, members = [] }: FieldSpec, before: Texts | null): Row {
  const { value } = valueOfMembers(members, before?.[name] ?? '')
  return Object.fromEntries(Object.keys(value).map((member) => [member, null]))
}

/** Errors of a field, with pointers relative to it. */
export function faultsBelow(faults: readonly Fault[], prefix: string): Fault[] {
  return faults
    .filter(({ param }) => param === prefix || param?.startsWith(`${prefix}/`) === true)
    .map(({ param, message }) => ({ param: (param ?? '').slice(prefix.length), message }))
}

/** Formats errors on one line; null without errors. */
export const faultText = (faults: readonly Fault[]): string | null =>
  faults.map(({ param, message }) => (param === '' ? message : `${param}: ${message}`)).join(' ') || null
