/** Compares two questions whose embeddings are similar. */
import { changedPart } from './changed-part.ts'
import { areOpposed, areReversed } from './opposites.ts'
import { haveMoved, haveNames, haveSwapped } from './order.ts'
import type { Question } from './question-type.ts'
import { differInFewWords, fewWords } from './wording.ts'

export type Disagreement =
  | 'numbers'
  | 'units'
  | 'literals'
  | 'negation'
  | 'opposites'
  | 'names'
  | 'order'
  | 'words'

/** How two questions differ; null if they agree. */
export function disagreement(one: Question, other: Question): Disagreement | null {
  if (!areEqual(one.numbers, other.numbers)) return 'numbers'
  if (!areEqual(one.units, other.units)) return 'units'
  if (!areEqual(one.literals, other.literals)) return 'literals'
  if (one.negations !== other.negations) return 'negation'
  if (areOpposed(one.poles, other.poles)) return 'opposites'
  return wordsDisagree(one, other)
}

function wordsDisagree(one: Question, other: Question): Disagreement | null {
  const [words, otherWords] = changedPart(one.words, other.words)
  const [ours, theirs] = [new Set(words), new Set(otherWords)]
  if (areReversed(ours, theirs)) return 'opposites'
  if (!haveNames(one, other) || !haveNames(other, one)) return 'names'
  const names = new Set([...one.names, ...other.names])
  if (haveMoved(names, words, otherWords) || haveSwapped(words, otherWords)) return 'order'
  const most = fewWords(one.words, other.words)
  return differInFewWords(words, otherWords, most) ? 'words' : null
}

const areEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, index) => text === other[index])
