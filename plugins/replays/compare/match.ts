/** Measures how far two answers agree. */
import { isDeepStrictEqual } from 'node:util'
import type { Match } from '../entities.ts'
import type { ReadAnswer } from './answers.ts'

export function matchTools(
  baseline: ReadAnswer | null,
  candidate: ReadAnswer | null,
): Pick<Match, 'same_tool' | 'same_arguments'> {
  const none = { same_tool: null, same_arguments: null }
  if (baseline === null || candidate === null) return none
  const [one, other] = [baseline.tools, candidate.tools]
  if (one.length + other.length === 0) return none
  const isSame = one.length === other.length && one.every(({ name }, index) => other[index]?.name === name)
  if (!isSame) return { same_tool: false, same_arguments: null }
  return {
    same_tool: true,
    same_arguments: one.every((call, index) => isDeepStrictEqual(call.arguments, other[index]?.arguments)),
  }
}

/** The cosine of two vectors; null if it is undefined. */
export function cosine(one: readonly number[], other: readonly number[]): number | null {
  if (one.length !== other.length || one.length === 0) return null
  let [dot, squares, otherSquares] = [0, 0, 0]
  for (const [index, value] of one.entries()) {
    const opposite = other[index] ?? 0
    dot += value * opposite
    squares += value * value
    otherSquares += opposite * opposite
  }
  const size = Math.sqrt(squares * otherSquares)
  return size === 0 ? null : Math.max(-1, Math.min(1, dot / size))
}
