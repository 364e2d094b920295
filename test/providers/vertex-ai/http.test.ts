/** Vertex AI through the gateway, with a local server as the cloud and its token service. */
import { expect } from 'chai'
import { jwtVerify } from 'jose'
import {
  chat,
  configHeader,
  json,
  readEvents,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import {
  type Handler,
  openUpstream,
  type SeenRequest,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'
import { publicKey, serviceAccount } from '../fixtures/service-account.ts'

const location = '/v1/projects/sa-project/locations/europe-west1'
const gemini = {
  responseId: 'resp_1',
  candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
}
const claude = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-8',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
}
const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const claudeEvents = [
  event('message_start', { message: { ...claude, content: [], stop_reason: null } }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'ok' } }),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
  event('message_stop', {}),
]

describe('Vertex AI through the gateway', () => {
  let gateway: TestGateway
  let upstream: Upstream

  /** The cloud answers as set by the test, the token service as the vendor documents. */
  function handle(cloud: Handler, tokens: Handler = giveToken): void {
    upstream.handle((request, response, count) =>
      request.path === '/token' ? tokens(request, response, count) : cloud(request, response, count),
    )
  }
  const giveToken: Handler = (_request, response) =>
    sendJson(response, 200, { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' })

  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway({
      providers: {
        vertex: {
          provider: 'vertex-ai',
          custom_host: `${upstream.origin}/v1`,
          configurations: {
            vertex_auth_type: 'serviceAccount',
            vertex_region: 'europe-west1',
            vertex_service_account_json: account('stored@x'),
          },
        },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  beforeEach(() => {
    upstream.seen.length = 0
  })

  const account = (client_email: string) =>
    serviceAccount({ client_email, token_uri: `${upstream.origin}/token` })
  const config = (credential: Record<string, unknown>) =>
    configHeader({
      provider: 'vertex-ai',
      cloudC_region: 'europe-west1',
      custom_host: `${upstream.origin}/v1`,
      ...credential,
    })
  const post = (
    body: Record<string, unknown>,
    headers: Record<string, string>,
    path = '/v1/chat/completions',
  ) => gateway.post(path, body, headers)
  const paths = () => upstream.seen.map(({ path }) => path)
  const last = (): SeenRequest => {
    const seen = upstream.seen[upstream.seen.length - 1]
    if (seen === undefined) throw new Error('nothing was seen')
    return seen
  }

  it('requests a token with a service account once, and uses its project', async () => {
    handle((_request, response) => sendJson(response, 200, gemini))
    const headers = config({ cloudC_service_account_json: account('once@x') })
    for (const _ of [1, 2]) {
      const answer = await post(chat('hello', { model: 'gemini-2.5-flash' }), headers)
      expect(await json(answer)).to.have.nested.property('choices[0].message.content', 'ok')
    }
    const path = `${location}/publishers/google/models/gemini-2.5-flash:generateContent`
    expect(paths()).to.deep.equal(['/token', path, path])
    expect(last().headers).to.include({ authorization: 'Bearer ya29.token' })
    const assertion = new URLSearchParams(upstream.seen[0]?.text).get('assertion') ?? ''
    const { payload } = await jwtVerify(assertion, publicKey)
    expect(payload).to.include({ iss: 'once@x', aud: `${upstream.origin}/token` })
  })

  it('works with a project and an access token, also in a stored credential', async () => {
    handle((_request, response) => sendJson(response, 200, gemini))
    const direct = config({ cloudC_project_id: 'mine', api_key: 'ya29.own' })
    expect((await post(chat('hello', { model: 'gemini-2.5-flash' }), direct)).status).to.equal(200)
    expect(last().path).to.include('/projects/mine/')
    expect(last().headers).to.include({ authorization: 'Bearer ya29.own' })
    expect((await post(chat('hello', { model: '@vertex/gemini-2.5-flash' }), {})).status).to.equal(200)
    expect(last().path).to.equal(`${location}/publishers/google/models/gemini-2.5-flash:generateContent`)
    expect(last().headers).to.include({ authorization: 'Bearer ya29.token' })
  })

  it("returns a refused service account as the provider's 401", async () => {
    handle(
      (_request, response) => sendJson(response, 200, gemini),
      (_request, response) =>
        sendJson(response, 400, { error: 'invalid_grant', error_description: 'Bad key' }),
    )
    const headers = config({ cloudC_service_account_json: account('refused@x') })
    const answer = await post(chat('hello', { model: 'gemini-2.5-flash' }), headers)
    expect(answer.status).to.equal(401)
    expect(await json(answer)).to.deep.include({ provider: 'vertex-ai' })
    expect(paths()).to.deep.equal(['/token'])
  })

  it('sends no assertion to a host that the operator does not trust', async () => {
    const headers = config({
      cloudC_service_account_json: serviceAccount({ token_uri: 'https://tokens.example/token' }),
    })
    const answer = await post(chat('hello', { model: 'gemini-2.5-flash' }), headers)
    expect(answer.status).to.equal(400)
    expect(await json(answer)).to.have.nested.property('error.code', 'host_not_allowed')
  })

  const own = () => config({ cloudC_project_id: 'mine', api_key: 'ya29.own' })

  it('calls Claude, plain and streamed', async () => {
    handle((request, response) =>
      request.json?.stream === true ? sendEvents(response, claudeEvents) : sendJson(response, 200, claude),
    )
    const body = chat('hello', { model: 'anthropic/claude-opus-4-8', max_tokens: 5 })
    expect(await json(await post(body, own()))).to.have.nested.property('choices[0].message.content', 'ok')
    expect(last().path).to.match(/publishers\/anthropic\/models\/claude-opus-4-8:rawPredict$/)
    expect(last().json).to.include({ anthropic_version: 'vertex-2023-10-16' })
    expect(last().json).to.not.have.property('model')
    const events = await readEvents(await post({ ...body, stream: true }, own()))
    expect(last().path).to.match(/claude-opus-4-8:streamRawPredict$/)
    expect(events[events.length - 1]).to.equal('[DONE]')
    expect(events.join('')).to.include('"content":"ok"')
  })

  it('forwards messages to Claude, and counts their tokens', async () => {
    handle((request, response) => {
      const isCount = request.path.includes('count-tokens')
      sendJson(response, 200, isCount ? { input_tokens: 3 } : claude)
    })
    const body = { model: 'claude-opus-4-8', max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] }
    const beta = { ...own(), 'anthropic-beta': 'feature-1', 'anthropic-version': '2023-06-01' }
    const answer = await post(body, beta, '/v1/messages')
    expect(await json(answer)).to.deep.include({ id: 'msg_1', content: [{ type: 'text', text: 'ok' }] })
    expect(last().path).to.match(/publishers\/anthropic\/models\/claude-opus-4-8:rawPredict$/)
    expect(last().json).to.deep.equal({
      max_tokens: 5,
      messages: body.messages,
      anthropic_version: 'vertex-2023-10-16',
    })
    expect(last().headers).to.include({ 'anthropic-beta': 'feature-1' })
    expect(last().headers).to.not.have.property('anthropic-version')
    const { max_tokens: _, ...counted } = body
    expect(await json(await post(counted, own(), '/v1/messages/count_tokens'))).to.include({
      input_tokens: 3,
    })
    expect(last().path).to.match(/publishers\/anthropic\/models\/count-tokens:rawPredict$/)
  })

  it("returns the cloud's error", async () => {
    const error = { code: 403, message: 'Permission denied', status: 'PERMISSION_DENIED' }
    handle((_request, response) => sendJson(response, 403, { error }))
    const answer = await post(chat('hello', { model: 'gemini-2.5-flash' }), own())
    expect(answer.status).to.equal(403)
    expect(await json(answer)).to.have.nested.property('error.type', 'PERMISSION_DENIED')
  })

  it('creates embeddings for several texts with a model that accepts one, in order', async () => {
    handle((request, response) => {
      const { instances } = request.json as { instances: { content: string }[] }
      const values = [Number(instances[0]?.content)]
      sendJson(response, 200, { predictions: [{ embeddings: { values, statistics: { token_count: 2 } } }] })
    })
    const input = Array.from({ length: 20 }, (_, at) => String(at))
    const answer = await post({ model: 'gemini-embedding-001', input }, own(), '/v1/embeddings')
    const { data, usage } = (await json(answer)) as Record<string, unknown>
    expect((data as { embedding: number[] }[]).map(({ embedding }) => embedding[0])).to.deep.equal(
      input.map(Number),
    )
    expect(usage).to.deep.equal({ prompt_tokens: 40, total_tokens: 40 })
    expect(upstream.seen).to.have.length(20)
    expect(last().headers).to.include({ authorization: 'Bearer ya29.own' })
  })

  it('returns the error of one of several embeddings', async () => {
    const error = { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED' }
    handle((_request, response) => sendJson(response, 429, { error }))
    const answer = await post({ model: 'gemini-embedding-001', input: ['a', 'b'] }, own(), '/v1/embeddings')
    expect(answer.status).to.equal(429)
    expect(await json(answer)).to.have.nested.property('error.message', 'Slow down')
  })

  it('generates images', async () => {
    handle((_request, response) =>
      sendJson(response, 200, { candidates: [{ content: { parts: [{ inlineData: { data: 'AAAA' } }] } }] }),
    )
    const answer = await post(
      { model: 'gemini-3-pro-image', prompt: 'A cat' },
      own(),
      '/v1/images/generations',
    )
    expect((await json(answer)).data).to.deep.equal([{ b64_json: 'AAAA' }])
  })

  const wrong: [string, Record<string, unknown>][] = [
    ['no region', { configurations: { vertex_auth_type: 'basic', vertex_project_id: 'p' } }],
    ['no project', { configurations: { vertex_auth_type: 'basic', vertex_region: 'eu' } }],
    ['no account', { configurations: { vertex_auth_type: 'serviceAccount', vertex_region: 'eu' } }],
    ['another mode', { configurations: { vertex_auth_type: 'magic', vertex_region: 'eu' } }],
    [
      'an unknown key',
      { configurations: { vertex_auth_type: 'workload', vertex_region: 'eu', region: 'eu' } },
    ],
  ]
  for (const [what, stored] of wrong) {
    it(`refuses to start with a stored credential with ${what}`, async () => {
      let message = ''
      await startGateway({ providers: { bad: { provider: 'vertex-ai', ...stored } } }).then(
        (started) => started.stop(),
        (error: Error) => {
          message = String(error.message)
        },
      )
      expect(message).to.include('/providers/bad/configurations')
    })
  }
})
