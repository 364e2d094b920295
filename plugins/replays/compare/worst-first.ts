/**
 * Sorts pairs: the candidate's errors first, then denials, invalid JSON, different tools, different arguments,
 * refusals, lost comparisons by the judge, and finally the lowest similarity.
 */
import type { StoredPair } from '../entities.ts'

export interface PlacedPair {
  position: number
  pair: StoredPair
}

export const problems = [
  'error',
  'denied',
  'invalid_json',
  'other_tool',
  'other_arguments',
  'refusal',
  'judged_worse',
] as const

export type Problem = (typeof problems)[number]

/** The problems of a pair's candidate, the worst first. */
export function problemsOf({ candidate, match, judge }: StoredPair): Problem[] {
  const found: Readonly<Record<Problem, boolean>> = {
    error: candidate?.is_error === true,
    denied: candidate?.is_denied === true,
    invalid_json: candidate?.is_valid_json === false,
    other_tool: match?.same_tool === false,
    other_arguments: match?.same_arguments === false,
    refusal: candidate?.is_refusal === true,
    judged_worse: judge?.winner === 'baseline',
  }
  return problems.filter((problem) => found[problem])
}

/** Whether the baseline has the same problem. Pairs that became worse come first. */
function isShared(problem: Problem | undefined, { baseline }: StoredPair): boolean {
  switch (problem) {
    case 'error':
      return baseline?.is_error === true
    case 'denied':
      return baseline?.is_denied === true
    case 'invalid_json':
      return baseline?.is_valid_json === false
    case 'refusal':
      return baseline?.is_refusal === true
    default:
      return false
  }
}

/** The sort key of a pair: its worst problem, then its similarity. */
function keyOf({ pair, position }: PlacedPair): readonly number[] {
  const [worst] = problemsOf(pair)
  const rank = worst === undefined ? problems.length : problems.indexOf(worst)
  return [rank, isShared(worst, pair) ? 1 : 0, pair.match?.similarity ?? 2, position]
}

/** Returns a new list without pairs that were not compared. */
export function worstFirst(pairs: readonly PlacedPair[]): PlacedPair[] {
  return pairs
    .filter(({ pair }) => pair.outcome === 'completed')
    .map((placed) => ({ placed, key: keyOf(placed) }))
    .sort((one, other) => compareKeys(one.key, other.key))
    .map(({ placed }) => placed)
}

function compareKeys(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
