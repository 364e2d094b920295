/**
 * Settings of a config apply on two replicas over one Postgres and one Redis: stream clocks, sessions that stay, a
 * config as the model, dry runs, the decision trace, and the budget of a realtime session.
 */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import { adminKey, chat, json, readEvents, startGateway, type TestGateway } from '../../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { until } from '../../support/until.ts'
import { answerOk, chatEvents, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'

if (isPostgresInstalled() && isRedisInstalled()) describe('a config on two replicas', describeReplicas)
else console.log('left out: configs on two replicas, because Postgres or Redis is not installed here')

const [opening = '', first = ''] = chatEvents('a longer text')
const breaker = { failure_threshold: 1, cooldown_interval: 30_000 }
const realtimeUsage = { total_tokens: 30, input_tokens: 10, output_tokens: 20 }

interface Decision {
  step: string
  path: string
  fault?: string
}

interface Health {
  state: string
}

function describeReplicas(this: Mocha.Suite): void {
  let postgres: PostgresServer
  let redis: RedisServer
  let upstream: Upstream
  let spare: Upstream
  let voice: Server
  let replicas: TestGateway[] = []
  let one: TestGateway
  let other: TestGateway
  let held: ServerResponse[] = []

  before(async () => {
    postgres = await startPostgres()
    redis = await startRedis()
    upstream = await openUpstream()
    spare = await openUpstream((_request, response) => sendEvents(response, chatEvents('spare')))
    voice = createServer().listen(0, '127.0.0.1')
    await once(voice, 'listening')
    const sockets = new WebSocketServer({ server: voice })
    sockets.on('connection', (socket) => {
      socket.send(JSON.stringify({ type: 'session.created', session: { id: 'sess_1' } }))
      socket.on('message', () =>
        socket.send(
          JSON.stringify({ type: 'response.done', response: { id: 'resp_1', usage: realtimeUsage } }),
        ),
      )
    })
    const environment = {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      GATEWAY_STORE_URL: await postgres.createDatabase(),
      GATEWAY_REDIS_URL: redis.url,
    }
    const config = {
      server: { shutdown_grace_ms: 0 },
      providers: {
        mine: { provider: 'echo' },
        voice: {
          provider: 'openai',
          api_key: 'sk-voice',
          custom_host: `http://127.0.0.1:${(voice.address() as AddressInfo).port}/v1`,
        },
      },
    }
    for (let index = 0; index < 2; index += 1)
      replicas = [...replicas, await startGateway(config, { environment })]
    ;[one, other] = replicas as [TestGateway, TestGateway]
  })
  after(async () => {
    for (const replica of replicas) await replica.stop()
    await Promise.all([upstream?.close(), spare?.close(), redis?.stop(), postgres?.close()])
    voice?.closeAllConnections()
    voice?.close()
  })
  beforeEach(() => {
    held = []
    upstream.handle((_request, response) => {
      response.setHeader('content-type', 'text/event-stream')
      response.write(opening)
      held.push(response)
    })
  })
  afterEach(() => {
    for (const response of held) response.destroy()
  })

  const leaf = (url: string, extra: object = {}) => ({
    provider: 'openai',
    api_key: 'sk-1',
    custom_host: url,
    ...extra,
  })
  /** Stored through one replica; both serve it. */
  async function store(name: string, config: Record<string, unknown>): Promise<string> {
    const made = await one.post('/v1/configs', { name, workspace_id: 'default', config })
    const { id, slug } = (await made.json()) as { id: string; slug: string }
    expect(made.status, JSON.stringify(id)).to.equal(200)
    await until(
      'the other replica has it',
      async () => (await other.get(`/v1/configs/${slug}`)).status === 200,
    )
    return slug
  }
  const ask = (
    replica: TestGateway,
    config: string,
    { extra = {}, headers = {} }: { extra?: object; headers?: object } = {},
  ) =>
    replica.post('/v1/chat/completions', chat('hi', { ...extra }), {
      'x-gateway-config': config,
      ...headers,
    })
  const stream = { stream: true }
  const explained = { 'x-gateway-explain': 'true' }

  /** The decisions in the event before the end of a stream. */
  const decisionsOf = async (response: Response): Promise<Decision[]> => {
    const texts = await readEvents(response)
    const found = texts
      .map((text) => text.replace(/^data: /, ''))
      .find((text) => text.includes('"decisions"'))
    return (JSON.parse(found ?? '{"decisions":[]}') as { decisions: Decision[] }).decisions
  }
  const stateOf = async (replica: TestGateway) => {
    const { data } = (await json(await replica.get('/v1/target-health?workspace_id=default'))) as unknown as {
      data: Health[]
    }
    return data.map(({ state }) => state)
  }

  it('divides sessions between the versions of a rollout alike', async () => {
    upstream.handle(answerOk)
    spare.handle(answerOk)
    const slug = await store('rolled out', leaf(upstream.url))
    const manage = (method: string, path: string, body: object) =>
      fetch(`${one.url}/v1/configs/${slug}${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-gateway-api-key': adminKey },
        body: JSON.stringify(body),
      })
    expect((await manage('PUT', '', { config: leaf(spare.url), publish: false })).status).to.equal(200)
    expect((await manage('POST', '/rollout', { to: 2, steps: [50, 100] })).status).to.equal(200)
    const versionOf = async (replica: TestGateway, text: string) => {
      const body = { ...chat(text), stream: false }
      const reply = await replica.post('/v1/chat/completions', body, {
        'x-gateway-config': slug,
        ...explained,
      })
      const { decisions } = (await reply.json()) as {
        decisions: { step: string; version?: number; rollout?: object }[]
      }
      return decisions.find(({ step }) => step === 'config')
    }
    await until(
      'the other replica has it',
      async () => (await versionOf(other, 'first'))?.rollout !== undefined,
    )
    const seen = new Set<number | undefined>()
    for (let count = 0; count < 20; count += 1) {
      const [first, second] = await Promise.all([
        versionOf(one, `talk ${count}`),
        versionOf(other, `talk ${count}`),
      ])
      expect(first).to.deep.include({ version: second?.version, rollout: { from: 1, to: 2, percent: 50 } })
      seen.add(first?.version)
    }
    expect([...seen].sort()).to.deep.equal([1, 2])
  })

  it('falls back when the first token is late, and the other replica then leaves the target out', async () => {
    const config = await store('first token', {
      strategy: { mode: 'fallback' },
      targets: [leaf(upstream.url, { first_token_timeout: 300, cb_config: breaker }), leaf(spare.url)],
    })
    const late = await ask(one, config, { extra: stream, headers: explained })
    expect(late.status).to.equal(200)
    const decisions = await decisionsOf(late)
    expect(decisions.filter(({ step }) => step === 'call').map(({ fault }) => fault)).to.deep.equal([
      'first_token_timeout',
      undefined,
    ])
    await until('its circuit is open there too', async () => (await stateOf(other)).includes('open'))
    const called = upstream.seen.length
    const next = await ask(other, config, { extra: stream, headers: explained })
    expect(next.status).to.equal(200)
    expect(next.headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[1]')
    const later = (await decisionsOf(next)).filter(({ step }) =>
      ['breaker', 'fallback', 'call'].includes(step),
    )
    expect(later.map(({ step, path }) => [step, path])).to.deep.equal([
      ['breaker', 'config.targets[0]'],
      ['fallback', 'config'],
      ['call', 'config.targets[1]'],
    ])
    expect(upstream.seen.length).to.equal(called)

    const dry = (await json(
      await other.post('/v1/dry-run', {
        endpoint: '/v1/chat/completions',
        body: chat('hi', stream),
        headers: { 'x-gateway-config': config },
      }),
    )) as unknown as { targets: { path: string; breaker: string; allowed: boolean }[] }
    expect(dry.targets.map(({ path, breaker: state, allowed }) => [path, state, allowed])).to.deep.equal([
      ['config.targets[0]', 'open', false],
      ['config.targets[1]', 'closed', true],
    ])
  })

  const clocks: [what: string, config: object, code: string][] = [
    ['no event follows', { stream_idle_timeout: 3000 }, 'stream_idle_timeout'],
    ['it lasts too long', { stream_total_timeout: 5000 }, 'stream_total_timeout'],
  ]
  for (const [what, config, code] of clocks)
    it(`ends a stream with an error event on both when ${what}`, async () => {
      upstream.handle((_request, response) => {
        response.setHeader('content-type', 'text/event-stream')
        response.write(opening + first)
        held.push(response)
      })
      const slug = await store(code, leaf(upstream.url, config) as Record<string, unknown>)
      const texts = await Promise.all(
        replicas.map(async (replica) => (await ask(replica, slug, { extra: stream })).text()),
      )
      for (const text of texts) expect(text).to.include(`"code":"${code}"`)
    })

  it('keeps a session at its target, whichever replica gets the request', async () => {
    upstream.handle(answerOk)
    const config = await store('sticky', {
      strategy: { mode: 'loadbalance', sticky: { by: 'metadata.session' } },
      targets: Array.from({ length: 3 }, (_, index) => ({
        provider: '@mine',
        weight: 1,
        override_params: { model: `m${index}` },
      })),
    })
    const homeOf = async (replica: TestGateway, session: string) => {
      const metadata = { 'x-gateway-metadata': JSON.stringify({ session }) }
      const answer = await ask(replica, config, { headers: metadata })
      expect(answer.status, await answer.clone().text()).to.equal(200)
      return answer.headers.get('x-gateway-last-used-option-index')
    }
    const homes = new Set<string | null>()
    for (let session = 0; session < 60; session += 1) {
      const home = await homeOf(one, `s${session}`)
      expect(await homeOf(other, `s${session}`)).to.equal(home)
      homes.add(home)
    }
    expect(homes.size).to.equal(3)
  })

  it('is a model on both, in its newest version', async () => {
    const slug = await store('as a model', { provider: '@mine', override_params: { model: 'first' } })
    const modelOf = async (replica: TestGateway, model = `#${slug}`) => {
      const answer = await replica.post('/v1/chat/completions', { ...chat(), model })
      return (await json(answer)).model
    }
    expect(await Promise.all(replicas.map((replica) => modelOf(replica)))).to.deep.equal(['first', 'first'])
    const shown = await json(await other.get(`/v1/models/${encodeURIComponent(`#${slug}`)}`))
    expect(shown).to.include({ id: `#${slug}`, owned_by: 'gateway' })
    const { id } = await json(await one.get(`/v1/configs/${slug}`))
    const config = { provider: '@mine', override_params: { model: 'second' } }
    const changed = await fetch(`${one.url}/v1/configs/${String(id)}`, {
      method: 'PUT',
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ config }),
    })
    expect(changed.status).to.equal(200)
    await until('the other replica has it', async () => String(await modelOf(other)) === 'second')
    expect(await modelOf(other, `#${slug}@1`)).to.equal('first')
  })

  it('counts a realtime session of one replica against the budget on the other', async () => {
    const made = await one.post('/v1/api-keys/workspace/service', {
      name: 'voice',
      workspace_id: 'default',
      scopes: ['completions.write'],
      usage_limits: [{ type: 'tokens', credit_limit: 30 }],
    })
    const { key } = (await made.json()) as { key: string }
    const open = (replica: TestGateway) =>
      new WebSocket(`${replica.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, {
        headers: { 'x-gateway-api-key': key, 'x-gateway-provider': '@voice' },
      })
    const session = open(one)
    const events: string[] = []
    session.on('message', (data) => events.push(String(data)))
    session.on('error', () => undefined)
    await until('the session is open', () => events.some((text) => text.includes('session.created')))
    session.send(JSON.stringify({ type: 'response.create' }))
    await until('the response has ended', () => events.some((text) => text.includes('response.done')))
    session.close()
    await until('the other replica refuses it', async () => {
      const next = open(other)
      next.on('error', () => undefined)
      const status = await new Promise<number | undefined>((resolve) => {
        next.on('unexpected-response', (_request, response) => resolve(response.statusCode))
        next.on('open', () => resolve(101))
      })
      next.terminate()
      return status === 412
    })
  })
}
