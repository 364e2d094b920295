/** Which responses the store keeps, for which workspace, for how long, and within which limits. */
import { expect } from 'chai'
import { createResponseStore } from '#core/endpoints/stored-responses/response-store'
import { createMemoryCache } from '#store/memory/cache'
import { stopClock } from '../../../support/clock.ts'

const kept = (id: string, text = 'x') => ({
  response: { id, output: [] },
  items: [{ id: `msg_${id}`, text }],
})

describe('the response store', () => {
  const open = (maxEntries = 100, maxBytes = 1_000_000) =>
    createResponseStore(createMemoryCache({ maxEntries, maxBytes }))

  it('separates workspaces', async () => {
    const store = open()
    await store.keep('one', kept('resp_1'))
    expect(await store.find('one', 'resp_1')).to.deep.equal(kept('resp_1'))
    expect(await store.find('two', 'resp_1')).to.equal(null)
    await store.forget('two', 'resp_1')
    expect(await store.find('one', 'resp_1')).not.to.equal(null)
    await store.forget('one', 'resp_1')
    expect(await store.find('one', 'resp_1')).to.equal(null)
  })

  it('evicts the least recently used response', async () => {
    const store = open(2)
    for (const id of ['resp_1', 'resp_2']) await store.keep('w', kept(id))
    await store.find('w', 'resp_1')
    await store.keep('w', kept('resp_3'))
    const found = await Promise.all(['resp_1', 'resp_2', 'resp_3'].map((id) => store.find('w', id)))
    expect(found.map((entry) => entry !== null)).to.deep.equal([true, false, true])
  })

  it('refuses a response larger than the whole store', async () => {
    const store = open(10, 1000)
    await store.keep('w', kept('resp_1', 'x'.repeat(2000)))
    expect(await store.find('w', 'resp_1')).to.equal(null)
  })

  describe('keeps', () => {
    const clock = stopClock()
    it('a response for 30 days', async () => {
      const store = open()
      await store.keep('w', kept('resp_1'))
      await store.noteOwner('resp_2', { workspace: 'w', slug: 's', session: null })
      await clock.tick(29 * 86_400_000)
      expect(await store.find('w', 'resp_1')).not.to.equal(null)
      expect(await store.ownerOf('resp_2')).not.to.equal(null)
      await clock.tick(86_400_001)
      expect(await store.find('w', 'resp_1')).to.equal(null)
      expect(await store.ownerOf('resp_2')).to.equal(null)
    })
  })

  it('a response for its first owner', async () => {
    const store = open()
    await store.noteOwner('resp_1', { workspace: 'one', slug: 'a', session: null })
    await store.noteOwner('resp_1', { workspace: 'two', slug: 'b', session: 'h' })
    expect(await store.ownerOf('resp_1')).to.deep.equal({ workspace: 'one', slug: 'a', session: null })
    await store.forgetOwner('resp_1')
    expect(await store.ownerOf('resp_1')).to.equal(null)
  })

  it('finds nothing for malformed ids', async () => {
    const asked: string[] = []
    const cache = createMemoryCache({ maxEntries: 10, maxBytes: 1000 })
    const store = createResponseStore({ ...cache, get: async (key: string) => void asked.push(key) as never })
    for (const id of ['', 'a:b', '../x', 'x'.repeat(201), 'a b']) {
      expect(await store.find('w', id)).to.equal(null)
      expect(await store.ownerOf(id)).to.equal(null)
    }
    expect(asked).to.deep.equal([])
  })

  it('retries before it reports that the store cannot be read', async () => {
    const cache = createMemoryCache({ maxEntries: 10, maxBytes: 1000 })
    let left = 2
    const get: typeof cache.get = async (key) => {
      left -= 1
      if (left >= 0) throw new Error('slow')
      return cache.get(key)
    }
    const store = createResponseStore({ ...cache, get })
    await store.keep('w', kept('resp_1'))
    expect(await store.find('w', 'resp_1')).not.to.equal(null)
    left = 3
    expect(await store.find('w', 'resp_1').catch((error: Error) => error.message)).to.equal('slow')
  })
})
