/**
 * The features that a semantic hit must share with the question, in addition to its meaning. Embeddings represent
 * meaning, but hardly reflect numbers, units, negations, quotations, names and word order. The features are stored with
 * an answer.
 */
import { splitLiterals } from './literals.ts'
import { countNegations } from './negations.ts'
import { quantitiesOf } from './numbers.ts'
import { polesOf } from './opposites.ts'
import { inOrder } from './order.ts'
import { type Question, questionVersion } from './question-type.ts'
import { singular } from './stem.ts'
import { normalise, tokensOf } from './tokens.ts'

export function questionOf(text: string): Question {
  const { literals, rest } = splitLiterals(normalise(text))
  const tokens = tokensOf(rest)
  const { numbers, units, words } = quantitiesOf(tokens)
  const ordered = inOrder(words)
  const known = new Set(ordered)
  // A unit such as `Celsius` is compared as a unit.
  const names = tokens.filter(({ isName }) => isName).map(({ text: word }) => singular(word))
  return {
    version: questionVersion,
    numbers,
    units: units.sort(),
    literals,
    negations: countNegations(tokens),
    poles: polesOf(tokens.map(({ text: word }) => word)),
    names: [...new Set(names)].filter((name) => known.has(name)),
    words: ordered,
  }
}
