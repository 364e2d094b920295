/**
 * Converts the members of one object to texts of labelled fields, and back. Members without a field, and values that a
 * field cannot represent, stay JSON, so nothing in the object is lost.
 */
import type { Fault, Json, Row } from '../api.ts'
import { rowOf } from '../json.ts'
import type { MemberSpec } from '../resources.ts'

/** The name of the text that contains the other members. */
export const otherMembers = ''

export type MemberTexts = Readonly<Record<string, string>>

const stepsOf = ({ name }: MemberSpec) => name.split('/')

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** Whether a field of this kind can represent a value without loss. */
function canHold({ kind, options = [] }: MemberSpec, value: unknown): boolean {
  if (kind === 'json') return true
  if (kind === 'lines')
    return Array.isArray(value) ? value.every((one) => typeof one === 'string') : isPlain(value)
  if (kind === 'select' || kind === 'boolean') return options.some(([option]) => option === String(value))
  return isPlain(value)
}

function textOf(spec: MemberSpec, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (spec.kind === 'json') return JSON.stringify(value, null, 2)
  return Array.isArray(value) ? value.join('\n') : String(value)
}

const valueAt = (row: Row, steps: readonly string[]): unknown =>
  steps.reduce<unknown>((value, step) => rowOf(value)[step], row)

/** Returns a copy without the member, and without objects that become empty. */
function without(row: Row, [step = '', ...rest]: readonly string[]): Row {
  const { [step]: value, ...others } = row
  if (rest.length === 0 || value === undefined) return others
  const inner = without(rowOf(value), rest)
  return Object.keys(inner).length === 0 ? others : { ...others, [step]: inner }
}

const withMember = (row: Row, [step = '', ...rest]: readonly string[], value: unknown): Row => ({
  ...row,
  [step]: rest.length === 0 ? value : withMember(rowOf(row[step]), rest, value),
})

/** The values with the labels of their fields, and the words of their options. */
export const wordsOfMembers = (members: readonly MemberSpec[], values: Row): Row =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const { label = name, options = [] } = members.find((member) => member.name === name) ?? {}
      return [label, options.find(([option]) => option === String(value))?.[1] ?? value]
    }),
  )

/** In one text, as forms keep it. */
export function textOfMembers(members: readonly MemberSpec[], value: unknown): string {
  let others = rowOf(value)
  const texts: Record<string, string> = {}
  for (const spec of members) {
    const found = valueAt(others, stepsOf(spec))
    const isHeld = found !== undefined && canHold(spec, found)
    texts[spec.name] = isHeld ? textOf(spec, found) : ''
    if (isHeld || found === null) others = without(others, stepsOf(spec))
  }
  texts[otherMembers] = Object.keys(others).length === 0 ? '' : JSON.stringify(others, null, 2)
  return JSON.stringify(texts)
}

export const membersOfText = (text: string): MemberTexts => {
  const texts = text === '' ? {} : rowOf(JSON.parse(text))
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, String(value)]))
}

const bounded = ({ min, max }: MemberSpec) => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  return min === undefined ? '' : ` of at least ${min}`
}

function numberOf(spec: MemberSpec, text: string): number {
  const { min = -Infinity, max = Infinity, isInteger = false } = spec
  const number = Number(text)
  const isRight = isInteger ? Number.isInteger(number) : Number.isFinite(number)
  if (isRight && number >= min && number <= max) return number
  throw new RangeError(`Enter a ${isInteger ? 'whole ' : ''}number${bounded(spec)}.`)
}

/** Converts a text to a value. Errors: `RangeError` with advice on what to enter. */
function valueOfText(spec: MemberSpec, text: string): Json {
  const { kind, pattern, explain = '' } = spec
  if (kind === 'number') return numberOf(spec, text)
  if (kind === 'boolean') return text === 'true'
  if (kind === 'json') return parsed(text)
  if (kind === 'lines')
    return text
      .split('\n')
      .map((one) => one.trim())
      .filter(Boolean)
  if (kind === 'time' && Number.isNaN(Date.parse(text))) throw new RangeError('Enter a date and a time.')
  if (pattern !== undefined && !pattern.test(text)) throw new RangeError(explain)
  return text
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw new RangeError('This is not valid JSON.')
  }
}

/** Returns the object and the errors of its fields, with pointers below it. */
export function valueOfMembers(
  members: readonly MemberSpec[],
  text: string,
): { value: Row; faults: readonly Fault[] } {
  const texts = membersOfText(text)
  const faults: Fault[] = []
  const read = <T>(name: string, work: (text: string) => T): T | undefined => {
    const entered = (texts[name] ?? '').trim()
    if (entered === '') return undefined
    try {
      return work(entered)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      faults.push({ param: name === otherMembers ? '' : `/${name}`, message })
      return undefined
    }
  }
  const others = read(otherMembers, (entered) => {
    const found = parsed(entered)
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found
    throw new RangeError('Enter a JSON object.')
  })
  let value: Row = others ?? {}
  for (const spec of members) {
    const found = read(spec.name, (entered) => valueOfText(spec, entered))
    if (found !== undefined) value = withMember(value, stepsOf(spec), found)
  }
  return { value, faults }
}
