/**
 * Compiles the patterns and schemas of one piece of synchronous work, such as one config's checks: the sum of their sizes
 * is bounded, and equal patterns are compiled once. Compiling is synchronous, so there is one set at a time.
 */
import type { Pattern } from './pattern.ts'
import { largestSum, TooLargeError } from './size.ts'

interface Together {
  size: number
  patterns: Map<string, Pattern>
}

let current: Together | null = null

/**
 * Runs synchronous work whose patterns and schemas share one bound; inside of another such call, that call's.
 * Patterns of the work throw `TooLargeError` when the sum exceeds the bound.
 */
export function compileTogether<Result>(work: () => Result): Result {
  if (current !== null) return work()
  current = { size: 0, patterns: new Map() }
  try {
    return work()
  } finally {
    current = null
  }
}

/**
 * Counts what the caller is about to compile, in the unit of `size.ts`; no more than counted before fits.
 * @throws `TooLargeError`
 */
export function countSize(size: number): void {
  if (current === null) return
  const sum = current.size + size
  if (sum > largestSum)
    throw new TooLargeError(
      'the patterns and schemas are too large together: ' +
        `as large as a pattern of ${sum} characters without repetitions (at most ${largestSum})`,
    )
  current.size = sum
}

export function compiledOnce(key: string, compile: () => Pattern): Pattern {
  const known = current?.patterns.get(key)
  if (known !== undefined) return known
  const made = compile()
  current?.patterns.set(key, made)
  return made
}
