/**
 * The effect of agreement on pairs of questions, with similarities from a sentence model (`question-pairs/record.ts`).
 */
import { expect } from 'chai'
import { measure, thresholds } from './question-pairs/measure.ts'
import { questionPairs } from './question-pairs/pairs.ts'
import { readSimilarities } from './question-pairs/similarities.ts'

const similarities = readSimilarities()

describe('agreement on recorded similarities', () => {
  it('has a similarity for each pair, and at least 150 pairs of each kind', () => {
    expect(similarities).to.have.length(questionPairs.length)
    for (const kind of ['paraphrase', 'near miss'])
      expect(questionPairs.filter((pair) => pair.kind === kind).length).to.be.at.least(150)
  })

  for (const [which, isHeldOut] of [
    ['the pairs on which the rules were tuned', false],
    ['the pairs held out from tuning', true],
  ] as const)
    it(`answers at most 1 % of near misses and keeps at least 60 % of paraphrases, on ${which}`, () => {
      for (const threshold of thresholds) {
        const { paraphrases, nearMisses } = measure(similarities, { threshold, isHeldOut })
        expect(nearMisses.agreeing / nearMisses.pairs, `at ${threshold}`).to.be.at.most(0.01)
        expect(paraphrases.agreeing / paraphrases.near, `at ${threshold}`).to.be.at.least(0.6)
      }
    })

  it('has the shares that the guide states', () => {
    const percent = (count: number, of: number) => Math.round((100 * count) / of)
    const table = thresholds.map((threshold) => {
      const { paraphrases, nearMisses } = measure(similarities, { threshold })
      return [
        threshold,
        percent(paraphrases.near, paraphrases.pairs),
        percent(paraphrases.agreeing, paraphrases.pairs),
        percent(nearMisses.near, nearMisses.pairs),
        percent(nearMisses.agreeing, nearMisses.pairs),
      ]
    })
    expect(table).to.deep.equal([
      [0.8, 100, 93, 95, 0],
      [0.85, 98, 91, 91, 0],
      [0.9, 90, 86, 83, 0],
      [0.95, 70, 68, 64, 0],
    ])
  })
})
