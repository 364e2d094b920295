/** Hedged calls with everything that guards a request: guardrails, limits, charges, breakers, disconnecting callers. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { stubRandom, turnUntil } from '../../support/clock.ts'
import { adminKey, chat, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { openScene, tree } from '../../support/scene.ts'
import { describeEmbedded } from '../../support/servers.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { asKey, limitedKey, usageOf } from '../metering/limits/scene.ts'

interface Held {
  name: string
  response: ServerResponse
  isClosed: boolean
}

const hedge = { after_ms: 20 }
const usage = usageOf(4, 3)
/** The estimate for `hello`: five bytes. */
const inputTokens = 2
const say = (call: Held | undefined, text: string) =>
  sendJson(call?.response as ServerResponse, 200, chatAnswer(text, { usage, model: 'm' }))

const keys = {
  counted: { rate_limits: { type: 'requests', unit: 'rpd', value: 10 } },
  budgeted: { usage_limits: { type: 'tokens', credit_limit: 1000 } },
}
const keyText = (name: keyof typeof keys) => `gw-hedged-key-of-test-${name}`
const apiKeys = Object.entries(keys).map(([name, limits]) => ({
  ...limitedKey(limits, keyText(name as keyof typeof keys)),
  name,
}))

describeEmbedded('a hedged call', () => {
  const once = (origin: string, name: string) => ({
    provider: 'openai',
    api_key: 'sk-1',
    custom_host: `${origin}/${name}/v1`,
    rate_limits: [{ type: 'requests', unit: 'rpd', value: 1 }],
  })
  const scene = openScene((origin) => ({
    api_keys: apiKeys,
    providers: {
      narrow: once(origin, 'narrow'),
      used: once(origin, 'used'),
      metered: {
        provider: 'openai',
        api_key: 'sk-1',
        custom_host: `${origin}/metered/v1`,
        usage_limits: { type: 'tokens', credit_limit: 100_000 },
      },
    },
    guardrails: {
      polite: {
        deny: true,
        checks: [{ id: 'default.contains', parameters: { words: ['bad'], operator: 'none' } }],
      },
    },
  }))
  const random = stubRandom()
  let held: Held[] = []

  beforeEach(() => {
    held = []
    random(0)
  })
  afterEach(() => {
    for (const { response } of held) response.destroy()
  })

  const hold = (...names: string[]) => {
    for (const name of names)
      scene.answers[name] = (_request, response) => {
        const call = { name, response, isClosed: false }
        response.on('close', () => {
          call.isClosed = true
        })
        held.push(call)
      }
  }
  const called = (count: number) => turnUntil(() => held.length === count, `${count} calls are made`)
  const isAborted = (at: number) => turnUntil(() => held[at]?.isClosed === true, `call ${at} is aborted`)
  const entryOf = (requestId: string | null) =>
    until('the entry is written', async () => {
      const answer = await scene.gateway.get(`/v1/logs/${requestId}?workspace_id=default`)
      return answer.status === 200 ? json(answer) : undefined
    })
  const usedBy = async (name: keyof typeof keys) => {
    const dry = await scene.gateway.post(
      '/v1/dry-run',
      { endpoint: 'chatComplete', headers: { 'x-gateway-provider': 'echo' }, body: chat() },
      asKey(keyText(name)),
    )
    const { limits } = (await dry.json()) as { limits: { used: number; reserved: number }[] }
    return { used: limits[0]?.used, reserved: limits[0]?.reserved }
  }

  const usedOf = async (slug: string): Promise<{ used: number; reserved: number }> => {
    const dry = await scene.gateway.post('/v1/dry-run', {
      endpoint: 'chatComplete',
      headers: { 'x-gateway-provider': `@${slug}` },
      body: chat(),
    })
    const { limits } = (await dry.json()) as { limits: { used: number; reserved: number; param: string }[] }
    const found = limits.find(({ param }) => param === `providers/${slug}`)
    return { used: Number(found?.used), reserved: Number(found?.reserved) }
  }

  it('is checked by input guardrails once, before both calls, and by output guardrails for the winner only', async () => {
    hold('slow')
    const config = scene.leaf('slow', { hedge, input_guardrails: ['polite'], output_guardrails: ['polite'] })
    const asked = scene.ask(config)
    await called(2)
    say(held[1], 'good')
    const { status, body } = await asked
    expect(status).to.equal(200)
    const { before_request_hooks: before, after_request_hooks: after } = (body.hook_results ?? {}) as Record<
      string,
      unknown[]
    >
    expect([before?.length, after?.length]).to.deep.equal([1, 1])
    await isAborted(0)
  })

  it('is denied when its winner is denied, without waiting for the other call', async () => {
    hold('slow')
    const asked = scene.ask(scene.leaf('slow', { hedge, output_guardrails: ['polite'] }))
    await called(2)
    say(held[0], 'bad')
    expect((await asked).status).to.equal(446)
    await isAborted(1)
  })

  it('is not made at all when an input guardrail denies', async () => {
    hold('slow')
    const config = scene.leaf('slow', { hedge: { after_ms: 1 }, input_guardrails: ['polite'] })
    expect((await scene.ask(config, { body: chat('bad') })).status).to.equal(446)
    expect(held).to.deep.equal([])
  })

  it('counts as one request of the key, and the aborted call is charged with the estimate of its input', async () => {
    hold('slow')
    for (const name of ['counted', 'budgeted'] as const) {
      const from = held.length
      const before = await usedBy(name)
      const asked = scene.ask(scene.leaf('slow', { hedge }), { headers: asKey(keyText(name)) })
      await called(from + 2)
      say(held[from + 1], 'second')
      const reply = await asked
      expect([reply.status, reply.headers.get('x-gateway-hedge-count')]).to.deep.equal([200, '1'])
      const expected = Number(before.used) + (name === 'counted' ? 1 : usage.total_tokens + inputTokens)
      await until('it is settled', async () => (await usedBy(name)).reserved === 0)
      expect(await usedBy(name)).to.deep.equal({ used: expected, reserved: 0 })
    }
  })

  for (const winner of [0, 1])
    it(`is charged to its target: the usage of the winner (call ${winner}) and the input of the aborted one`, async () => {
      hold('metered')
      const from = held.length
      const before = await usedOf('metered')
      const asked = scene.ask({ provider: '@metered', hedge }, { body: chat('hello', { max_tokens: 50 }) })
      await called(from + 2)
      say(held[from + winner], 'good')
      expect((await asked).status).to.equal(200)
      await until('it is settled', async () => (await usedOf('metered')).reserved === 0)
      expect((await usedOf('metered')).used - before.used).to.equal(usage.total_tokens + inputTokens)
    })

  for (const winner of [0, 1])
    it(`is charged for the sent part of a stream that is cut off, when call ${winner} wins`, async () => {
      hold('slow')
      const asked = scene.ask(scene.leaf('slow', { hedge }), {
        body: chat('hello', { stream: true, max_tokens: 5000 }),
      })
      await called(2)
      const { response } = held[winner] as Held
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const choices = [{ index: 0, delta: { content: 'four' }, finish_reason: null }]
      for (let word = 0; word < 5; word += 1)
        response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices })}\n\n`)
      await isAborted(1 - winner)
      response.end()
      const reply = await asked
      const entry = await entryOf(reply.headers.get('x-request-id'))
      expect(entry).to.include({ req_units: 2 * inputTokens, res_units: 5, is_estimate: true })
    })

  it('keeps no reservation when the caller disconnects from both calls', async () => {
    hold('slow')
    const before = await usedBy('budgeted')
    await scene.askAndLeave(scene.leaf('slow', { hedge: { after_ms: 1 } }), {
      headers: asKey(keyText('budgeted')),
      body: chat('hello', { max_tokens: 50 }),
    })
    await until('all is given back', async () => (await usedBy('budgeted')).reserved === 0)
    expect(await usedBy('budgeted')).to.deep.equal(before)
  })

  it("waits for its first call when the target's limit leaves no room for a second", async () => {
    hold('narrow')
    const asked = scene.ask({ provider: '@narrow', hedge })
    await called(1)
    await new Promise((resolve) => setTimeout(resolve, 60))
    say(held[0], 'first')
    const reply = await asked
    expect([reply.status, reply.body.model]).to.deep.equal([200, 'm'])
    expect(reply.headers.get('x-gateway-hedge-count')).to.equal(null)
    expect(held).to.have.length(1)
  })

  it('uses the next target when one is refused', async () => {
    hold('a', 'c')
    await scene.ask({ provider: '@used' })
    for (const mode of ['fallback', 'loadbalance'] as const) {
      const from = held.length
      const asked = scene.ask({
        ...tree(mode, [scene.leaf('a'), { provider: '@used' }, scene.leaf('c')]),
        hedge,
      })
      await called(from + 2)
      expect(held.slice(from).map(({ name }) => name)).to.deep.equal(['a', 'c'])
      say(held[from + 1], 'c')
      const reply = await asked
      expect([reply.index, reply.headers.get('x-gateway-hedge-count')]).to.deep.equal([
        'config.targets[2]',
        '1',
      ])
    }
  })

  it('skips a target with an open circuit', async () => {
    hold('a', 'c')
    scene.answers.b = 500
    const cb_config = { failure_threshold: 1, cooldown_interval: 30_000 }
    await scene.ask(scene.leaf('b', { cb_config }))
    const config = {
      ...tree('fallback', [scene.leaf('a'), scene.leaf('b', { cb_config }), scene.leaf('c')]),
      hedge,
    }
    const asked = scene.ask(config)
    await called(2)
    expect(held.map(({ name }) => name)).to.deep.equal(['a', 'c'])
    say(held[1], 'c')
    expect((await asked).index).to.equal('config.targets[2]')
  })

  it('logs both calls, which one was the hedge, and which one was aborted', async () => {
    hold('slow')
    const asked = scene.ask(scene.leaf('slow', { hedge }))
    await called(2)
    say(held[1], 'second')
    const reply = await asked
    await isAborted(0)
    const entry = await entryOf(reply.headers.get('x-request-id'))
    expect(entry).to.include({ hedge_count: 1, req_units: 4 + inputTokens, res_units: 3, is_estimate: true })
    const calls = (entry.decisions as unknown as Record<string, unknown>[]).filter(
      ({ step }) => step === 'call',
    )
    expect(calls.find((call) => call.hedge === true)).to.include({ status: 200, aborted: false })
    expect(calls.filter((call) => call.hedge === false && call.aborted === false)).to.deep.equal([])
  })
})

if (isRedisInstalled()) describe('a hedged call on two replicas', describeReplicas)
else console.log('left out: hedged calls on two replicas, because Redis is not installed here')

function describeReplicas(this: Mocha.Suite): void {
  let redis: RedisServer
  let upstream: Upstream
  let replicas: TestGateway[] = []
  let held: ServerResponse[] = []

  before(async () => {
    redis = await startRedis()
    upstream = await openUpstream((_request, response) => void held.push(response))
    const leaf = { provider: 'openai', api_key: 'sk-1', custom_host: upstream.url, hedge }
    const config = {
      api_keys: apiKeys,
      configs: { hedged: { ...leaf, cb_config: { failure_threshold: 1, cooldown_interval: 30_000 } } },
    }
    const environment = {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      GATEWAY_STORE_URL: 'memory:',
      GATEWAY_REDIS_URL: redis.url,
    }
    replicas = [await startGateway(config, { environment }), await startGateway(config, { environment })]
  })
  after(async () => {
    for (const replica of replicas) await replica.stop()
    await upstream?.close()
    await redis?.stop()
  })

  it('counts once for both replicas, and the losing call opens no circuit', async () => {
    const remaining: (string | null)[] = []
    for (const replica of [...replicas, ...replicas]) {
      held = []
      const asked = replica.post('/v1/chat/completions', chat(), {
        ...asKey(keyText('counted')),
        'x-gateway-config': 'hedged',
      })
      await turnUntil(() => held.length === 2, 'both calls are made')
      sendJson(held[1] as ServerResponse, 200, chatAnswer('second'))
      const answer = await asked
      expect(answer.status).to.equal(200)
      remaining.push(answer.headers.get('x-ratelimit-remaining-requests'))
      await answer.arrayBuffer()
    }
    expect(remaining).to.deep.equal(['9', '8', '7', '6'])
    for (const replica of replicas) {
      const { data } = (await (await replica.get('/v1/target-health?workspace_id=default')).json()) as {
        data: { state: string; failures: number }[]
      }
      expect(data.map(({ state, failures }) => ({ state, failures }))).to.deep.equal([
        { state: 'closed', failures: 0 },
      ])
    }
  })
}
