/** The Gemini API through the gateway, with a local server as the vendor. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import {
  chat,
  configHeader,
  json,
  readEvents,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import {
  openUpstream,
  type SeenRequest,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'
import type { Answer } from './fixtures/chat.ts'

const says = (text: string, rest: JsonObject = {}): Answer => ({
  responseId: 'resp_1',
  modelVersion: 'gemini-2.5-flash-001',
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...rest }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
})
const sse = (answer: unknown): string => `data: ${JSON.stringify(answer)}\r\n\r\n`
const contents = (text: string): JsonObject[] => [{ role: 'user', parts: [{ text }] }]

describe('Google Gemini through the gateway', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let config: Record<string, string>

  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway({
      providers: {
        gemini: { provider: 'google', api_key: 'AIza-secret-key', custom_host: `${upstream.origin}/v1beta` },
      },
    })
    config = configHeader({
      provider: 'google',
      api_key: 'AIza-secret-key',
      custom_host: `${upstream.origin}/v1beta`,
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const post = (body: Record<string, unknown>, path = '/v1/chat/completions') =>
    gateway.post(path, body, config)
  function lastSeen(): SeenRequest {
    const last = upstream.seen[upstream.seen.length - 1]
    if (last === undefined) throw new Error('nothing was seen')
    return last
  }

  it('answers a chat, with the key in a header and not in the URL', async () => {
    upstream.handle((_request, response) => sendJson(response, 200, says('ok', { finishReason: 'STOP' })))
    const answer = await post(chat('hello', { model: 'gemini-2.5-flash' }))
    expect(answer.status).to.equal(200)
    expect(await json(answer)).to.deep.include({
      id: 'resp_1',
      model: 'gemini-2.5-flash-001',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'ok', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    })
    expect(lastSeen().path).to.equal('/v1beta/models/gemini-2.5-flash:generateContent')
    expect(lastSeen().headers).to.include({ 'x-goog-api-key': 'AIza-secret-key' })
    expect(lastSeen().headers).to.not.have.property('authorization')
    expect(lastSeen().json).to.deep.equal({ contents: contents('hello') })
  })

  it('streams, with usage when it was requested', async () => {
    upstream.handle((_request, response) =>
      sendEvents(response, [sse(says('o')), sse(says('k', { finishReason: 'STOP' }))]),
    )
    const body = chat('hello', {
      model: 'tunedModels/mine',
      stream: true,
      stream_options: { include_usage: true },
    })
    const events = await readEvents(await post(body))
    expect(lastSeen().path).to.equal('/v1beta/tunedModels/mine:streamGenerateContent?alt=sse')
    expect(events.pop()).to.equal('[DONE]')
    const chunks = events.map((data) => JSON.parse(data))
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? chunk.usage?.total_tokens)).to.deep.equal(
      ['', 'o', 'k', undefined, 5],
    )
  })

  it('ends a stream that breaks off with an error and without [DONE]', async () => {
    upstream.handle((_request, response) => sendEvents(response, [sse(says('o'))]))
    const events = await readEvents(await post(chat('hello', { model: 'gemini-2.5-flash', stream: true })))
    expect(JSON.parse(events[events.length - 1] ?? '')).to.have.nested.property('error.code')
  })

  const error = {
    code: 429,
    message: 'Quota exceeded for AIza-secret-key',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED' }],
  }
  for (const [form, body] of [
    ['an object', { error }],
    ['a list, as a stream has it', [{ error }]],
  ] as const) {
    it(`returns the vendor's error, sent as ${form}, with its status and without the key`, async () => {
      upstream.handle((_request, response) =>
        sendJson(response, { status: 429, headers: { 'retry-after': '7' } }, body),
      )
      const answer = await post(chat('hello', { model: 'gemini-2.5-flash' }))
      expect(answer.status).to.equal(429)
      expect(answer.headers.get('retry-after')).to.equal('7')
      expect(await json(answer)).to.deep.include({
        provider: 'google',
        error: {
          message: 'Quota exceeded for ***',
          type: 'RESOURCE_EXHAUSTED',
          param: null,
          code: 'RATE_LIMIT_EXCEEDED',
        },
      })
    })
  }

  it('creates embeddings', async () => {
    upstream.handle((_request, response) =>
      sendJson(response, 200, { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] }),
    )
    const answer = await post({ model: 'gemini-embedding-001', input: ['a', 'b'] }, '/v1/embeddings')
    expect(lastSeen().path).to.equal('/v1beta/models/gemini-embedding-001:batchEmbedContents')
    const { data } = await json(answer)
    expect(data).to.deep.equal([
      { object: 'embedding', index: 0, embedding: [1, 2] },
      { object: 'embedding', index: 1, embedding: [3, 4] },
    ])
  })

  // Source: https://ai.google.dev/api/models#method:-models.list
  it('lists the models of the key', async () => {
    upstream.handle((_request, response) =>
      sendJson(response, 200, {
        models: [
          { name: 'models/gemini-2.5-flash', displayName: 'Gemini 2.5 Flash' },
          { name: 'models/x' },
          {},
        ],
      }),
    )
    const { data } = (await json(await gateway.get('/v1/models'))) as Record<string, unknown>
    expect(lastSeen()).to.deep.include({ method: 'GET', path: '/v1beta/models?pageSize=1000' })
    expect((data as JsonObject[]).map(({ id, name }) => [id, name])).to.deep.equal([
      ['@gemini/gemini-2.5-flash', 'Gemini 2.5 Flash'],
      ['@gemini/x', 'x'],
    ])
  })

  it('does not support images and rerank', async () => {
    const answer = await post({ prompt: 'A cat', model: 'x' }, '/v1/images/generations')
    expect(answer.status).to.equal(400)
    expect(await json(answer)).to.have.nested.property('error.code', 'unsupported_endpoint')
  })
})
