/** Specific to the store in memory: its limits, and a fake clock. */
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { createMemoryStore } from '#store/memory/index'

describe('the store in memory', () => {
  it('evicts the least recently used entry above its number of entries', async () => {
    const { kv } = createMemoryStore({ maxEntries: 2, maxBytes: 1000 })
    await kv.set('one', '1')
    await kv.set('two', '2')
    await kv.get('one')
    await kv.set('three', '3')
    expect([await kv.get('one'), await kv.get('two'), await kv.get('three')]).to.deep.equal([
      '1',
      undefined,
      '3',
    ])
  })

  it('evicts entries above its number of bytes, including keys', async () => {
    const { kv } = createMemoryStore({ maxEntries: 100, maxBytes: 20 })
    await kv.set('a', 'x'.repeat(9))
    await kv.set('b', 'y'.repeat(9))
    expect(await kv.get('a')).to.have.length(9)
    await kv.set('c', 'x')
    expect([await kv.get('a'), await kv.get('b'), await kv.get('c')].map(Boolean)).to.deep.equal([
      true,
      false,
      true,
    ])
  })

  it('does not store an entry larger than the whole store, and keeps the others', async () => {
    const { kv } = createMemoryStore({ maxEntries: 100, maxBytes: 20 })
    await kv.set('small', 'x')
    await kv.set('large', 'x'.repeat(30))
    expect(await kv.get('large')).to.equal(undefined)
    expect(await kv.get('small')).to.equal('x')
  })

  it('drops the old value when the new one is too large', async () => {
    const { kv } = createMemoryStore({ maxEntries: 100, maxBytes: 20 })
    await kv.set('key', 'old')
    await kv.set('key', 'x'.repeat(30))
    expect(await kv.get('key')).to.equal(undefined)
  })

  describe('with a fake clock', () => {
    let clock: Clock
    beforeEach(() => {
      clock = install({ shouldClearNativeTimers: true })
    })
    afterEach(() => clock.uninstall())

    it('expires cache entries, counters and leases', async () => {
      const { kv, shared } = createMemoryStore({ maxEntries: 100, maxBytes: 1000 })
      await kv.set('key', 'value', 1000)
      await shared.increment('count', 1000)
      await shared.acquire('lease', 1000)

      clock.tick(999)
      expect(await kv.get('key')).to.equal('value')
      expect(await shared.increment('count', 1000)).to.equal(2)
      expect(await shared.acquire('lease', 1000)).to.equal(false)

      clock.tick(1)
      expect(await kv.get('key')).to.equal(undefined)
      expect(await shared.increment('count', 1000)).to.equal(1)
      expect(await shared.acquire('lease', 1000)).to.equal(true)
    })

    it('keeps entries that have not expired while it removes those that have', async () => {
      const { shared } = createMemoryStore({ maxEntries: 100, maxBytes: 1000 })
      await shared.increment('long', 60_000)
      for (let round = 0; round < 5; round += 1) {
        for (let index = 0; index < 1000; index += 1) await shared.acquire(`${round}-${index}`, 10)
        clock.tick(10)
      }
      expect(await shared.increment('long', 60_000)).to.equal(2)
    })
  })
})
