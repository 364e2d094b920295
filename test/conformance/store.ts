/**
 * The suite for every store engine. `open` returns the stores of two processes that share state, or a single one for an
 * engine of one process.
 */
import type { Store as AnyStore, Ports, SharedState } from '@gateway/contract'
import { expect } from 'chai'
import { until } from './store-until.ts'

type Store = AnyStore & Pick<Ports, 'kv' | 'shared'>

/** The whole suite, on the same stores for all tests, which would leave their data in an engine anyway. */
export function describeStore(name: string, open: () => Promise<Store[]>): void {
  describe(`store ${name}`, () => {
    let stores: Store[]
    before(async () => {
      stores = await open()
    })
    after(async () => {
      for (const store of stores) await store.close()
    })

    it('answers a ping', async () => {
      for (const store of stores) await store.ping()
    })

    describe('cache', () => {
      it('returns the stored value, in every process', async () => {
        await first(stores).kv.set('answer', 'forty-two')
        expect(await last(stores).kv.get('answer')).to.equal('forty-two')
      })

      it('returns undefined for an unknown key', async () => {
        expect(await first(stores).kv.get('nothing')).to.equal(undefined)
      })

      it('replaces a value', async () => {
        await first(stores).kv.set('answer', 'one')
        await first(stores).kv.set('answer', 'two')
        expect(await first(stores).kv.get('answer')).to.equal('two')
      })

      it('reports whether a delete found an entry', async () => {
        await first(stores).kv.set('answer', 'one')
        expect(await first(stores).kv.delete('answer')).to.equal(true)
        expect(await first(stores).kv.delete('answer')).to.equal(false)
        expect(await first(stores).kv.get('answer')).to.equal(undefined)
      })

      it('expires a value after its time, and not before', async () => {
        const { kv } = first(stores)
        await kv.set('brief', 'one', 20)
        await kv.set('long', 'two', 60_000)
        await until(async () => (await kv.get('brief')) === undefined)
        expect(await kv.get('long')).to.equal('two')
      })

      it('can be cleared', async () => {
        await first(stores).kv.set('answer', 'one')
        await first(stores).kv.clear()
        expect(await first(stores).kv.get('answer')).to.equal(undefined)
      })
    })

    describeSharedState(name, async () => stores.map(({ shared }) => shared))
  })
}

/** The part for shared state, for engines without the other ports. */
export function describeSharedState(name: string, open: () => Promise<SharedState[]>): void {
  describe(`shared state ${name}`, () => {
    let states: SharedState[]
    /** Keys are unique to a test, because the engine may outlive it. */
    let key: string
    let tests = 0
    beforeEach(async () => {
      states = await open()
      tests += 1
      key = `test-${tests}`
    })

    it('counts every increment once, from any process', async () => {
      const counts = await Promise.all(
        Array.from({ length: 100 }, (_, index) => at(states, index).increment(key, 60_000)),
      )
      expect(counts.toSorted((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 100 }, (_, index) => index + 1),
      )
    })

    it('expires a counter after its time from the first increment', async () => {
      await first(states).increment(key, 500)
      await first(states).increment(key, 60_000)
      await until(async () => (await first(states).increment(key, 500)) === 1)
    })

    it('starts a deleted counter again', async () => {
      await first(states).increment(key, 60_000)
      await last(states).delete(key)
      expect(await first(states).increment(key, 60_000)).to.equal(1)
    })

    it('grants a lease to one of many concurrent callers', async () => {
      const given = await Promise.all(
        Array.from({ length: 20 }, (_, index) => at(states, index).acquire(key, 60_000)),
      )
      expect(given.filter(Boolean)).to.have.length(1)
    })

    it('grants a lease again after it was deleted', async () => {
      await first(states).acquire(key, 60_000)
      await first(states).delete(key)
      expect(await last(states).acquire(key, 60_000)).to.equal(true)
    })

    it('grants a lease again after its time', async () => {
      await first(states).acquire(key, 20)
      await until(() => last(states).acquire(key, 60_000))
    })

    it('delivers a message to every process, including the sender, in order', async () => {
      const heard = await Promise.all(
        states.map(async (state) => {
          const messages: string[] = []
          await state.subscribe(key, (message) => messages.push(message))
          return messages
        }),
      )
      await first(states).publish(key, 'one')
      await first(states).publish(key, 'two')
      await until(async () => heard.every((messages) => messages.length === 2))
      for (const messages of heard) expect(messages).to.deep.equal(['one', 'two'])
    })

    it('separates topics', async () => {
      const messages: string[] = []
      await first(states).subscribe(key, (message) => messages.push(message))
      await last(states).publish(`${key}-other`, 'not this')
      await last(states).publish(key, 'this')
      await until(async () => messages.length > 0)
      expect(messages).to.deep.equal(['this'])
    })
  })
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('The engine opened nothing.')
  return item
}

function first<T>(items: readonly T[]): T {
  return at(items, 0)
}

function last<T>(items: readonly T[]): T {
  return at(items, items.length - 1)
}
