/**
 * The query language of conditional routing, compiled once: `{"metadata.plan": {"$eq": "pro"}, "$or": [...]}`. All keys
 * and operators of a query are combined with "and"; a bare value means equality; a missing field satisfies only `$ne`,
 * `$nin` and `$exists: false`. Implemented here because every operator differs from MongoDB's: missing fields, numeric
 * text, and patterns on a linear-time engine.
 */
import { isDeepStrictEqual } from 'node:util'
import { compilePattern, isObject } from '@gateway/contract'
import type { Query, QuerySubject } from '@gateway/flow'

type Test = (value: unknown) => boolean

/** An error in a query: its place (a JSON pointer below the query) and its message. */
export interface QueryFault {
  path: string
  message: string
}

const roots = ['metadata', 'params', 'headers', 'url']
const maxDepth = 20

/** Compiles a query; its errors are added to `faults`. */
export function compileQuery(
  query: unknown,
  { faults, path = '', depth = 0 }: { faults: QueryFault[]; path?: string; depth?: number },
): Query {
  if (!isObject(query)) return refuse(faults, path, 'must be an object')
  if (depth > maxDepth) return refuse(faults, path, `is nested deeper than ${maxDepth} levels`)
  const tests = Object.entries(query).map(([key, condition]) =>
    compileEntry(key, condition, { faults, path: `${path}/${escapePointer(key)}`, depth }),
  )
  return (subject) => tests.every((test) => test(subject))
}

interface QueryPlace {
  faults: QueryFault[]
  path: string
  depth: number
}

function compileEntry(key: string, condition: unknown, { faults, path, depth }: QueryPlace): Query {
  if (key === '$and' || key === '$or' || key === '$nor') {
    if (!Array.isArray(condition) || condition.length === 0) {
      return refuse(faults, path, 'must be an array of at least one query')
    }
    const parts = condition.map((part, index) =>
      compileQuery(part, { faults, path: `${path}/${index}`, depth: depth + 1 }),
    )
    if (key === '$and') return (subject) => parts.every((part) => part(subject))
    if (key === '$or') return (subject) => parts.some((part) => part(subject))
    return (subject) => !parts.some((part) => part(subject))
  }
  if (key === '$not') {
    const inner = compileQuery(condition, { faults, path, depth: depth + 1 })
    return (subject) => !inner(subject)
  }
  if (key.startsWith('$')) return refuse(faults, path, `"${key}" is not a top-level query operator`)
  const [root = '', ...rest] = key.split('.')
  if (!roots.includes(root) || rest.length === 0 || (root === 'url' && key !== 'url.pathname')) {
    return refuse(faults, path, 'must start with metadata., params. or headers., or be url.pathname')
  }
  const steps = stepsOf(root, rest)
  const test = compileCondition(condition, { faults, path, depth })
  return (subject) => test(read(subject[root as keyof QuerySubject], steps))
}

/** Metadata and headers are flat, and header names are already lower-case. */
function stepsOf(root: string, rest: readonly string[]): readonly string[] {
  if (root === 'headers') return [rest.join('.').toLowerCase()]
  return root === 'metadata' ? [rest.join('.')] : rest
}

/** A condition on one field: a bare value, or operators that must all match. */
function compileCondition(condition: unknown, { faults, path, depth }: QueryPlace): Test {
  const isOperators = isObject(condition) && Object.keys(condition).some((key) => key.startsWith('$'))
  if (!isOperators) return (value) => value !== undefined && isEqual(value, condition)
  if (depth > maxDepth) {
    faults.push({ path, message: `is nested deeper than ${maxDepth} levels` })
    return () => false
  }
  const tests = Object.entries(condition).map(([name, operand]) =>
    compileOperator(name, operand, { faults, path: `${path}/${escapePointer(name)}`, depth }),
  )
  return (value) => tests.every((test) => test(value))
}

function compileOperator(name: string, operand: unknown, { faults, path, depth }: QueryPlace): Test {
  const fault = (message: string): Test => {
    faults.push({ path, message })
    return () => false
  }
  switch (name) {
    case '$eq':
      return (value) => value !== undefined && isEqual(value, operand)
    case '$ne':
      return (value) => value === undefined || !isEqual(value, operand)
    case '$gt':
      return (value) => compare(value, operand, (order) => order > 0)
    case '$gte':
      return (value) => compare(value, operand, (order) => order >= 0)
    case '$lt':
      return (value) => compare(value, operand, (order) => order < 0)
    case '$lte':
      return (value) => compare(value, operand, (order) => order <= 0)
    case '$in':
    case '$nin': {
      if (!Array.isArray(operand)) return fault('must be an array')
      const isIn: Test = (value) => value !== undefined && operand.some((item) => isEqual(value, item))
      return name === '$in' ? isIn : (value) => !isIn(value)
    }
    case '$exists':
      if (typeof operand !== 'boolean') return fault('must be true or false')
      return (value) => (value !== undefined) === operand
    case '$regex': {
      if (typeof operand !== 'string') return fault('must be a string')
      try {
        const pattern = compilePattern(operand)
        return (value) => isText(value) && pattern.test(String(value))
      } catch (error) {
        return fault(`is not a pattern: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    case '$not': {
      const inner = compileCondition(operand, { faults, path, depth: depth + 1 })
      return (value) => value !== undefined && !inner(value)
    }
    default:
      return fault(`"${name}" is not an operator`)
  }
}

/** Only own members count, because prototypes must not be reachable. */
function read(value: unknown, steps: readonly string[]): unknown {
  let current = value
  for (const step of steps) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = (current as Record<string, unknown>)[step]
  }
  return current
}

/** Compares numbers if both sides are numeric or numeric text, otherwise text. */
function compare(value: unknown, operand: unknown, decide: (order: number) => boolean): boolean {
  if (!isText(value) || !isText(operand)) return false
  const left = toNumber(value)
  const right = toNumber(operand)
  if (left !== null && right !== null) return decide(left - right)
  const leftText = String(value)
  const rightText = String(operand)
  return decide(leftText < rightText ? -1 : leftText > rightText ? 1 : 0)
}

const isText = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function toNumber(value: string | number | boolean): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isNaN(number) ? null : number
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  return isDeepStrictEqual(left, right)
}

const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

function refuse(faults: QueryFault[], path: string, message: string): Query {
  faults.push({ path, message })
  return () => false
}
