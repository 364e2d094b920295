/**
 * The pairs of questions with which the agreement of semantic hits is measured. A third of them is not used for tuning.
 */
import { nearMisses } from './near-misses.ts'
import { paraphrases } from './paraphrases.ts'

export interface QuestionPair {
  kind: 'paraphrase' | 'near miss'
  isHeldOut: boolean
  one: string
  other: string
}

const pairsOf = (kind: QuestionPair['kind'], lines: string): QuestionPair[] =>
  lines
    .trim()
    .split('\n')
    .map((line, index) => {
      const [one = '', other = ''] = line.split(' | ')
      return { kind, isHeldOut: index % 3 === 2, one, other }
    })

export const questionPairs: readonly QuestionPair[] = [
  ...pairsOf('paraphrase', paraphrases),
  ...pairsOf('near miss', nearMisses),
]
