/**
 * The search finds the same vectors as a comparison of all vectors, on a sentence model's embeddings
 * (`recorded-vectors/record.ts`) of questions with many close neighbours.
 */
import { expect } from 'chai'
import { disagreement } from '#agreement/disagreement'
import { questionOf } from '#agreement/question'
import { upgrade } from '#store-sql/upgrade'
import { SignIndex, signsOf } from '#store-sql/vector-scan/sign-index'
import { createVectors } from '#store-sql/vectors'
import { forEachEngine } from './engines.ts'
import { dimensions, readVectors } from './recorded-vectors/file.ts'
import { askedQuestions, storedQuestions } from './recorded-vectors/questions.ts'

const unit = (vector: readonly number[]) => {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
const all = readVectors().map(unit)
const stored = all.slice(0, storedQuestions.length)
const asked = all.slice(storedQuestions.length)

const product = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
const similarities = asked.map((sought) => stored.map((vector) => product(sought, vector)))
const nearestOf = (row: readonly number[]) => row.indexOf(Math.max(...row))

/** Similarities with the stored question of the same meaning, and with the nearest of all others. */
const rows = askedQuestions.map(({ stored: same }, at) => {
  const row = similarities[at] ?? []
  return { same: row[same] ?? 0, other: Math.max(...row.filter((_, index) => index !== same)) }
})

/** The stored question whose answer would be given: the nearest one within the threshold that agrees. */
function answered(at: number, threshold: number): number | undefined {
  const row = similarities[at] ?? []
  const asking = questionOf(askedQuestions[at]?.text ?? '')
  return [...row.keys()]
    .filter((index) => (row[index] ?? 0) >= threshold)
    .sort((one, other) => (row[other] ?? 0) - (row[one] ?? 0))
    .find((index) => disagreement(asking, questionOf(storedQuestions[index] ?? '')) === null)
}

const shareOf = (isCounted: (row: (typeof rows)[number]) => boolean) =>
  rows.filter(isCounted).length / rows.length

describe('the recorded embeddings', () => {
  it('belong to the questions next to them', () => {
    expect(all).to.have.length(storedQuestions.length + askedQuestions.length)
    expect(all.every((vector) => vector.length === dimensions)).to.equal(true)
    expect(shareOf(({ same, other }) => same > other)).to.be.above(0.95)
  })

  it('give almost no answer to a different question when the questions must agree', () => {
    const table = [0.75, 0.85].map((threshold) => {
      const given = askedQuestions.map(({ stored: same }, at) => {
        const found = answered(at, threshold)
        return found === undefined ? 'none' : found === same ? 'right' : 'wrong'
      })
      const share = (what: string) =>
        Math.round((100 * given.filter((one) => one === what).length) / given.length)
      return [threshold, share('right'), share('wrong')]
    })
    expect(table).to.deep.equal([
      [0.75, 62, 1],
      [0.85, 24, 0],
    ])
  })

  it("have the similarities on which the guide's advice is based", () => {
    const found = (threshold: number) => shareOf(({ same, other }) => same >= threshold && same > other)
    const mistaken = (threshold: number) => shareOf(({ other }) => other >= threshold)
    const percent = (share: number) => Math.round(share * 100)
    const table = [0.75, 0.8, 0.85, 0.9, 0.95].map((threshold) => [
      threshold,
      percent(found(threshold)),
      percent(mistaken(threshold)),
    ])
    expect(table).to.deep.equal([
      [0.75, 80, 31],
      [0.8, 55, 10],
      [0.85, 31, 1],
      [0.9, 12, 0],
      [0.95, 0, 0],
    ])
  })

  // 1,000 vectors with 10 candidates are as 10,000 with the 100 that the product compares.
  for (const candidates of [10, 20, 100]) {
    it(`have their nearest neighbour among the ${candidates} with the most similar sign bits`, () => {
      const index = new SignIndex(dimensions / 8)
      for (const [at, vector] of stored.entries())
        index.put({ id: String(at), signs: signsOf(vector), expires_at: null })
      const found = asked.filter((sought, at) =>
        index.nearest(signsOf(sought), candidates, 0).includes(String(nearestOf(similarities[at] ?? []))),
      )
      expect(found.length / asked.length).to.be.at.least(0.99)
    })
  }
})

forEachEngine('recorded embeddings', (open) => {
  it('are found like with a comparison of all vectors, from another process', async () => {
    const [database, otherDatabase] = await open()
    await upgrade(database)
    const here = createVectors(database)
    const there = createVectors(otherDatabase)
    try {
      for (const [at, values] of stored.entries())
        await here.put({ id: String(at), collection: 'questions', values, payload: '', expires_at: null })
      let found = 0
      for (const [at, values] of asked.entries()) {
        const row = similarities[at] ?? []
        const wanted = { limit: 10, minSimilarity: -1, nowMs: 0 }
        const near = await there.nearest('questions', values, wanted)
        expect(near).to.have.length(10)
        for (const { id, similarity } of near) expect(similarity).to.be.closeTo(row[Number(id)] ?? 0, 1e-5)
        if (near[0]?.id === String(nearestOf(row))) found += 1
      }
      expect(found / asked.length).to.be.at.least(0.99)
    } finally {
      await here.close()
      await there.close()
    }
  })
})
