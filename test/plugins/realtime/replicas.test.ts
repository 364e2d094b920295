/**
 * Data that one replica stores is available on the other, over one Postgres and one Redis: responses and the
 * conversations that they continue, the requests of realtime sessions, and the decision trace of a call.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import { adminKey, chat, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'

type Event = Record<string, unknown>

if (isPostgresInstalled() && isRedisInstalled()) describe('what two replicas share', describeReplicas)
else console.log('left out: what two replicas share, because Postgres or Redis is not installed here')

function describeReplicas(this: Mocha.Suite): void {
  let postgres: PostgresServer
  let redis: RedisServer
  let voice: Server
  let one: TestGateway
  let other: TestGateway

  before(async () => {
    postgres = await startPostgres()
    redis = await startRedis()
    voice = createServer().listen(0, '127.0.0.1')
    await once(voice, 'listening')
    new WebSocketServer({ server: voice }).on('connection', (socket) =>
      socket.send(JSON.stringify({ type: 'session.created', session: { id: 'sess_1' } })),
    )
    const environment = {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      GATEWAY_STORE_URL: await postgres.createDatabase(),
      GATEWAY_REDIS_URL: redis.url,
    }
    const { port } = voice.address() as AddressInfo
    const config = {
      server: { shutdown_grace_ms: 0 },
      providers: {
        mine: { provider: 'echo' },
        voice: { provider: 'openai', api_key: 'sk-voice', custom_host: `http://127.0.0.1:${port}/v1` },
      },
    }
    one = await startGateway(config, { environment })
    other = await startGateway(config, { environment })
  })
  after(async () => {
    await one?.stop()
    await other?.stop()
    voice?.closeAllConnections()
    voice?.close()
    await Promise.all([redis?.stop(), postgres?.close()])
  })

  const socketOf = (replica: TestGateway, path: string, headers: Record<string, string>) =>
    new WebSocket(`${replica.url.replace('http', 'ws')}${path}`, { headers })
  const respond = async (replica: TestGateway, extra: object) =>
    json(await replica.post('/v1/responses', { model: '@mine/m', ...extra }))

  it('is a response, which the other continues over a WebSocket, and the first streams and deletes', async () => {
    const { id: first } = await respond(one, { input: 'first words' })
    const socket = socketOf(other, '/v1/responses', {
      authorization: `Bearer ${adminKey}`,
      'x-gateway-provider': '@mine',
    })
    const events: Event[] = []
    socket.on('message', (data) => events.push(JSON.parse(String(data)) as Event))
    await once(socket, 'open')
    const asked = { type: 'response.create', model: 'm', input: 'second words', previous_response_id: first }
    socket.send(JSON.stringify(asked))
    const done = await until('the response is complete', () =>
      events.find(({ type }) => type === 'response.completed' || type === 'error'),
    )
    expect(done.type, JSON.stringify(done)).to.equal('response.completed')
    socket.close()
    const second = String((done.response as Event).id)

    const third = await one.post('/v1/responses', {
      model: '@mine/m',
      input: 'third words',
      previous_response_id: second,
      stream: true,
    })
    const text = await third.text()
    expect(text).to.contain('response.completed').and.to.contain(`"previous_response_id":"${second}"`)
    const items = await json(await other.get(`/v1/responses/${second}/input_items`))
    expect(JSON.stringify(items)).to.contain('first words').and.to.contain('second words')

    const deleted = await fetch(`${one.url}/v1/responses/${second}`, {
      method: 'DELETE',
      headers: { 'x-gateway-api-key': adminKey },
    })
    expect(deleted.status).to.equal(200)
    expect((await other.get(`/v1/responses/${second}`)).status).to.equal(404)
    const lost = await other.post('/v1/responses', {
      model: '@mine/m',
      input: 'x',
      previous_response_id: second,
    })
    const { error } = (await lost.json()) as { error: Event }
    expect([lost.status, error.code]).to.deep.equal([404, 'previous_response_not_found'])
  })

  it('is the count of realtime sessions', async () => {
    const made = await one.post('/v1/api-keys/workspace/service', {
      name: 'one session a day',
      workspace_id: 'default',
      scopes: ['completions.write'],
      rate_limits: [{ type: 'requests', unit: 'rpd', value: 1 }],
    })
    const { key } = (await made.json()) as { key: string }
    const open = async (replica: TestGateway): Promise<number | undefined> => {
      const headers = { 'x-gateway-api-key': key, 'x-gateway-provider': '@voice' }
      const socket = socketOf(replica, '/v1/realtime?model=gpt-realtime', headers)
      socket.on('error', () => undefined)
      const status = await new Promise<number | undefined>((resolve) => {
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode))
        socket.once('open', () => resolve(101))
      })
      socket.terminate()
      return status
    }
    expect(await open(one)).to.equal(101)
    await until('the other replica refuses it', async () => (await open(other)) === 429)
  })

  it('is the decision trace of a call, in its log entry', async () => {
    const answer = await one.post('/v1/chat/completions', chat('traced', { model: '@mine/m' }))
    const id = answer.headers.get('x-request-id')
    await answer.arrayBuffer()
    const entry = await until('the entry is there', async () => {
      const found = await other.get(`/v1/logs/${id}?workspace_id=default`)
      return found.status === 200 ? ((await found.json()) as Event) : null
    })
    const steps = (entry.decisions as Event[]).map(({ step }) => step)
    expect(steps).to.include.members(['config', 'call', 'end'])
  })
}
