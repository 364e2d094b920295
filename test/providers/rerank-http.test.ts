/** Reranking behind the gateway, with local servers at custom hosts. */
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway } from '../support/gateway.ts'
import { readReply } from '../support/scene.ts'
import { openUpstream, sendJson, type Upstream } from '../support/upstream.ts'

const rows = [
  { index: 0, relevance_score: 0.2, score: 0.2 },
  { index: 1, relevance_score: 0.8, score: 0.8 },
]
const shapes: Record<string, object> = {
  cohere: { results: rows, meta: { billed_units: { search_units: 1 } } },
  jina: { model: 'm', results: rows, usage: { total_tokens: 5 } },
  voyage: { object: 'list', data: rows, usage: { total_tokens: 5 } },
  pinecone: { model: 'm', data: rows, usage: { rerank_units: 1 } },
}

describe('reranking behind the gateway', () => {
  let gateway: TestGateway
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  async function rerank(provider: string, path: string) {
    const custom_host = upstream.origin + path
    const config = { provider, api_key: 'key', custom_host }
    const body = { model: `${provider}/m`, query: 'q', documents: ['a', 'b'], return_documents: true }
    return readReply(await gateway.post('/v1/rerank', body, configHeader(config)))
  }
  const last = () => upstream.seen[upstream.seen.length - 1]

  const targets: [provider: string, host: string, path: string, header: string, value: string][] = [
    ['cohere', '/v2', '/v2/rerank', 'authorization', 'Bearer key'],
    ['jina', '/v1', '/v1/rerank', 'authorization', 'Bearer key'],
    ['voyage', '/v1', '/v1/rerank', 'authorization', 'Bearer key'],
    ['pinecone', '', '/rerank', 'api-key', 'key'],
  ]
  for (const [provider, host, path, header, value] of targets) {
    it(`calls ${provider} at ${path} and returns one format`, async () => {
      upstream.handle((_request, response) => sendJson(response, 200, shapes[provider]))
      const reply = await rerank(provider, host)
      expect(reply.status).to.equal(200)
      expect(reply.body).to.deep.include({
        object: 'list',
        provider,
        results: [
          { index: 1, relevance_score: 0.8, document: { text: 'b' } },
          { index: 0, relevance_score: 0.2, document: { text: 'a' } },
        ],
      })
      expect(last()).to.include({ method: 'POST', path })
      expect(last()?.headers[header]).to.equal(value)
      expect(last()?.json?.model).to.equal('m')
    })
  }

  it('sends the API version that Pinecone requires', async () => {
    upstream.handle((_request, response) => sendJson(response, 200, shapes.pinecone))
    await rerank('pinecone', '')
    expect(last()?.headers['x-pinecone-api-version']).to.match(/^\d{4}-\d{2}$/)
  })

  it('keeps the status and message of an error', async () => {
    const error = { code: 'INVALID_ARGUMENT', message: 'no such model' }
    upstream.handle((_request, response) => sendJson(response, 400, { status: 400, error }))
    const reply = await rerank('pinecone', '')
    expect([reply.status, reply.error.message, reply.error.code]).to.deep.equal([
      400,
      'no such model',
      'INVALID_ARGUMENT',
    ])
  })
})
