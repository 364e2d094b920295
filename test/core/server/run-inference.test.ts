/**
 * Inference requests of services, run inside the process or in place of a client's request. They are answered like
 * direct calls and recorded once.
 */
import { expect } from 'chai'
import { turnUntil } from '../../support/clock.ts'
import { packageDirectory } from '../../support/fixture-package.ts'
import {
  adminKey,
  chat,
  configHeader,
  startGateway,
  type TestGateway,
  target,
} from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import {
  chatAnswer,
  chatEvents,
  type Handler,
  openUpstream,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'

/**
 * One route rewrites its request to the one in the body. The other runs that request in the process and returns its
 * answer.
 */
const source = `
const read = async ({ status, headers, text, stream }, most = Infinity) => {
  if (stream === null) return { status, headers, text, isStream: false }
  const chunks = []
  let failure = null
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk).toString('utf8'))
      if (chunks.length >= most) break
    }
  } catch (error) {
    failure = error.code ?? 'broken'
  }
  return { status, headers, text: chunks.join(''), isStream: true, failure }
}
const any = { type: 'object', additionalProperties: true }
const rewrite = async ({ body }) => ({ ...body, text: JSON.stringify(body.body) })
let leaving = new AbortController()
const leave = async () => {
  leaving.abort()
  leaving = new AbortController()
  return { status: 200, body: {} }
}
const alone = (context) => async ({ identity, clientIp, body }) => {
  const { most, headers = {}, as, ...call } = body
  const { signal } = leaving
  const known = { ...identity, ...as }
  return { status: 200, body: await read(await context.runInference({ ...call, identity: known, headers, clientIp, signal }), most) }
}
const route = (path, operationId, handle) =>
  ({ method: 'POST', path, operationId, summary: 'Run it', tag: 'Things', scope: null, body: any, handle })
export default {
  name: 'runs', title: 'Runs', needs: ['metrics', 'runInference'], open: (context) => ({ routes: [
    route('/v1/rewritten', 'rewrite', rewrite),
    route('/v1/alone', 'runAlone', alone(context)),
    route('/v1/left', 'leaveInference', leave),
    route('/v1/waiting', 'countInference', async () => ({ status: 200, body: { count: context.metrics.inferenceInFlight() } })),
  ] }),
}`

interface Told {
  status: number
  headers: Record<string, string>
  text: string
  isStream: boolean
  failure?: string | null
}

/** Headers that belong to the connection or differ between requests. */
const ownHeaders = [
  'connection',
  'keep-alive',
  'date',
  'content-length',
  'transfer-encoding',
  'x-request-id',
  'x-gateway-trace-id',
]
const comparable = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !ownHeaders.includes(name))
      // The duration of an attempt differs between calls.
      .map(([name, value]) => [name, name === 'x-gateway-attempts' ? value.replace(/\d+ms/g, 'ms') : value]),
  )
const comparableText = (text: string) => text.replaceAll(/"execution_time":[\d.]+/g, '"execution_time":0')

const denies = (deny: boolean) => ({
  id: 'no-secret',
  checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['secret'] } }],
  deny,
})

