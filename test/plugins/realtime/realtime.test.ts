/** Realtime sessions: the vendor's own client through the gateway, with a test provider. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, request as send } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import { expect } from 'chai'
import { OpenAI } from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { type WebSocket, WebSocketServer, WebSocket as Ws } from 'ws'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { writePair } from '../../support/tls.ts'
import { until } from '../../support/until.ts'

type Event = Record<string, unknown>

const usage = {
  total_tokens: 30,
  input_tokens: 10,
  output_tokens: 20,
  input_token_details: { cached_tokens: 4 },
}

/** The test provider's answer to each requested response. */
const responseEvents = (text: string): Event[] => [
  { type: 'response.created', response: { id: 'resp_1' } },
  { type: 'response.output_text.delta', delta: text },
  { type: 'response.output_text.done', text },
  {
    type: 'response.done',
    response: {
      id: 'resp_1',
      status: 'completed',
      output: [
        { id: 'item_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
      ],
      usage,
    },
  },
]

describe('a realtime session', () => {
  let gateway: TestGateway
  let server: Server
  /** The vendor's client supports only TLS. */
  let tls: TlsServer
  let sockets: WebSocketServer
  let requests: IncomingMessage[] = []
  let heard: Event[] = []
  let ends: number[] = []
  let isRefusing = false
  let says = 'hello'
  /** Responses that have begun and wait for the test to end them; null: they end at once. */
  let waiting: (() => void)[] | null = null

  before(async () => {
    server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    sockets = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      requests.push(request)
      if (isRefusing) {
        const body = JSON.stringify({ error: { message: 'No such key.', code: 'invalid_api_key' } })
        socket.end(
          `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        )
        return
      }
      sockets.handleUpgrade(request, socket, head, (opened) => serve(opened))
    })
    const { port } = server.address() as AddressInfo
    const custom_host = `http://127.0.0.1:${port}/v1`
    gateway = await startGateway({
      providers: {
        voice: { provider: 'openai', api_key: 'sk-voice', custom_host },
        text: { provider: 'echo' },
      },
      configs: {
        voice: { provider: '@voice' },
        guarded: {
          provider: '@voice',
          input_guardrails: [{ 'default.contains': { words: ['forbidden'], operator: 'none' }, deny: true }],
          output_guardrails: [{ 'default.contains': { words: ['secret'], operator: 'none' }, deny: true }],
        },
        impatient: { provider: '@voice', stream_idle_timeout: 150 },
        short: { provider: '@voice', stream_total_timeout: 200 },
        fallback: {
          strategy: { mode: 'fallback' },
          targets: [{ provider: '@text' }, { provider: '@voice' }],
        },
        text: { provider: '@text' },
      },
      logs: { bodies: 'full' },
    })
    const files = await writePair('first')
    const pair = { cert: await readFile(files.cert), key: await readFile(files.key) }
    tls = createTlsServer(pair, (socket) => {
      const inner = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      socket.on('error', () => inner.destroy()).on('close', () => inner.destroy())
      inner.on('error', () => socket.destroy()).on('close', () => socket.destroy())
      socket.pipe(inner).pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(tls, 'listening')
  })
  after(async () => {
    await gateway.stop()
    for (const client of sockets.clients) client.terminate()
    server.closeAllConnections()
    server.close()
    tls.close()
  })
  beforeEach(() => {
    requests = []
    heard = []
    ends = []
    isRefusing = false
    says = 'hello'
    waiting = null
  })

  function serve(socket: WebSocket): void {
    socket.send(JSON.stringify({ type: 'session.created', session: { id: 'sess_1' } }))
    socket.on('message', (data) => {
      const event = JSON.parse(String(data)) as Event
      heard.push(event)
      if (event.type !== 'response.create') return
      const [created, ...rest] = responseEvents(says)
      const send = (events: (Event | undefined)[]) => {
        for (const one of events) socket.send(JSON.stringify(one))
      }
      send([created])
      if (waiting === null) send(rest)
      else waiting.push(() => send(rest))
    })
    socket.on('close', (code) => ends.push(code))
  }

  const open = (config: string, key = adminKey) => {
    const client = new OpenAI({
      apiKey: key,
      baseURL: `https://127.0.0.1:${(tls.address() as AddressInfo).port}/v1`,
    })
    const options = {
      rejectUnauthorized: false,
      headers: { 'x-gateway-config': config, 'x-gateway-trace-id': `trace-${config}` },
    }
    const session = new OpenAIRealtimeWS({ model: 'gpt-realtime', options }, client)
    const events: Event[] = []
    const closes: number[] = []
    session.on('event', (event) => events.push(event as unknown as Event))
    session.on('error', () => undefined)
    session.socket.on('close', (code) => closes.push(code))
    const saw = (type: string) =>
      until(`the client hears ${type}`, () => events.find((one) => one.type === type))
    return { session, events, closes, saw }
  }

  it('relays events in both directions, with the credential of the target', async () => {
    const { session, events, saw, closes } = open('voice')
    await saw('session.created')
    session.send({ type: 'response.create' })
    await saw('response.done')
    expect(events.map(({ type }) => type)).to.deep.equal([
      'session.created',
      'response.created',
      'response.output_text.delta',
      'response.output_text.done',
      'response.done',
    ])
    const [request] = requests
    expect(request?.url).to.equal('/v1/realtime?model=gpt-realtime')
    expect(request?.headers.authorization).to.equal('Bearer sk-voice')
    expect(request?.headers['x-gateway-config']).to.equal(undefined)
    session.close()
    await until('both ends are closed', () => closes.length > 0 && ends.length > 0)
  })

  it('has one log entry, with the sum of its usage', async () => {
    const { session, saw } = open('voice')
    await saw('session.created')
    session.send({ type: 'response.create' })
    await saw('response.done')
    session.close()
    await until('the entry is there', async () => {
      const answer = await gateway.get('/v1/logs?endpoint_type=realtime&trace_id=trace-voice')
      const { data } = (await answer.json()) as { data: Event[] }
      const found = data.find((entry) => entry.res_units === 20)
      if (found === undefined) return false
      expect(found).to.include({
        req_units: 10,
        res_units: 20,
        cached_units: 4,
        provider: 'voice',
        ai_model: 'gpt-realtime',
      })
      return true
    })
  })

  it('denies a client event that a guardrail denies, and continues', async () => {
    const { session, saw, events } = open('guarded')
    await saw('session.created')
    const item = (text: string) => ({
      type: 'conversation.item.create' as const,
      item: {
        type: 'message' as const,
        role: 'user' as const,
        content: [{ type: 'input_text' as const, text }],
      },
    })
    session.send(item('this is forbidden'))
    const error = (await saw('error')).error as Event
    expect(error.code).to.equal('guardrail_denied')
    expect(error.message).to.match(/^Guardrail "[^"]+" denied the request.* \(default\.\w+\)\.$/)
    expect(heard).to.deep.equal([])
    session.send(item('this is fine'))
    session.send({ type: 'response.create' })
    await saw('response.done')
    expect(heard.map(({ type }) => type)).to.deep.equal(['conversation.item.create', 'response.create'])
    expect(events.filter(({ type }) => type === 'error')).to.have.length(1)
    session.close()
  })

  it('holds a response back, and denies it completely', async () => {
    says = 'the secret is 42'
    const { session, saw, events } = open('guarded')
    await saw('session.created')
    session.send({ type: 'response.create' })
    const error = (await saw('error')).error as Event
    expect(error.code).to.equal('guardrail_denied')
    expect(error.message).to.match(/^Guardrail "[^"]+" denied the answer.* \(default\.\w+\)\.$/)
    expect(JSON.stringify(events)).not.to.contain('secret')
    await until('the item is deleted', () => heard.some(({ type }) => type === 'conversation.item.delete'))
    session.close()
  })

  const clocks: [config: string, code: string][] = [
    ['impatient', 'stream_idle_timeout'],
    ['short', 'stream_total_timeout'],
  ]
  for (const [config, code] of clocks)
    it(`closes with ${code}`, async () => {
      const { saw, closes } = open(config)
      expect(((await saw('error')).error as Event).code).to.equal(code)
      await until('it is closed', () => closes.length > 0)
      expect(closes[0]).to.equal(1008)
    })

  it('falls back to a provider that supports sessions', async () => {
    const { session, saw } = open('fallback')
    await saw('session.created')
    session.close()
  })

  it('closes when the budget is exhausted, with the usage charged', async () => {
    const made = await gateway.post('/v1/api-keys/workspace/service', {
      name: 'voice',
      workspace_id: 'default',
      scopes: ['completions.write'],
      usage_limits: [{ type: 'tokens', credit_limit: 50 }],
    })
    const { id, key } = (await made.json()) as { id: string; key: string }
    const { session, events, saw, closes } = open('voice', key)
    await saw('session.created')
    session.send({ type: 'response.create' })
    await saw('response.done')
    session.send({ type: 'response.create' })
    expect(((await saw('error')).error as Event).code).to.equal('usage_limit_exceeded')
    // The charged response is delivered.
    expect(events.filter(({ type }) => type === 'response.done')).to.have.length(2)
    await until('it is closed', () => closes.length > 0)
    const read = await gateway.get(`/v1/api-keys/${id}`)
    const { usage_limits } = (await read.json()) as { usage_limits: { current_usage: number } }
    expect(usage_limits.current_usage).to.equal(60)
  })

  it('is charged for a response that ends after another session has used up the budget', async () => {
    const made = await gateway.post('/v1/api-keys/workspace/service', {
      name: 'voices',
      workspace_id: 'default',
      scopes: ['completions.write'],
      usage_limits: [{ type: 'tokens', credit_limit: 20 }],
    })
    const { id, key } = (await made.json()) as { id: string; key: string }
    const ends: (() => void)[] = []
    waiting = ends
    const both = [open('voice', key), open('voice', key)]
    for (const { session, saw } of both) {
      await saw('session.created')
      session.send({ type: 'response.create' })
      await saw('response.created')
    }
    for (const [index, { saw }] of both.entries()) {
      ends[index]?.()
      await saw('response.done')
      await saw('error')
    }
    const read = await gateway.get(`/v1/api-keys/${id}`)
    const { usage_limits } = (await read.json()) as { usage_limits: { current_usage: number } }
    expect(usage_limits.current_usage).to.equal(60)
  })

  /** The answer to the handshake. */
  const refusal = async (
    headers: Record<string, string>,
    path = '/v1/realtime?model=m',
    protocols: string[] = [],
  ) => {
    const socket = new Ws(`${gateway.url.replace('http', 'ws')}${path}`, protocols, { headers })
    return new Promise<{ status: number; code: string }>((resolve, reject) => {
      socket.once('open', () => {
        socket.terminate()
        resolve({ status: 101, code: '' })
      })
      socket.once('unexpected-response', async (_request, response: IncomingMessage) => {
        let text = ''
        for await (const chunk of response) text += String(chunk)
        const { error } = JSON.parse(text) as { error: { code: string } }
        resolve({ status: response.statusCode ?? 0, code: error.code })
      })
      socket.on('error', reject)
    })
  }
  const auth = { 'x-gateway-api-key': adminKey }

  const refused: [what: string, headers: Record<string, string>, status: number, code: string][] = [
    ['a caller without a key', {}, 401, 'missing_api_key'],
    ['a key that is not valid', { 'x-gateway-api-key': 'gw-nobody' }, 401, 'invalid_api_key'],
    ['a session cookie', { cookie: 'gateway_session=gws_abc' }, 401, 'missing_api_key'],
    ['a provider without sessions', { ...auth, 'x-gateway-config': 'text' }, 400, 'unsupported_endpoint'],
    ['a config that does not exist', { ...auth, 'x-gateway-config': 'nowhere' }, 404, 'unknown_config'],
    [
      'a host that is not allowed',
      {
        ...auth,
        'x-gateway-config':
          '{"provider":"openai","api_key":"sk-1","custom_host":"http://169.254.169.254/v1"}',
      },
      400,
      'host_not_allowed',
    ],
  ]
  for (const [what, headers, status, code] of refused)
    it(`refuses ${what}`, async () => {
      expect(await refusal(headers)).to.deep.equal({ status, code })
    })

  it('returns the refusal of the provider', async () => {
    isRefusing = true
    expect(await refusal({ ...auth, 'x-gateway-config': 'voice' })).to.deep.equal({
      status: 401,
      code: 'invalid_api_key',
    })
  })

  it("reads a browser's key from its subprotocols, and never sends it back", async () => {
    const protocols = ['realtime', `openai-insecure-api-key.${adminKey}`]
    const found = await refusal({ 'x-gateway-config': 'voice' }, undefined, protocols)
    expect(found.status).to.equal(101)
  })

  it('answers an ordinary request with 400', async () => {
    const answer = await gateway.get('/v1/realtime?model=m')
    const { error } = (await answer.json()) as { error: Event }
    expect([answer.status, error.code, error.param]).to.deep.equal([400, 'invalid_header', 'header/upgrade'])
  })

  it('ignores upgrade requests to other protocols', async () => {
    const body = JSON.stringify({ model: '@text/m', messages: [{ role: 'user', content: 'upgraded' }] })
    const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = {
        ...auth,
        connection: 'upgrade',
        upgrade: 'h2c',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }
      const sent = send(
        `${gateway.url}/v1/chat/completions`,
        { method: 'POST', headers },
        async (response) => {
          let text = ''
          for await (const chunk of response) text += String(chunk)
          resolve({ status: response.statusCode ?? 0, text })
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
    expect(answer.status).to.equal(200)
    expect(answer.text).to.contain('upgraded')
  })
})
