/** The suite for long work of every engine: one holder at a time, each result once. */
import { randomUUID } from 'node:crypto'
import type { Outgoing, Work } from '@gateway/contract'
import { expect } from 'chai'
import { pair } from './opened.ts'

const owes = (id: string): Outgoing => ({ id, kind: 'log', data: `of ${id}` })
const result = (position: number, ...outgoing: Outgoing[]) => ({
  position,
  data: `result ${position}`,
  outgoing,
})

/** The whole suite. */
export function describeWork(name: string, open: () => Promise<Work[]>): void {
  describe(`work ${name}`, () => {
    let one: Work
    let other: Work
    let id: string
    const now = 1_800_000_000_000
    beforeEach(async () => {
      const [first, second] = pair(await open())
      one = first
      other = second
      id = randomUUID()
    })

    const fenceOf = async (work: Work, at = now) => {
      const fence = await work.acquire(id, 1000, at)
      if (fence === null) throw new Error('the lease is taken')
      return fence
    }

    it('has one holder until its lease ends, and a greater fence with the next one', async () => {
      const fence = await fenceOf(one)
      expect(await other.acquire(id, 1000, now + 999)).to.equal(null)
      expect(await fenceOf(other, now + 1000)).to.be.greaterThan(fence)
    })

    it('is kept by its holder while the lease is renewed', async () => {
      const fence = await fenceOf(one)
      expect(await one.renew(id, fence, { ttlMs: 5000, nowMs: now + 500 })).to.equal(true)
      expect(await other.acquire(id, 1000, now + 2000)).to.equal(null)
      const next = await fenceOf(other, now + 6000)
      expect(await one.renew(id, fence, { ttlMs: 5000, nowMs: now + 6001 })).to.equal(false)
      expect(await other.renew(id, next, { ttlMs: 5000, nowMs: now + 6001 })).to.equal(true)
    })

    it('is free at once when its holder releases it', async () => {
      const fence = await fenceOf(one)
      await other.release(id, fence + 1)
      expect(await other.acquire(id, 1000, now)).to.equal(null)
      await one.release(id, fence)
      expect(await other.acquire(id, 1000, now)).to.equal(fence + 1)
    })

    it('keeps results in the order of their positions, with their charges until those are delivered', async () => {
      const fence = await fenceOf(one)
      const [a, b] = [String(randomUUID()), String(randomUUID())]
      expect(await one.commit(id, fence, [result(7, owes(a)), result(2, owes(b)), result(30)])).to.equal(true)
      expect(await other.positions(id)).to.deep.equal([2, 7, 30])
      expect(await other.results(id, 2, 1)).to.deep.equal([{ position: 7, data: 'result 7' }])
      const owed = (await other.outgoing(1000)).filter((each) => [a, b].includes(each.id))
      expect(owed).to.have.deep.members([owes(a), owes(b)])
      await other.handedOver([a])
      expect((await one.outgoing(1000)).filter((each) => [a, b].includes(each.id))).to.deep.equal([owes(b)])
      await one.handedOver([b])
    })

    it('keeps the first result of a position, with its charge', async () => {
      const fence = await fenceOf(one)
      const [a, b] = [String(randomUUID()), String(randomUUID())]
      await one.commit(id, fence, [result(1, owes(a))])
      await one.commit(id, fence, [{ ...result(1, owes(b)), data: 'again' }])
      expect(await one.results(id, 0, 10)).to.deep.equal([{ position: 1, data: 'result 1' }])
      const owed = (await one.outgoing(1000)).filter((each) => [a, b].includes(each.id))
      expect(owed).to.deep.equal([owes(a)])
      await one.handedOver([a])
    })

    it('refuses results of a holder whose lease another one has taken', async () => {
      const fence = await fenceOf(one)
      await fenceOf(other, now + 1000)
      const a: string = randomUUID()
      expect(await one.commit(id, fence, [result(1, owes(a))])).to.equal(false)
      expect(await one.positions(id)).to.deep.equal([])
      expect((await one.outgoing(1000)).some((each) => each.id === a)).to.equal(false)
    })

    it('deletes only its own results', async () => {
      const fence = await fenceOf(one)
      await one.commit(id, fence, [result(1)])
      const neighbour = randomUUID()
      const theirs = await one.acquire(neighbour, 1000, now)
      await one.commit(neighbour, theirs ?? 0, [result(1)])
      await one.clear(id)
      expect(await one.positions(id)).to.deep.equal([])
      expect(await one.positions(neighbour)).to.deep.equal([1])
    })

    it('keeps many results from one commit', async () => {
      const fence = await fenceOf(one)
      const ids: string[] = Array.from({ length: 450 }, () => randomUUID())
      await one.commit(
        id,
        fence,
        ids.map((each, index) => result(index + 1, owes(each))),
      )
      expect((await one.positions(id)).length).to.equal(450)
      await one.handedOver(ids)
      expect((await one.outgoing(1000)).some((each) => ids.includes(each.id))).to.equal(false)
    })
  })
}
