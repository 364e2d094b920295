/** Ollama behind the gateway, with a local server at a custom host. */
import { expect } from 'chai'
import OpenAI from 'openai'
import { adminKey, configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'
import { answerOk, type Handler, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { lineOf, metrics } from './fixtures.ts'

const chat = { model: 'qwen3:8b', messages: [{ role: 'user', content: 'Hi' }] }

describe('Ollama behind the gateway', () => {
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
  beforeEach(() => {
    upstream.seen.length = 0
  })

  const config = (path = '/v1', extra = {}) => ({
    provider: 'ollama',
    custom_host: upstream.origin + path,
    ...extra,
  })
  const ask = async (path: string, body: object, settings: object = config()) =>
    readReply(await gateway.post(path, body, configHeader(settings)))
  const paths = () => upstream.seen.map(({ path }) => path)

  for (const path of ['/v1', '']) {
    it(`answers a chat in the compatible format at ${path === '' ? 'a base URL without version' : path}`, async () => {
      upstream.handle(answerOk)
      const reply = await ask('/v1/chat/completions', chat, config(path, { api_key: 'sk-secret' }))
      expect(reply.status).to.equal(200)
      expect(paths()).to.deep.equal(['/v1/chat/completions'])
      expect(upstream.seen[0]?.headers).to.not.have.property('authorization')
      expect(upstream.seen[0]?.json).to.deep.equal(chat)
    })

    it(`answers requests that only the native format supports at /api/chat of "${path}"`, async () => {
      upstream.handle((_request, response) => sendJson(response, 200, lineOf({ content: 'ok' }, metrics)))
      const reply = await ask('/v1/chat/completions', { ...chat, options: { num_ctx: 8192 } }, config(path))
      expect(reply.body).to.deep.include({ object: 'chat.completion' })
      expect(paths()).to.deep.equal(['/api/chat'])
      expect(upstream.seen[0]?.json).to.deep.equal({ ...chat, stream: false, options: { num_ctx: 8192 } })
    })
  }

  it('inlines images', async () => {
    upstream.handle((request, response, count) => {
      if (request.path !== '/a.png') return answerOk(request, response, count)
      response.writeHead(200, { 'content-type': 'image/png' })
      response.end('hi')
    })
    const content = [{ type: 'image_url', image_url: { url: `${upstream.origin}/a.png` } }]
    await ask('/v1/chat/completions', { ...chat, messages: [{ role: 'user', content }] })
    expect(upstream.seen[1]?.json?.messages).to.deep.equal([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] },
    ])
  })

  const sendLines =
    (lines: object[]): Handler =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      for (const line of lines) response.write(`${JSON.stringify(line)}\n`)
      response.end()
    }

  it('streams lines as events', async () => {
    upstream.handle(sendLines([lineOf({ content: 'Hel' }), lineOf({ content: 'lo' }), lineOf({}, metrics)]))
    const { text } = await ask('/v1/chat/completions', { ...chat, think: false, stream: true })
    expect(text).to.contain('"content":"Hel"').and.to.contain('"content":"lo"')
    expect(text.endsWith('data: [DONE]\n\n')).to.equal(true)
  })

  it('reports a stream that breaks off', async () => {
    upstream.handle(sendLines([lineOf({ content: 'Hel' }), { error: 'GPU on fire' }]))
    const { text } = await ask('/v1/chat/completions', { ...chat, think: false, stream: true })
    expect(text).to.contain('GPU on fire').and.to.not.contain('[DONE]')
  })

  it('answers text completions in the compatible format', async () => {
    upstream.handle((_request, response) =>
      sendJson(response, 200, { object: 'text_completion', choices: [] }),
    )
    await ask('/v1/completions', { model: 'm', prompt: 'x' })
    expect(paths()).to.deep.equal(['/v1/completions'])
  })

  it('creates embeddings in one call, for an unmodified client', async () => {
    upstream.handle((_request, response) =>
      sendJson(response, 200, { model: 'm', embeddings: [[0.5], [-1]], prompt_eval_count: 3 }),
    )
    const client = new OpenAI({
      apiKey: adminKey,
      baseURL: `${gateway.url}/v1`,
      defaultHeaders: configHeader(config()),
    })
    const answer = await client.embeddings.create({ model: 'm', input: ['a', 'b'], dimensions: 1 })
    expect(answer.data.map(({ embedding }) => embedding)).to.deep.equal([[0.5], [-1]])
    expect(answer.usage).to.deep.equal({ prompt_tokens: 3, total_tokens: 3 })
    expect(paths()).to.deep.equal(['/api/embed'])
    expect(upstream.seen[0]?.json).to.deep.equal({ model: 'm', input: ['a', 'b'], dimensions: 1 })
  })

  it('creates embeddings one by one when the server is old', async () => {
    upstream.handle((request, response) => {
      if (request.path !== '/api/embeddings') return void response.writeHead(404).end('404 page not found')
      sendJson(response, 200, { embedding: [request.json?.prompt === 'a' ? 1 : 2] })
    })
    const reply = await ask('/v1/embeddings', { model: 'm', input: ['a', 'b'] })
    expect(reply.body.data).to.deep.equal([
      { object: 'embedding', index: 0, embedding: [1] },
      { object: 'embedding', index: 1, embedding: [2] },
    ])
    expect(paths()).to.deep.equal(['/api/embed', '/api/embeddings', '/api/embeddings'])
  })

  it('creates embeddings one by one when the server has only the older endpoint', async () => {
    upstream.handle((_request, response) => sendJson(response, 200, { embedding: [1] }))
    const reply = await ask('/v1/embeddings', { model: 'm', input: ['a', 'b'] })
    expect(reply.body.data).to.have.length(2)
  })

  it('reports a missing model', async () => {
    const error = 'model "m" not found, try pulling it first'
    upstream.handle((_request, response) => sendJson(response, 404, { error }))
    const reply = await ask('/v1/embeddings', { model: 'm', input: 'a' })
    expect([reply.status, reply.error.message]).to.deep.equal([404, error])
  })

  it('keeps the status of an error', async () => {
    upstream.handle((_request, response) => sendJson(response, 400, { error: 'invalid input type' }))
    const reply = await ask('/v1/embeddings', { model: 'm', input: 'a' })
    expect([reply.status, reply.error.message]).to.deep.equal([400, 'invalid input type'])
    expect(reply.body.provider).to.equal('ollama')
  })

  it('reports a server that cannot be reached', async () => {
    const reply = await ask(
      '/v1/embeddings',
      { model: 'm', input: 'a' },
      {
        provider: 'ollama',
        custom_host: 'http://127.0.0.1:9/v1',
      },
    )
    expect([reply.status, reply.error.code]).to.deep.equal([502, 'upstream_unreachable'])
  })
})
