/** Keywords that validate a value by itself: type, equality, ranges, lengths, required members. */
import { isObject, type Json } from '@gateway/contract'
import { isEqual } from './equal.ts'
import type { Site } from './site.ts'
import { escapeName, type Subschema } from './validation.ts'

type Assertion = Subschema['assertions'][number]
export type CompileAssertion = (site: Site) => Assertion | null

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: (value) => isObject(value),
  string: (value) => typeof value === 'string',
}

function compileType({ value, siblings, fault, refuse }: Site): Assertion {
  const names = Array.isArray(value) ? value : [value]
  const tests = names.map((name) => {
    const test = typeof name === 'string' && Object.hasOwn(typeTests, name) ? typeTests[name] : undefined
    return test ?? refuse(`be one of ${Object.keys(typeTests).join(', ')}, or a list of them`)
  })
  if (tests.length === 0) refuse('not be empty')
  if (siblings.nullable === true) tests.push((candidate) => candidate === null)
  const message = `must be ${names.join(',')}`
  return (candidate) => (tests.some((test) => test(candidate)) ? null : fault(message))
}

function compileConst({ value, fault }: Site): Assertion {
  const isScalar = typeof value !== 'object' || value === null
  const difference = fault('must be equal to constant')
  if (isScalar) return (candidate) => (candidate === value ? null : difference)
  return (candidate, run) => (isEqual(value, candidate, { count: () => run.spend(1) }) ? null : difference)
}

function compileEnum({ value, fault, refuse }: Site): Assertion {
  if (!Array.isArray(value)) return refuse('be an array')
  const scalars = new Set<unknown>(value.filter((one) => typeof one !== 'object' || one === null))
  const others = value.filter((one) => typeof one === 'object' && one !== null)
  const difference = fault('must be equal to one of the allowed values')
  return (candidate, run) => {
    if (scalars.has(candidate)) return null
    if (typeof candidate !== 'object') return difference
    return others.some((one) => isEqual(one, candidate, { count: () => run.spend(1) })) ? null : difference
  }
}

/** A keyword with a number, for numbers. */
const range =
  (sign: string, fits: (value: number, limit: number) => boolean): CompileAssertion =>
  ({ value: limit, fault, refuse }) => {
    if (typeof limit !== 'number') return refuse('be a number')
    const message = `must be ${sign} ${limit}`
    return (value) => (typeof value !== 'number' || fits(value, limit) ? null : fault(message))
  }

function compileMultipleOf({ value: divisor, fault, refuse }: Site): Assertion {
  if (typeof divisor !== 'number' || !(divisor > 0)) return refuse('be a number above 0')
  const message = `must be multiple of ${divisor}`
  return (value) => (typeof value !== 'number' || Number.isInteger(value / divisor) ? null : fault(message))
}

interface SizeRule {
  word: 'more' | 'fewer'
  noun: 'characters' | 'items' | 'properties'
  /** The size of a value, counted up to the limit; null for values without such a size. */
  sizeOf(value: unknown, limit: number): number | null
}

const size =
  ({ word, noun, sizeOf }: SizeRule): CompileAssertion =>
  ({ value: limit, fault, refuse }) => {
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0)
      return refuse('be an integer from 0')
    const message = `must NOT have ${word} than ${limit} ${noun}`
    return (value, run) => {
      if (typeof value === 'string') run.spend(value.length >> 6)
      const found = sizeOf(value, limit)
      const fits = found === null || (word === 'more' ? found <= limit : found >= limit)
      return fits ? null : fault(message)
    }
  }

/** The number of characters, counted up to `limit`; a surrogate pair is one character. */
function characters(value: unknown, limit: number): number | null {
  if (typeof value !== 'string') return null
  // Each character takes one or two units.
  if (value.length < limit) return value.length
  if (value.length > 2 * limit + 2) return limit + 1
  let count = 0
  for (let at = 0; at < value.length && count <= limit; count += 1)
    at += (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return count
}

const items = (value: unknown) => (Array.isArray(value) ? value.length : null)
const members = (value: unknown) => (isObject(value) ? Object.keys(value).length : null)

/** Reads a list of member names. */
export function namesIn(value: Json | undefined, refuse: Site['refuse']): string[] {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string'))
    return refuse('be a list of names')
  return value
}

/** The error's path is the one that the missing member would have. */
export const missing = (fault: Site['fault'], name: string) =>
  fault(`must have required property '${name}'`, `/${escapeName(name)}`)

function compileRequired({ value, fault, refuse }: Site): Assertion {
  const names = namesIn(value, refuse)
  return (candidate, run) => {
    if (!isObject(candidate)) return null
    run.spend(names.length >> 3)
    const name = names.find((one) => !Object.hasOwn(candidate, one))
    return name === undefined ? null : missing(fault, name)
  }
}

export const assertions: Readonly<Record<string, CompileAssertion>> = {
  type: compileType,
  const: compileConst,
  enum: compileEnum,
  minimum: range('>=', (value, limit) => value >= limit),
  maximum: range('<=', (value, limit) => value <= limit),
  exclusiveMinimum: range('>', (value, limit) => value > limit),
  exclusiveMaximum: range('<', (value, limit) => value < limit),
  multipleOf: compileMultipleOf,
  minLength: size({ word: 'fewer', noun: 'characters', sizeOf: characters }),
  maxLength: size({ word: 'more', noun: 'characters', sizeOf: characters }),
  minItems: size({ word: 'fewer', noun: 'items', sizeOf: items }),
  maxItems: size({ word: 'more', noun: 'items', sizeOf: items }),
  minProperties: size({ word: 'fewer', noun: 'properties', sizeOf: members }),
  maxProperties: size({ word: 'more', noun: 'properties', sizeOf: members }),
  required: compileRequired,
}
