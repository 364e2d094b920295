/** The suite for vectors of every engine: the nearest ones of a collection that have not expired. */
import { randomUUID } from 'node:crypto'
import type { Vector, Vectors } from '@gateway/contract'
import { expect } from 'chai'
import { pair } from './opened.ts'

/** The whole suite. */
export function describeVectors(name: string, open: () => Promise<Vectors[]>): void {
  describe(`vectors ${name}`, () => {
    let one: Vectors
    let other: Vectors
    let collection: string
    beforeEach(async () => {
      const [first, second] = pair(await open())
      one = first
      other = second
      collection = randomUUID()
    })
    const put = (id: string, values: number[], given: Partial<Vector> = {}) =>
      one.put({ id, collection, values, payload: `payload of ${id}`, expires_at: null, ...given })
    const nearest = (
      values: number[],
      given: { limit?: number; minSimilarity?: number; nowMs?: number } = {},
    ) => other.nearest(collection, values, { limit: 10, minSimilarity: -1, nowMs: 1000, ...given })

    it('are found nearest first, by cosine similarity, independent of their length', async () => {
      await put('east', [1, 0])
      await put('north', [0, 0.001])
      await put('north-east', [1000, 1000])
      await put('west', [-2, 0])
      const found = await nearest([2, 0.1])
      expect(found.map(({ id }) => id)).to.deep.equal(['east', 'north-east', 'north', 'west'])
      expect(found[0]?.payload).to.equal('payload of east')
      expect((await nearest([0, 3]))[0]?.similarity).to.be.closeTo(1, 1e-6)
      expect((await nearest([1, 1]))[1]?.similarity).to.be.closeTo(Math.SQRT1_2, 1e-6)
      expect((await nearest([1, 0])).at(-1)?.similarity).to.be.closeTo(-1, 1e-6)
    })

    it('are found up to a number, and from a minimum similarity on', async () => {
      await put('east', [1, 0])
      await put('north', [0, 1])
      await put('north-east', [1, 1])
      expect((await nearest([1, 0.1], { limit: 2 })).map(({ id }) => id)).to.deep.equal([
        'east',
        'north-east',
      ])
      expect((await nearest([1, 0], { minSimilarity: 0.9 })).map(({ id }) => id)).to.deep.equal(['east'])
    })

    it('are found in one collection only', async () => {
      await put('here', [1, 0])
      await put('there', [1, 0], { collection: `${collection}-b` })
      expect((await nearest([1, 0])).map(({ id }) => id)).to.deep.equal(['here'])
      expect(await one.nearest(randomUUID(), [1], { limit: 1, minSimilarity: -1, nowMs: 0 })).to.deep.equal(
        [],
      )
    })

    it('can be replaced and removed', async () => {
      await put('one', [1, 0])
      await put('one', [0, 1], { payload: 'new' })
      expect((await nearest([0, 1])).map(({ payload }) => payload)).to.deep.equal(['new'])
      await other.remove(collection, 'one')
      await other.remove(collection, 'one')
      expect(await nearest([0, 1])).to.deep.equal([])
    })

    it('are not found once they have expired, and are then pruned', async () => {
      await put('brief', [1, 0], { expires_at: 2000 })
      await put('long', [0, 1], { expires_at: 3000 })
      await put('endless', [1, 1])
      const idsAt = async (nowMs: number) => (await nearest([1, 1], { nowMs })).map(({ id }) => id).sort()
      expect(await idsAt(1999)).to.deep.equal(['brief', 'endless', 'long'])
      expect(await idsAt(2000)).to.deep.equal(['endless', 'long'])
      expect(await one.prune(2000)).to.equal(1)
      expect(await one.prune(2000)).to.equal(0)
      expect(await idsAt(1999)).to.deep.equal(['endless', 'long'])
    })

    it('are found among thousands of others', async () => {
      const values = (index: number) => [Math.cos(index / 1000), Math.sin(index / 1000)]
      for (let start = 0; start < 2500; start += 50) {
        await Promise.all(
          Array.from({ length: 50 }, (_, index) => put(`v${start + index}`, values(start + index))),
        )
      }
      const [first, second] = await nearest(values(1234), { limit: 2 })
      expect(first?.id).to.equal('v1234')
      expect(['v1233', 'v1235']).to.include(second?.id)
    })

    it('with many dimensions are found among thousands of others, replaced and removed', async () => {
      const members = 128
      let seed = 1
      const random = () => {
        seed = (seed * 16_807) % 2_147_483_647
        return seed / 2_147_483_647 - 0.5
      }
      const all = Array.from({ length: 2500 }, () => Array.from({ length: members }, random))
      for (let start = 0; start < all.length; start += 100) {
        await Promise.all(
          all.slice(start, start + 100).map((values, index) => put(`v${start + index}`, values)),
        )
      }
      const near = (index: number) => (all[index] ?? []).map((value) => value + random() * 0.2)
      for (const index of [0, 777, 2499]) {
        const [first] = await nearest(near(index), { limit: 3, minSimilarity: 0.9 })
        expect(first?.id).to.equal(`v${index}`)
      }
      await put('v777', all[0] ?? [], { payload: 'moved' })
      await one.remove(collection, 'v0')
      const [moved, ...rest] = await nearest(near(0), { limit: 3, minSimilarity: 0.9 })
      expect([moved?.id, moved?.payload, rest]).to.deep.equal(['v777', 'moved', []])
    })

    it('are trimmed to the newest ones', async () => {
      await one.trim(0)
      for (const id of ['old', 'middle', 'new']) {
        await put(id, [1, id.length])
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      expect(await one.trim(2)).to.equal(1)
      expect((await nearest([1, 1])).map(({ id }) => id).sort()).to.deep.equal(['middle', 'new'])
    })
  })
}
