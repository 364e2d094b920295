/**
 * OpenTelemetry traces (contract section 1): spans, their attributes, trace context, sampling, and data that they never
 * contain.
 */
import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Collector, openCollector, type Span } from '../../support/collector.ts'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import {
  answerOk,
  chatEvents,
  openUpstream,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'

/** Another one for each test: spans of the test before may still come. */
let traceId = ''
const parentId = 'b7ad6b7169203331'

describe('traces over OTLP/HTTP', () => {
  let collector: Collector
  let upstream: Upstream
  let gateway: TestGateway
  before(async () => {
    collector = await openCollector()
    upstream = await openUpstream()
    gateway = await startGateway({
      telemetry: {
        otlp_endpoint: collector.origin,
        headers: { 'x-collector-key': 'k-1' },
        service_name: 'front',
        export_interval_ms: 100,
      },
      providers: { main: { provider: 'openai', api_key: 'sk-secret', custom_host: upstream.url } },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await collector.close()
  })
  beforeEach(() => {
    upstream.handle(answerOk)
    collector.spans.length = 0
    traceId = randomBytes(16).toString('hex')
  })

  const stored = configHeader({ provider: '@main' })
  /** The spans of the newest request, once its server span has come. */
  async function spansOf(id: string): Promise<{ server: Span; clients: Span[]; inner: Span[] }> {
    const own = () => collector.spans.filter((span) => span.traceId === id)
    const server = await until('a server span', () => own().find(({ kind }) => kind === 'SERVER'))
    const of = (kind: Span['kind']) => own().filter((span) => span.kind === kind)
    return { server, clients: of('CLIENT'), inner: of('INTERNAL') }
  }
  const traced = (flags = '01') => ({ traceparent: `00-${traceId}-${parentId}-${flags}` })

  it("exports a server span and a client span by the semantic conventions, in the caller's trace", async () => {
    const answer = await gateway.post('/v1/chat/completions', chat('a very private text'), {
      ...stored,
      ...traced(),
    })
    expect(answer.status).to.equal(200)
    const { server, clients } = await spansOf(traceId)
    expect(server).to.include({ name: 'POST /v1/chat/completions', parentSpanId: parentId, isError: false })
    expect(server.attributes).to.include({
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'gateway.endpoint': 'chatComplete',
      'gateway.cache_status': 'DISABLED',
      'gateway.request_id': answer.headers.get('x-request-id'),
    })
    expect(clients).to.have.length(1)
    const [client] = clients as [Span]
    expect(client).to.include({ name: 'chat test-model', parentSpanId: server.spanId, isError: false })
    expect(client.attributes).to.deep.equal({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'test-model',
      'gen_ai.response.model': 'test-model',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.usage.output_tokens': 2,
      'http.response.status_code': 200,
      'gateway.virtual_key': 'main',
      'gateway.target_path': 'config',
      'gateway.stream': false,
    })
    expect(server.startMs).to.be.at.most(client.startMs)
    expect(server.endMs).to.be.at.least(client.endMs)
    // The provider continues the trace below the client span.
    expect(upstream.seen.at(-1)?.headers.traceparent).to.equal(`00-${traceId}-${client.spanId}-01`)
    expect(collector.resource).to.include({ 'service.name': 'front' })
    const [sent] = collector.requests.filter(({ path }) => path === '/v1/traces')
    expect(sent?.headers['x-collector-key']).to.equal('k-1')
    const all = collector.requests.map(({ text }) => text).join()
    for (const secret of ['private text', 'sk-secret', '127.0.0.1']) expect(all).not.to.include(secret)
  })

  it('ends the span of a stream with its last byte, with the first token as an event', async () => {
    let end: () => void = () => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    upstream.handle(async (_request, response) => {
      const [first = '', ...rest] = chatEvents('one', 'two')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(first + rest[0])
      await ended
      for (const event of rest.slice(1)) response.write(event)
      response.end()
    })
    const answer = await gateway.post('/v1/chat/completions', chat('x', { stream: true }), {
      ...stored,
      ...traced(),
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    end()
    await answer.text()
    const { clients } = await spansOf(traceId)
    const [client] = clients as [Span]
    expect(client.events.map(({ name }) => name)).to.deep.equal(['gateway.first_token'])
    const firstMs = client.events[0]?.atMs ?? Number.NaN
    expect(firstMs).to.be.at.least(client.startMs)
    expect(client.endMs - firstMs).to.be.at.least(45)
    expect(client.attributes).to.deep.include({
      'gateway.stream': true,
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': ['stop'],
    })
  })

  it('exports one client span per attempt: a retry, a fallback, a failed connection', async () => {
    upstream.handle((_request, response, count) => {
      if (count % 3 === 0) answerOk(upstream.seen.at(-1) as never, response, count)
      else sendJson(response, 503, { error: { message: 'busy' } })
    })
    const closed = await openUpstream()
    await closed.close()
    const before = upstream.seen.length
    const config = {
      strategy: { mode: 'fallback' },
      targets: [
        target(closed.url),
        { ...target(upstream.url), retry: { attempts: 5, on_status_codes: [503] } },
      ],
    }
    await gateway.post('/v1/chat/completions', chat(), { ...configHeader(config), ...traced() })
    const { clients, server } = await spansOf(traceId)
    expect(clients).to.have.length(1 + upstream.seen.length - before)
    const said = clients.map(({ isError, attributes }) => [
      attributes['gateway.target_path'],
      attributes['error.type'] ?? null,
      isError,
    ])
    expect(said[0]).to.deep.equal(['config.targets[0]', 'connection', true])
    expect(said.at(-1)).to.deep.equal(['config.targets[1]', null, false])
    for (const each of said.slice(1, -1)) expect(each).to.deep.equal(['config.targets[1]', '503', true])
    expect(server.isError).to.equal(false)
    const sent = upstream.seen.slice(before).map(({ headers }) => headers.traceparent)
    expect(sent).to.deep.equal(clients.slice(1).map(({ spanId }) => `00-${traceId}-${spanId}-01`))
  })

  it('exports inner spans for guardrail checks and the cache', async () => {
    const config = {
      ...target(upstream.url),
      cache: { mode: 'simple' },
      input_guardrails: [{ 'default.contains': { operator: 'none', words: ['forbidden'] } }],
    }
    const statuses: unknown[] = []
    for (const digit of ['1', '2']) {
      traceId = digit.repeat(32)
      await gateway.post('/v1/chat/completions', chat('cached'), { ...configHeader(config), ...traced() })
      const { inner, clients, server } = await spansOf(traceId)
      const cache = inner.find(({ name }) => name === 'cache lookup')
      statuses.push([cache?.attributes['gateway.cache_status'], clients.length])
      const check = inner.find(({ name }) => name === 'guardrail default.contains')
      expect(check?.parentSpanId).to.equal(server.spanId)
      expect(check?.attributes).to.deep.equal({
        'gateway.guardrail.check': 'default.contains',
        'gateway.guardrail.verdict': true,
      })
    }
    expect(statuses).to.deep.equal([
      ['MISS', 1],
      ['HIT', 0],
    ])
  })

  it('marks server errors as errors, and not errors of the caller', async () => {
    upstream.handle((_request, response) => sendJson(response, 500, { error: { message: 'no' } }))
    await gateway.post('/v1/chat/completions', chat(), { ...stored, ...traced() })
    const failed = await spansOf(traceId)
    expect([failed.server.isError, failed.clients[0]?.isError]).to.deep.equal([true, true])
    expect(failed.clients[0]?.attributes['error.type']).to.equal('500')
    traceId = '3'.repeat(32)
    await gateway.post('/v1/chat/completions', { messages: 1 }, traced())
    const refused = await spansOf(traceId)
    expect(refused.server).to.include({ isError: false })
    expect(refused.server.attributes['error.type']).to.be.a('string')
  })

  it('names management routes by their path pattern', async () => {
    await gateway.get('/v1/api-keys/00000000-0000-4000-8000-000000000000', traced())
    const { server } = await spansOf(traceId)
    expect(server.name).to.equal('GET /v1/api-keys/:id')
    traceId = '4'.repeat(32)
    await gateway.get('/no/such/path', traced())
    expect((await spansOf(traceId)).server.name).to.equal('GET')
  })

  it('exports nothing of a request that its caller did not sample, and forwards that to the provider', async () => {
    await gateway.post('/v1/chat/completions', chat(), { ...stored, ...traced('00') })
    expect(upstream.seen.at(-1)?.headers.traceparent).to.match(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
    const other = 'ffffffffffffffffffffffffffffffff'
    await gateway.post('/v1/chat/completions', chat(), {
      ...stored,
      traceparent: `00-${other}-${parentId}-01`,
    })
    await spansOf(other)
    expect(collector.spans.filter((span) => span.traceId === traceId)).to.deep.equal([])
  })

  const malformed: [string, () => string][] = [
    ['the version ff', () => `ff-${traceId}-${parentId}-01`],
    ['a trace id of zeros', () => `00-${'0'.repeat(32)}-${parentId}-01`],
    ['a span id of zeros', () => `00-${traceId}-${'0'.repeat(16)}-01`],
    ['another form', () => 'nonsense'],
  ]
  for (const [what, header] of malformed) {
    it(`ignores a traceparent with ${what}`, async () => {
      const before = new Set(collector.spans)
      const answer = await gateway.post('/v1/chat/completions', chat(), {
        ...stored,
        traceparent: header(),
      })
      const id = answer.headers.get('x-request-id')
      const server = await until('a server span', () =>
        collector.spans.find((span) => !before.has(span) && span.attributes['gateway.request_id'] === id),
      )
      expect(server.parentSpanId).to.equal(undefined)
      expect(server.traceId).not.to.equal(traceId)
    })
  }

  for (const given of ['order-7', '0190a5a0-0000-7000-8000-000000000001'])
    it(`hashes the trace id ${given}, which is not hexadecimal, and keeps it as an attribute`, async () => {
      await gateway.post('/v1/chat/completions', chat(), { ...stored, 'x-gateway-trace-id': given })
      // The first 16 bytes of its SHA-256.
      const id = createHash('sha256').update(given).digest('hex').slice(0, 32)
      expect((await spansOf(id)).server.attributes['gateway.trace_id']).to.equal(given)
    })

  it('uses the digits of the request id as trace id when the caller sends none', async () => {
    const answer = await gateway.post('/v1/chat/completions', chat(), stored)
    const { server } = await spansOf(String(answer.headers.get('x-request-id')).replaceAll('-', ''))
    expect(server.attributes).not.to.have.property('gateway.trace_id')
  })

  it('forwards tracestate only when the config names it', async () => {
    const tracestate = { tracestate: 'vendor=1', ...traced() }
    await gateway.post('/v1/chat/completions', chat(), { ...stored, ...tracestate })
    expect(upstream.seen.at(-1)?.headers.tracestate).to.equal(undefined)
    const config = { ...target(upstream.url), forward_headers: ['tracestate', 'traceparent'] }
    await gateway.post('/v1/chat/completions', chat(), { ...configHeader(config), ...tracestate })
    expect(upstream.seen.at(-1)?.headers.tracestate).to.equal('vendor=1')
    expect(upstream.seen.at(-1)?.headers.traceparent).not.to.equal(traced().traceparent)
  })

  it('marks a stream that breaks off as an error', async () => {
    upstream.handle((_request, response) => {
      const [first = '', second = ''] = chatEvents('one', 'two')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(first + second)
      setTimeout(() => response.destroy(), 20)
    })
    const answer = await gateway.post('/v1/chat/completions', chat('x', { stream: true }), {
      ...stored,
      ...traced(),
    })
    await answer.text().catch(() => '')
    const { clients } = await spansOf(traceId)
    expect(clients[0]).to.include({ isError: true })
    expect(clients[0]?.attributes['error.type']).to.be.a('string')
  })

  it('exports events in the order in which they occurred', async () => {
    // A stream is passed on as ever while it is observed.
    upstream.handle((_request, response) => sendEvents(response, chatEvents('a', 'b', 'c')))
    const answer = await gateway.post('/v1/chat/completions', chat('x', { stream: true }), stored)
    expect((await answer.text()).match(/"content":"[abc]"/g)).to.deep.equal([
      '"content":"a"',
      '"content":"b"',
      '"content":"c"',
    ])
  })
})
