/** Counts the pairs that a threshold accepts, and those that remain if the questions must also agree. */
import { disagreement } from '#agreement/disagreement'
import { questionOf } from '#agreement/question'
import { type QuestionPair, questionPairs } from './pairs.ts'

export const thresholds = [0.8, 0.85, 0.9, 0.95] as const

/** The text as the gateway compares and embeds it. */
export const asCompared = (question: string): string => `user: ${question}`

const agree = (one: string, other: string): boolean =>
  disagreement(questionOf(asCompared(one)), questionOf(asCompared(other))) === null

interface Share {
  pairs: number
  /** The number of pairs that the threshold accepts. */
  near: number
  /** The number of those pairs that agree. */
  agreeing: number
}

export function measure(
  similarities: readonly number[],
  { threshold, isHeldOut }: { threshold: number; isHeldOut?: boolean },
): { paraphrases: Share; nearMisses: Share } {
  const shareOf = (kind: QuestionPair['kind']): Share => {
    const pairs = questionPairs
      .map((pair, index) => ({ ...pair, similarity: similarities[index] ?? 0 }))
      .filter((pair) => pair.kind === kind && (isHeldOut ?? pair.isHeldOut) === pair.isHeldOut)
    const near = pairs.filter(({ similarity }) => similarity >= threshold)
    const agreeing = near.filter(({ one, other }) => agree(one, other))
    return { pairs: pairs.length, near: near.length, agreeing: agreeing.length }
  }
  return { paraphrases: shareOf('paraphrase'), nearMisses: shareOf('near miss') }
}
