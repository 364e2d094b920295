/** The file of recorded similarities: one number per line, in the order of the pairs. */
import { readFileSync } from 'node:fs'

export const similaritiesFile = new URL(
  '../../../../../test/core/cache/question-pairs/similarities.txt',
  import.meta.url,
)

export const readSimilarities = (): number[] =>
  readFileSync(similaritiesFile, 'utf8').trim().split('\n').map(Number)
