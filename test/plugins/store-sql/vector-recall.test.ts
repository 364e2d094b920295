/**
 * The scan of signs finds the same vectors as a comparison of all members, on real text: the paragraphs of our docs, as
 * vectors of their character trigrams (hashed, with signs, weighted by rarity), which are as unevenly distributed as
 * those of a model. Embeddings of a model: `recorded-vectors.test.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { SignIndex, signsOf } from '#store-sql/vector-scan/sign-index'

const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url))
const members = 512
const fewestChars = 80
const candidates = 100
const threshold = 0.8

const paragraphs = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .sort()
  .flatMap((path) => readFileSync(docs + path, 'utf8').split(/\n\s*\n|\n\|/))
  .filter((text) => text.length >= fewestChars)

/** 32 bits of FNV-1a. http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

const trigramsOf = (text: string) => {
  const plain = text.toLowerCase().replace(/\s+/g, ' ')
  return Array.from({ length: Math.max(0, plain.length - 2) }, (_, at) => hashOf(plain.slice(at, at + 3)))
}

const frequency = new Map<number, number>()
for (const text of paragraphs)
  for (const hash of new Set(trigramsOf(text))) frequency.set(hash, (frequency.get(hash) ?? 0) + 1)

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(members)
  for (const hash of trigramsOf(text)) {
    const weight = Math.log(paragraphs.length / (frequency.get(hash) ?? 1))
    const at = hash % members
    vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? weight : -weight)
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

const cosine = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)

/** The same said with a few words fewer: every `one in` is left out. */
const shortened = (text: string, oneIn: number) =>
  text
    .split(' ')
    .filter((_, index) => index % oneIn !== oneIn - 1)
    .join(' ')

describe('the sign-bit vector scan on real text', () => {
  const vectors = paragraphs.map(vectorOf)
  const index = new SignIndex(members / 8)
  for (const [at, vector] of vectors.entries())
    index.put({ id: String(at), signs: signsOf(vector), expires_at: null })

  it('is tested with enough text', () => {
    expect(paragraphs.length).to.be.above(1000)
  })

  for (const oneIn of [12, 6, 3]) {
    it(`finds the nearest neighbour of texts with one word in ${oneIn} removed, when it is similar enough`, () => {
      let near = 0
      const missed: string[] = []
      for (let at = 0; at < paragraphs.length; at += 7) {
        const sought = vectorOf(shortened(paragraphs[at] ?? '', oneIn))
        const similarities = vectors.map((vector) => cosine(sought, vector))
        const best = Math.max(...similarities)
        if (best < threshold) continue
        near += 1
        const found = index.nearest(signsOf(sought), candidates, 0).map((id) => similarities[Number(id)] ?? 0)
        if (Math.max(...found) < best - 1e-6) missed.push(paragraphs[at] ?? '')
      }
      expect(near, 'texts with a near neighbour').to.be.above(50)
      expect(missed).to.deep.equal([])
    })
  }
})
