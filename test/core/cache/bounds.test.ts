/** The cache is limited in entries and in bytes; answers that do not fit are still returned. */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import {
  chatAnswer,
  chatEvents,
  openUpstream,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'
import { cached, cacheStatus, chatPath } from './support.ts'

const large = 'x'.repeat(10_000)

describe('a cache that is full', () => {
  let gateway: TestGateway
  let upstream: Upstream

  before(async () => {
    upstream = await openUpstream(({ json }, response) => {
      const { messages, stream } = json as { messages: { content: string }[]; stream?: boolean }
      const words = messages[0]?.content.startsWith('large') ? large : 'small'
      if (stream === true) sendEvents(response, chatEvents(words))
      else sendJson(response, 200, chatAnswer(words))
    })
  })
  after(() => upstream.close())
  afterEach(() => gateway.stop())

  const ask = (words: string, stream = false) =>
    cacheStatus(gateway.post(chatPath, chat(words, { stream }), cached(upstream.url)))

  it('evicts the least recently used entry', async () => {
    gateway = await startGateway({ cache: { max_entries: 2 } })
    expect(await ask('a')).to.equal('MISS')
    expect(await ask('b')).to.equal('MISS')
    expect(await ask('a')).to.equal('HIT')
    expect(await ask('c')).to.equal('MISS')
    expect(await ask('a')).to.equal('HIT')
    expect(await ask('b')).to.equal('MISS')
  })

  it('stores no more bytes than its limit', async () => {
    gateway = await startGateway({ cache: { max_bytes: '25kb' } })
    for (const words of ['large 1', 'large 2', 'large 3']) expect(await ask(words)).to.equal('MISS')
    expect(await ask('large 3')).to.equal('HIT')
    expect(await ask('large 1')).to.equal('MISS')
  })

  for (const stream of [false, true]) {
    it(`does not store a ${stream ? 'stream' : 'plain answer'} larger than the whole cache, and keeps the other entries`, async () => {
      gateway = await startGateway({ cache: { max_bytes: '5kb' } })
      expect(await ask('small', stream)).to.equal('MISS')
      for (let count = 0; count < 2; count += 1) expect(await ask('large', stream)).to.equal('MISS')
      expect(await ask('small', stream)).to.equal('HIT')
    })
  }
})
