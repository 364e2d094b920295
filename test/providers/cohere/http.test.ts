/** Cohere behind the gateway, with a local server at a custom host. */
import { expect } from 'chai'
import OpenAI from 'openai'
import { adminKey, configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'
import { openUpstream, sendEvents, sendJson, type Upstream } from '../../support/upstream.ts'
import { textAnswer } from './fixtures/chat.ts'
import { textStream } from './fixtures/streams.ts'

describe('Cohere behind the gateway', () => {
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

  const config = () => ({ provider: 'cohere', api_key: 'co-key', custom_host: `${upstream.origin}/v2` })
  const ask = async (path: string, body: object) =>
    readReply(await gateway.post(path, body, configHeader(config())))
  const chat = { model: 'command-a', messages: [{ role: 'user', content: 'Hi' }] }
  const last = () => upstream.seen[upstream.seen.length - 1]

  it('answers a chat', async () => {
    upstream.handle((_request, response) => sendJson(response, 200, textAnswer))
    const reply = await ask('/v1/chat/completions', chat)
    expect(reply.status).to.equal(200)
    expect(reply.body).to.deep.include({ object: 'chat.completion', model: 'command-a' })
    expect(last()).to.include({ method: 'POST', path: '/v2/chat' })
    expect(last()?.headers.authorization).to.equal('Bearer co-key')
    expect(last()?.json).to.deep.equal(chat)
  })

  it('streams a chat to the unmodified openai client', async () => {
    const events = textStream.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`)
    upstream.handle((_request, response) => sendEvents(response, events))
    const client = new OpenAI({
      apiKey: adminKey,
      baseURL: `${gateway.url}/v1`,
      maxRetries: 0,
      defaultHeaders: configHeader(config()),
    })
    const stream = await client.chat.completions.create({
      model: 'command-a',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let total: number | undefined
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      total = chunk.usage?.total_tokens ?? total
    }
    expect([text, total]).to.deep.equal(['Hello', 74])
    expect(last()?.json).to.deep.equal({ ...chat, stream: true })
  })

  it('reports a stream that breaks off', async () => {
    upstream.handle((_request, response) =>
      sendEvents(
        response,
        textStream.slice(0, 3).map(({ data }) => `data: ${data}\n\n`),
      ),
    )
    const { text } = await ask('/v1/chat/completions', { ...chat, stream: true })
    expect(text).to.contain('Hel').and.to.contain('upstream_invalid_response')
    expect(text).to.not.contain('[DONE]')
  })

  it('keeps the status and message of an error', async () => {
    upstream.handle((_request, response) =>
      sendJson(
        response,
        { status: 429, headers: { 'retry-after': '7' } },
        { id: 'x', message: 'trial key limit' },
      ),
    )
    const reply = await ask('/v1/chat/completions', chat)
    expect(reply.status).to.equal(429)
    expect(reply.error.message).to.equal('trial key limit')
    expect(reply.body.provider).to.equal('cohere')
    expect(reply.headers.get('retry-after')).to.equal('7')
  })

  it('answers a generation that failed with 502', async () => {
    upstream.handle((_request, response) =>
      sendJson(response, 200, { ...textAnswer, finish_reason: 'ERROR' }),
    )
    expect((await ask('/v1/chat/completions', chat)).status).to.equal(502)
  })

  it('creates embeddings for the unmodified openai client, which requests base64', async () => {
    upstream.handle((_request, response) => sendJson(response, 200, { embeddings: { float: [[0.5, -1]] } }))
    const client = new OpenAI({
      apiKey: adminKey,
      baseURL: `${gateway.url}/v1`,
      defaultHeaders: configHeader(config()),
    })
    const answer = await client.embeddings.create({ model: 'embed-v4.0', input: 'a' })
    expect(answer.data[0]?.embedding).to.deep.equal([0.5, -1])
    expect(last()).to.include({ path: '/v2/embed' })
    expect(last()?.json?.embedding_types).to.deep.equal(['base64'])
  })

  it('reranks', async () => {
    upstream.handle((_request, response) =>
      sendJson(response, 200, {
        id: 'r',
        results: [{ index: 0, relevance_score: 0.9 }],
        meta: { billed_units: { search_units: 1 } },
      }),
    )
    const body = { model: 'cohere/rerank-v3.5', query: 'q', documents: ['a'], return_documents: true }
    const reply = await ask('/v1/rerank', body)
    expect(reply.body).to.deep.include({
      usage: { search_units: 1 },
      results: [{ index: 0, relevance_score: 0.9, document: { text: 'a' } }],
    })
    expect(last()).to.include({ path: '/v2/rerank' })
    expect(last()?.json).to.deep.equal({ model: 'rerank-v3.5', query: 'q', documents: ['a'] })
  })

  it('does not support text completions', async () => {
    const reply = await ask('/v1/completions', { model: 'command', prompt: 'x' })
    expect([reply.status, reply.error.code]).to.deep.equal([400, 'unsupported_endpoint'])
  })
})
