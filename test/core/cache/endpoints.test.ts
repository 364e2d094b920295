/** Every inference endpoint is cached separately. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { cacheStatus } from './support.ts'

interface Row {
  path: string
  provider: string
  body: Record<string, unknown>
  answer: Record<string, unknown>
}

const completion = {
  id: 'c',
  object: 'text_completion',
  choices: [{ index: 0, text: 'ok', finish_reason: 'stop' }],
}

const rows: Row[] = [
  { path: '/v1/chat/completions', provider: 'openai', body: chat('hi'), answer: chatAnswer('ok') },
  { path: '/v1/completions', provider: 'openai', body: { model: 'm', prompt: 'hi' }, answer: completion },
  {
    path: '/v1/embeddings',
    provider: 'openai',
    body: { model: 'm', input: 'hi' },
    answer: { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5] }] },
  },
  {
    path: '/v1/images/generations',
    provider: 'openai',
    body: { model: 'm', prompt: 'hi' },
    answer: { created: 1, data: [{ url: 'https://images.example/1' }] },
  },
  {
    path: '/v1/rerank',
    provider: 'jina',
    body: { model: 'm', query: 'hi', documents: ['a', 'b'] },
    answer: { id: 'r', results: [{ index: 1, relevance_score: 0.5 }] },
  },
]

describe('the cache of an endpoint', () => {
  let gateway: TestGateway
  let upstream: Upstream

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  for (const { path, provider, body, answer } of rows) {
    it(`serves ${path}`, async () => {
      upstream.handle((_request, response) => sendJson(response, 200, answer))
      const config = configHeader({ ...target(upstream.url), provider, cache: { mode: 'simple' } })
      const bodies = []
      for (const expected of ['MISS', 'HIT']) {
        const response = await gateway.post(path, body, config)
        expect(response.status).to.equal(200)
        expect(response.headers.get('x-gateway-cache-status')).to.equal(expected)
        bodies.push(await response.text())
      }
      expect(bodies[1]).to.equal(bodies[0])
    })
  }

  it('does not answer the same body sent to another endpoint', async () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'same' }], prompt: 'same' }
    upstream.handle(({ path }, response) =>
      sendJson(response, 200, path.endsWith('/chat/completions') ? chatAnswer('chat') : completion),
    )
    const config = configHeader({ ...target(upstream.url), cache: { mode: 'simple' } })
    expect(await cacheStatus(gateway.post('/v1/chat/completions', body, config))).to.equal('MISS')
    expect(await cacheStatus(gateway.post('/v1/completions', body, config))).to.equal('MISS')
    expect(await cacheStatus(gateway.post('/v1/completions', body, config))).to.equal('HIT')
  })
})
