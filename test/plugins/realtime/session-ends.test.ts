/**
 * The ends of sessions over WebSockets: the close codes that the gateway passes on, and the checks before each
 * response.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import { adminKey, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'

type Event = Record<string, unknown>

const created = { type: 'response.created', response: { id: 'resp_1' } }
const done = {
  type: 'response.done',
  response: { id: 'resp_1', status: 'completed', output: [], usage: { input_tokens: 10, output_tokens: 20 } },
}

describe('the end of a realtime session', () => {
  let gateway: TestGateway
  let server: Server
  let sockets: WebSocketServer
  /** The provider's ends of the sessions. */
  let uppers: WebSocket[] = []
  let heard: Event[] = []
  let ends: number[] = []

  before(async () => {
    server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    sockets = new WebSocketServer({ server })
    sockets.on('connection', (socket) => {
      uppers.push(socket)
      socket.send(JSON.stringify({ type: 'session.created', session: { id: 'sess_1' } }))
      socket.on('message', (data) => heard.push(JSON.parse(String(data)) as Event))
      socket.on('close', (code) => ends.push(code))
    })
  })
  after(() => {
    for (const client of sockets.clients) client.terminate()
    server.close()
  })

  const start = async (config: Record<string, unknown> = {}) => {
    const { port } = server.address() as AddressInfo
    return startGateway({
      ...config,
      providers: {
        voice: { provider: 'openai', api_key: 'sk-voice', custom_host: `http://127.0.0.1:${port}/v1` },
      },
    })
  }

  beforeEach(async () => {
    uppers = []
    heard = []
    ends = []
    gateway = await start()
  })
  afterEach(() => gateway.stop())

  async function open(key = adminKey) {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=m`, {
      headers: { 'x-gateway-api-key': key, 'x-gateway-provider': '@voice' },
    })
    const events: Event[] = []
    const closes: number[] = []
    socket.on('message', (data) => events.push(JSON.parse(String(data)) as Event))
    socket.on('error', () => undefined)
    socket.on('close', (code) => closes.push(code))
    const saw = (type: string) =>
      until(`the client hears ${type}`, () => events.find((one) => one.type === type))
    await saw('session.created')
    const upper = uppers.at(-1) as WebSocket
    return {
      socket,
      events,
      saw,
      upper,
      closed: () => until('the client is closed', () => closes[0]),
      error: async () => (await saw('error')).error as Event,
      ask: async () => {
        const before = heard.length
        socket.send(JSON.stringify({ type: 'response.create' }))
        await until('the provider hears it', () => heard.length > before)
      },
      say: (event: object) => upper.send(JSON.stringify(event)),
    }
  }

  const makeKey = async (extra: object = {}) =>
    json(
      await gateway.post('/v1/api-keys/workspace/service', {
        name: 'voice',
        workspace_id: 'default',
        scopes: ['completions.write'],
        ...extra,
      }),
    )
  const change = (path: string, method: string, body: object | null = null) =>
    fetch(`${gateway.url}${path}`, {
      method,
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    })

  it('has an error event and code 1011 when the connection of the provider breaks', async () => {
    const { upper, error, closed } = await open()
    upper.terminate()
    expect((await error()).code).to.equal('upstream_error')
    expect(await closed()).to.equal(1011)
    const entry = await until('the session is logged', () =>
      gateway.logs.find(({ path }) => path === '/v1/realtime'),
    )
    expect(entry.stream_error).to.equal('upstream_error')
  })

  const codes: [sent: number, received: number, isError: boolean][] = [
    [1000, 1000, false],
    [1001, 1001, true],
    [1011, 1011, true],
    [4008, 4008, true],
  ]
  for (const [sent, received, isError] of codes)
    it(`has the code ${received} when the provider closes with ${sent}${isError ? ', after an error event' : ''}`, async () => {
      const { upper, events, closed } = await open()
      upper.close(sent, 'the reason')
      expect(await closed()).to.equal(received)
      const errors = events.filter(({ type }) => type === 'error')
      expect(errors).to.have.length(isError ? 1 : 0)
      if (isError) expect(JSON.stringify(errors)).to.contain('the reason')
    })

  for (const code of [1000, 1001, 4001])
    it(`reaches the provider with the client's code ${code}`, async () => {
      const { socket } = await open()
      socket.close(code)
      await until('the provider is closed', () => ends.length > 0)
      expect(ends).to.deep.equal([code])
    })

  it('follows the deletion of its key, before the next response', async () => {
    const { id, key } = await makeKey()
    const { ask, say, saw, error, closed, socket } = await open(key)
    await ask()
    say(created)
    say(done)
    await saw('response.done')
    expect((await change(`/v1/api-keys/${id}`, 'DELETE')).status).to.equal(200)
    socket.send(JSON.stringify({ type: 'response.create' }))
    expect((await error()).code).to.equal('invalid_api_key')
    expect(await closed()).to.equal(1008)
    expect(heard).to.have.length(1)
  })

  it('follows the deletion of its key before a response that the provider begins by itself', async () => {
    const { id, key } = await makeKey()
    const { say, error, closed, events } = await open(key)
    await change(`/v1/api-keys/${id}`, 'DELETE')
    say(created)
    expect((await error()).code).to.equal('invalid_api_key')
    expect(await closed()).to.equal(1008)
    expect(events.map(({ type }) => type)).not.to.contain('response.created')
  })

  it('follows a key that lost its scope', async () => {
    const { id, key } = await makeKey()
    const { socket, error } = await open(key)
    const changed = await change(`/v1/api-keys/${id}`, 'PUT', { scopes: ['models.list'] })
    expect(changed.status).to.equal(200)
    socket.send(JSON.stringify({ type: 'response.create' }))
    expect((await error()).code).to.equal('missing_scope')
  })

  it('follows a budget that others have used up, before the next response', async () => {
    const limits = { usage_limits: [{ type: 'tokens', credit_limit: 20 }] }
    const { key } = await makeKey(limits)
    const first = await open(key)
    const second = await open(key)
    await first.ask()
    first.say(created)
    first.say(done)
    await first.saw('error')
    second.socket.send(JSON.stringify({ type: 'response.create' }))
    expect((await second.error()).code).to.equal('usage_limit_exceeded')
    expect(await second.closed()).to.equal(1008)
    expect(heard).to.have.length(1)
  })

  it('is 1001 when an idle gateway stops', async () => {
    const { closed, events } = await open()
    const stopped = gateway.close()
    expect(await closed()).to.equal(1001)
    await stopped
    expect(events.map(({ type }) => type)).to.deep.equal(['session.created'])
  })

  it('is 1001 after the response in progress when the gateway stops', async () => {
    const { ask, say, saw, closed, events, socket } = await open()
    await ask()
    say(created)
    await saw('response.created')
    const stopped = gateway.close()
    socket.send(JSON.stringify({ type: 'response.create' }))
    const { error } = await saw('error')
    expect((error as Event).code).to.equal('shutting_down')
    say(done)
    expect(await closed()).to.equal(1001)
    await stopped
    expect(events.at(-1)?.type).to.equal('response.done')
    expect(heard).to.have.length(1)
  })

  it('is an error event and 1001 for a response that outlasts the grace period', async () => {
    await gateway.stop()
    gateway = await start({ server: { shutdown_grace_ms: 50 } })
    const { ask, say, saw, closed, error } = await open()
    await ask()
    say(created)
    await saw('response.created')
    const stopped = gateway.close()
    expect((await error()).code).to.equal('shutting_down')
    expect(await closed()).to.equal(1001)
    await stopped
  })

  it('closes a socket for responses with 1001 when the gateway stops', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
      headers: { 'x-gateway-api-key': adminKey, 'x-gateway-provider': '@voice' },
    })
    await once(socket, 'open')
    const [[code]] = await Promise.all([once(socket, 'close') as Promise<[number]>, gateway.close()])
    expect(code).to.equal(1001)
  })
})
