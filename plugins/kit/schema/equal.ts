/** Equality of JSON values, and their canonical text. */
import { SchemaTooComplexError } from './too-complex.ts'
import type { Judging, Validation } from './validation.ts'

const maxDepth = 500

const tooDeep = () => new SchemaTooComplexError(`values nested deeper than ${maxDepth} are not compared`)

/** Compares up to the first difference; `count` is called for every value compared. */
export function isEqual(
  left: unknown,
  right: unknown,
  { count, depth = 0 }: { count: () => void; depth?: number },
): boolean {
  count()
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (depth === maxDepth) throw tooDeep()
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  for (const name of names) {
    if (!Object.hasOwn(right, name)) return false
    if (!isEqual(read(left, name), read(right, name), { count, depth: depth + 1 })) return false
  }
  return true
}

const read = (value: object, name: string): unknown => (value as Record<string, unknown>)[name]

/** A text that is the same for equal values, independent of the order of members. */
export function* canonicalText(value: unknown, run: Validation, depth = 0): Judging<string> {
  if (run.spend(1)) yield
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth === maxDepth) throw tooDeep()
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* canonicalText(item, run, depth + 1))
    return `[${parts.join(',')}]`
  }
  for (const name of Object.keys(value).sort()) {
    const text = yield* canonicalText(read(value, name), run, depth + 1)
    parts.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${parts.join(',')}}`
}