describe('an inference request made by a service', () => {
  const packages = packageDirectory()
  let gateway: TestGateway
  let upstream: Upstream
  let answer: Handler = (_request, response) => sendJson(response, 200, chatAnswer('ok'))
  before(async () => {
    upstream = await openUpstream((request, response, count) => answer(request, response, count))
    const directory = await packages.write({ name: 'runs-service', kind: 'service', source })
    gateway = await startGateway({ plugins: { packages: [directory] } })
  })
  beforeEach(() => {
    answer = (_request, response) => sendJson(response, 200, chatAnswer('ok'))
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const leaf = (extra = {}) => configHeader(target(upstream.url, extra))

  /** Compares the answers of the direct call and of both routes. */
  async function compare(path: string, body: unknown, headers: Record<string, string>) {
    const direct = await sent(path, body, headers)
    const rewritten = await sent('/v1/rewritten', { path, body }, headers)
    expect(rewritten).to.deep.equal({
      ...direct,
      headers: { 'cache-control': 'no-store', ...direct.headers },
    })
    const alone = await told('/v1/alone', { path, body, headers })
    expect({
      status: alone.status,
      headers: comparable(alone.headers),
      text: comparableText(alone.text),
    }).to.deep.equal(direct)
    return direct
  }

  async function sent(path: string, body: unknown, headers: Record<string, string>) {
    const reply = await gateway.post(path, body, headers)
    const text = await reply.text().catch(() => 'broken')
    return {
      status: reply.status,
      headers: comparable(Object.fromEntries(reply.headers)),
      text: comparableText(text),
    }
  }

  async function told(
    door: string,
    body: unknown,
    { headers = {}, key = adminKey }: { headers?: Record<string, string>; key?: string } = {},
  ) {
    const reply = await gateway.post(door, body, { ...headers, 'x-gateway-api-key': key })
    expect(reply.status, await reply.clone().text()).to.equal(200)
    return (await reply.json()) as Told
  }

  const rows: {
    name: string
    path?: string
    body?: unknown
    headers: () => Record<string, string>
    answer?: Handler
    status: number
  }[] = [
    { name: 'an answer of the provider', headers: () => leaf(), status: 200 },
    {
      name: 'the echo',
      headers: () => ({ 'x-gateway-provider': 'echo' }),
      status: 200,
      path: '/v1/embeddings',
      body: { model: 'm', input: 'a' },
    },
    { name: 'a body with faults', body: { model: 7 }, headers: () => leaf(), status: 400 },
    { name: 'a config with faults', headers: () => configHeader({ provider: 'nobody' }), status: 400 },
    { name: 'no provider', headers: () => ({}), status: 400 },
    {
      name: 'an error of the provider after retries',
      headers: () => leaf({ retry: { attempts: 1, on_status_codes: [500] } }),
      answer: (_request, response) => sendJson(response, 500, { error: { message: 'down' } }),
      status: 500,
    },
    {
      name: 'a guardrail that fails',
      body: chat('secret'),
      headers: () => leaf({ input_guardrails: [denies(false)] }),
      status: 246,
    },
    {
      name: 'a guardrail that denies',
      body: chat('secret'),
      headers: () => leaf({ input_guardrails: [denies(true)] }),
      status: 446,
    },
    {
      name: 'a stream',
      body: chat('hello', { stream: true }),
      headers: () => leaf(),
      answer: (_request, response) => sendEvents(response, chatEvents('a', 'b')),
      status: 200,
    },
    {
      name: 'a stream that breaks off',
      body: chat('hello', { stream: true }),
      headers: () => leaf(),
      answer: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(chatEvents('a')[0])
        response.write(chatEvents('a')[1], () => response.destroy())
      },
      status: 200,
    },
  ]
  for (const row of rows) {
    it(`is answered like a direct call: ${row.name}`, async () => {
      if (row.answer !== undefined) answer = row.answer
      const { path = '/v1/chat/completions', body = chat() } = row
      const { status, text } = await compare(path, body, row.headers())
      expect(status).to.equal(row.status)
      expect(text).to.not.equal('')
    })
  }

  it('is answered with 404 at an unknown route', async () => {
    const { status } = await told('/v1/alone', { path: '/v1/nowhere', body: {}, headers: leaf() })
    expect(status).to.equal(404)
  })

  it('sends the provider the same body as a direct call', async () => {
    const from = upstream.seen.length
    await compare('/v1/chat/completions', chat('same'), leaf())
    const [direct, ...runs] = upstream.seen.slice(from).map(({ text }) => text)
    expect(runs).to.deep.equal([direct, direct])
  })

  it('is recorded once, under the path that the client called', async () => {
    const from = gateway.logs.length
    const trace = `place-${Date.now()}`
    const prompt = {
      id: 'p',
      slug: 'greeting',
      version: 3,
      config: null,
      virtual_key: null,
      variables: {},
      given: {},
      missing: null,
    }
    const run = { path: '/v1/chat/completions', body: chat(), prompt }
    const reply = await gateway.post('/v1/rewritten', run, { ...leaf(), 'x-gateway-trace-id': trace })
    expect(reply.headers.get('x-gateway-trace-id')).to.equal(trace)
    const lines = gateway.logs.slice(from).filter(({ trace_id }) => trace_id === trace)
    expect(lines).to.have.lengthOf(1)
    expect(lines[0]).to.include({ path: '/v1/rewritten', endpoint: 'chatComplete', provider: 'openai' })
    const entry = await entryOf(reply.headers.get('x-request-id') ?? '')
    expect(entry.fields).to.include({ trace_id: trace, prompt_slug: 'greeting', batch_id: null })
    expect(entry.fields).to.include({ prompt_id: 'p', prompt_version: 3, request_url: '/v1/rewritten' })
  })

  it('has a log entry that names its batch', async () => {
    const headers = { ...leaf(), 'x-gateway-trace-id': 'batch-trace' }
    const run = { path: '/v1/chat/completions', body: chat(), headers, origin: { batch_id: 'gwbatch-1' } }
    const entry = await entryOf((await told('/v1/alone', run)).headers['x-request-id'] ?? '')
    expect(entry.fields).to.include({ trace_id: 'batch-trace', batch_id: 'gwbatch-1', prompt_slug: null })
    expect(entry.fields).to.include({ request_url: '/v1/chat/completions' })
  })

  async function entryOf(id: string) {
    return until('its log entry is stored', async () => {
      const found = await gateway.runtime.store.log.list({ ids: [id] }, { limit: 2 })
      return found[0]
    })
  }

  it('is aborted by its signal', async () => {
    let isCalled = false
    let isClosed = false
    answer = (_request, response) => {
      isCalled = true
      response.on('close', () => {
        isClosed = true
      })
    }
    const run = { path: '/v1/chat/completions', body: chat(), headers: leaf() }
    const asked = told('/v1/alone', run)
    await turnUntil(() => isCalled, 'the provider is called')
    expect((await gateway.post('/v1/left', {})).status).to.equal(200)
    const { status, text } = await asked
    expect(status).to.equal(499)
    expect(JSON.parse(text).error.code).to.equal('client_closed_request')
    await turnUntil(() => isClosed, 'the end of the call of the provider')
  })

  it('is aborted when its reader stops before the last event', async () => {
    let isClosed = false
    answer = (_request, response) => {
      response.on('close', () => {
        isClosed = true
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of chatEvents('a').slice(0, 2)) response.write(event)
    }
    const before = gateway.runtime.inFlight.count
    const body = chat('hello', { stream: true })
    const run = { path: '/v1/chat/completions', body, headers: leaf(), most: 1 }
    expect((await told('/v1/alone', run)).isStream).to.equal(true)
    await turnUntil(() => isClosed, 'the end of the call of the provider')
    await turnUntil(() => gateway.runtime.inFlight.count === before, 'the end of the request')
  })

  it("is refused when the caller's key is archived", async () => {
    const made = (await (
      await gateway.post('/v1/api-keys/workspace/service', {
        name: 'runner',
        scopes: ['completions.write'],
        workspace_id: 'default',
      })
    ).json()) as { id: string; key: string }
    const run = { path: '/v1/chat/completions', body: chat(), headers: leaf() }
    expect((await told('/v1/alone', run, { key: made.key })).status).to.equal(200)
    const as = { type: 'workspace-service', keyId: made.id, keyVersion: 1 }
    await gateway.runtime.identities.flush()
    await fetch(`${gateway.url}/v1/api-keys/${made.id}`, {
      method: 'DELETE',
      headers: { 'x-gateway-api-key': adminKey },
    })
    const { status, text } = await told('/v1/alone', { ...run, as })
    expect(status).to.equal(401)
    expect(JSON.parse(text).error.code).to.equal('invalid_api_key')
  })

  it('counts as in flight up to its last byte, like a client’s; other calls do not', async () => {
    const count = async () => {
      const reply = await gateway.post('/v1/waiting', {})
      return ((await reply.json()) as { count: number }).count
    }
    expect(await count()).to.equal(0)
    const held: (() => void)[] = []
    answer = async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const [first, ...rest] = chatEvents('one', 'two')
      response.write(first)
      await new Promise<void>((resolve) => held.push(resolve))
      response.end(rest.join(''))
    }
    const body = chat('hello', { stream: true })
    for (const door of ['/v1/chat/completions', '/v1/alone'] as const) {
      const given = door === '/v1/alone' ? { path: '/v1/chat/completions', body, headers: leaf() } : body
      const reply = gateway.post(door, given, leaf())
      await until('the provider holds its answer back', () => held.length === 1)
      expect(await count()).to.equal(1)
      held.pop()?.()
      await (await reply).text()
      await until('it has ended', async () => (await count()) === 0)
    }
  })
})
