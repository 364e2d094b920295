/** Limits of keys, workspaces and policies over HTTP: refusals, errors and counts. */

import { GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import { stopClock, turnUntil } from '../../../support/clock.ts'
import { chat } from '../../../support/gateway.ts'
import { openScene, type Reply, tree } from '../../../support/scene.ts'
import { answerOk, sendJson } from '../../../support/upstream.ts'
import { asKey, limitedKey, pricing, ratesOf, reports, usageOf } from './scene.ts'

const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o'] as const
type Name = (typeof texts)[number]
const textOf = (name: Name) => `gw-limited-key-of-test-${name}`

const keys: Record<Name, Record<string, unknown>> = {
  a: { rate_limits: { type: 'requests', unit: 'rpm', value: 2 } },
  b: { rate_limits: { type: 'tokens', unit: 'rpm', value: 100 } },
  c: { usage_limits: { type: 'tokens', credit_limit: 30, alert_threshold: 10, periodic_reset: 'weekly' } },
  d: { usage_limits: { credit_limit: 0.5 } },
  e: { rate_limits: { type: 'requests', unit: 'rph', value: 0 } },
  f: { usage_limits: { type: 'requests', credit_limit: 3 } },
  g: {
    rate_limits: [{ type: 'requests', unit: 'rpm', value: 1 }],
    usage_limits: { type: 'requests', credit_limit: 1 },
  },
  h: { usage_limits: { type: 'tokens', credit_limit: 1000 } },
  i: {
    rate_limits: [
      { type: 'requests', unit: 'rpm', value: 1 },
      { type: 'requests', unit: 'rpd', value: 1 },
    ],
  },
  j: {},
  k: { rate_limits: { type: 'requests', unit: 'rps', value: 1 } },
  l: { rate_limits: { type: 'tokens', unit: 'rpm', value: 1000 } },
  m: { rate_limits: { type: 'requests', unit: 'rpm', value: 100 } },
  n: { rate_limits: { type: 'tokens', unit: 'rpm', value: 10 } },
  o: { usage_limits: { credit_limit: 0.5 } },
}

describe('request limits', () => {
  const clock = stopClock()
  const scene = openScene((origin) => ({
    api_keys: Object.entries(keys).map(([name, limits]) => ({
      ...limitedKey(limits, textOf(name as Name)),
      name,
      ...(name === 'j' ? { defaults: { metadata: { team: 'red' } } } : {}),
    })),
    providers: {
      priced: {
        provider: 'openai',
        api_key: 'sk-1',
        custom_host: `${origin}/priced/v1`,
        models: [
          { slug: 'm', pricing_config: pricing },
          { slug: 'i', pricing_config: { pay_as_you_go: { image: { hd: { price: 100 } } } } },
        ],
      },
    },
    policies: {
      rate_limits: [
        {
          conditions: [{ key: 'metadata.team', value: 'red' }],
          group_by: [{ key: 'metadata._user' }],
          type: 'requests',
          unit: 'rpm',
          value: 1,
        },
      ],
    },
  }))

  const hello = { model: '@priced/m', messages: [{ role: 'user', content: 'hello you' }] }
  const ask = (name: Name, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    scene.ask(null, { body: { ...hello, ...body }, headers: { ...asKey(textOf(name)), ...headers } })
  const statuses = async (name: Name, times: number, body: Record<string, unknown> = {}) => {
    const seen: number[] = []
    for (let time = 0; time < times; time += 1) seen.push((await ask(name, body)).status)
    return seen
  }

  it('allow the configured number of requests, and report how many are left', async () => {
    const replies: Reply[] = []
    for (let time = 0; time < 3; time += 1) replies.push(await ask('a'))
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 429])
    expect(replies.map(({ headers }) => ratesOf(headers, 'requests').remaining)).to.deep.equal([
      '1',
      '0',
      '0',
    ])
    expect(replies.map(({ headers }) => ratesOf(headers, 'requests').limit)).to.deep.equal(['2', '2', '2'])
    expect(scene.calls()).to.have.length(2)
  })

  it('report which limit was exceeded, and when to retry', async () => {
    await ask('k')
    const { status, error, headers } = await ask('k')
    expect(status).to.equal(429)
    expect(error).to.deep.include({ type: 'rate_limit_error', code: 'rate_limit_exceeded' })
    expect(error.param).to.match(/^api-keys\/[0-9a-f-]{36}$/)
    expect(error.message).to.include('1 requests').and.to.include('rps').and.to.include('API key "k"')
    expect(headers.get('retry-after')).to.equal('1')
    // The window slides: in the next second the last one still counts proportionally.
    await clock.tick(2000)
    expect((await ask('k')).status).to.equal(200)
  })

  it('name the limit that resets last', async () => {
    await ask('i')
    expect((await ask('i')).error.message).to.include('rpd')
  })

  it('of 0 block every request', async () => {
    expect(await statuses('e', 1)).to.deep.equal([429])
    expect(scene.calls()).to.deep.equal([])
  })

  it('report exhausted budgets before rates, without retry-after', async () => {
    await ask('g')
    const { status, error, headers } = await ask('g')
    expect([status, error.type, error.code]).to.deep.equal([412, 'budget_error', 'usage_limit_exceeded'])
    expect(error.message).to.include('1 requests').and.to.include('next_usage_reset_at')
    expect(error.message).to.include('API key "g"')
    expect(headers.get('retry-after')).to.equal(null)
    expect(ratesOf(headers, 'requests').remaining).to.equal('0')
  })

  it('count the tokens that the provider reports after its answer', async () => {
    scene.answers = { priced: reports(usageOf(30, 20)) }
    const first = await ask('b')
    expect(ratesOf(first.headers, 'tokens')).to.deep.include({ limit: '100', remaining: '50' })
    const second = await ask('b')
    expect(ratesOf(second.headers, 'tokens').remaining).to.equal('0')
    expect((await ask('b')).status).to.equal(429)
  })

  it('count the estimate when the provider reports no usage, and mark it in the log', async () => {
    scene.answers = { priced: reports(null) }
    // Nine bytes are three tokens; two choices of ten at most.
    const { headers } = await ask('l', { n: 2, max_tokens: 10 })
    expect(ratesOf(headers, 'tokens').remaining).to.equal(String(1000 - 3 - 20))
    expect(scene.gateway.logs.at(-1)).to.include({
      prompt_tokens: 3,
      completion_tokens: 20,
      is_estimate: true,
    })
  })

  it('allow one request in an empty window, even if its estimate exceeds the limit', async () => {
    scene.answers = { priced: reports(usageOf(2, 2)) }
    expect(await statuses('n', 3, { max_tokens: 1000 })).to.deep.equal([200, 429, 429])
    expect(await statuses('n', 1, { max_tokens: 2 })).to.deep.equal([200])
  })

  it('count nothing for a request that failed before any output', async () => {
    scene.answers = { priced: [500, 500, reports(usageOf(5, 5))] }
    expect((await ask('h', { max_tokens: 900 })).status).to.equal(500)
    expect((await ask('h', { max_tokens: 900 })).status).to.equal(500)
    expect((await ask('h')).status).to.equal(200)
  })

  it('count the tokens of every attempt, and one request', async () => {
    scene.answers = { a: 503, b: 200 }
    const config = tree('fallback', [scene.leaf('a'), scene.leaf('b')])
    const reply = await scene.ask(config, { body: chat(), headers: asKey(textOf('m')) })
    expect(reply.status).to.equal(200)
    expect(ratesOf(reply.headers, 'requests').remaining).to.equal('99')
  })

  it("replace the provider's own rate limit headers, on errors too", async () => {
    scene.answers = {
      priced: (request, response, count) => {
        response.setHeader('x-ratelimit-remaining-tokens', '7')
        response.setHeader('x-ratelimit-remaining-requests', '7')
        if (request.json?.model === 'm') sendJson(response, 500, { error: { message: 'no' } })
        else answerOk(request, response, count)
      },
    }
    const { headers } = await ask('m')
    expect(ratesOf(headers, 'requests').remaining).to.equal('98')
    expect(ratesOf(headers, 'tokens').remaining).to.equal(null)
    const free = await scene.ask(null, { body: hello })
    expect(ratesOf(free.headers, 'requests').remaining).to.equal('7')
  })

  it('stop at a token budget, report its threshold and its end once, and start again', async () => {
    scene.answers = { priced: reports(usageOf(6, 6)) }
    // Requests are admitted while anything is left.
    expect(await statuses('c', 4)).to.deep.equal([200, 200, 200, 412])
    const told = scene.gateway.logs.flatMap(({ event, current_usage }) =>
      String(event).startsWith('usage_limit.') && Number(current_usage) > 5 ? [[event, current_usage]] : [],
    )
    expect(told).to.deep.equal([
      ['usage_limit.threshold', 12],
      ['usage_limit.exhausted', 36],
    ])
    await clock.tick(7 * 86_400_000)
    expect((await ask('c')).status).to.equal(200)
  })

  it('stop at a cost budget, by the price of the model', async () => {
    scene.answers = { priced: reports(usageOf(10, 10)) }
    // 30 cents each.
    expect(await statuses('d', 3)).to.deep.equal([200, 200, 412])
    expect(scene.gateway.logs.findLast(({ status }) => status === 200)).to.include({
      cost: 30,
      cost_known: true,
    })
    expect((await ask('d')).error.message).to.include('0.5 USD')
  })

  it('reserve the price of an image in its quality while it is generated', async () => {
    let answerAll = () => {}
    const isTime = new Promise<void>((resolve) => {
      answerAll = resolve
    })
    scene.answers = {
      priced: async (_request, response) => {
        await isTime
        sendJson(response, 200, { created: 1, data: [{ url: 'https://images.test/1' }] })
      },
    }
    const draw = () =>
      scene.ask(null, {
        path: '/v1/images/generations',
        body: { model: '@priced/i', prompt: 'a fox', quality: 'hd' },
        headers: asKey(textOf('o')),
      })
    const first = draw()
    await turnUntil(() => scene.calls().length === 1, 'the first image')
    const logged = scene.gateway.logs.length
    const second = draw()
    await turnUntil(() => scene.calls().length === 2 || scene.gateway.logs.length > logged, 'the second')
    answerAll()
    expect([(await first).status, (await second).status]).to.deep.equal([200, 412])
  })

  it('allow exactly the limit of concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask('f')))
    expect(replies.filter(({ status }) => status === 200)).to.have.length(3)
    expect(replies.filter(({ status }) => status === 412)).to.have.length(9)
  })

  it('of a policy apply to each of its groups, and name it', async () => {
    const metadata = (user: string) => ({ 'x-gateway-metadata': JSON.stringify({ _user: user }) })
    const seen: number[] = []
    for (const user of ['ann', 'bob', 'ann']) seen.push((await ask('j', {}, metadata(user))).status)
    expect(seen).to.deep.equal([200, 200, 429])
    const { error } = await ask('j', {}, metadata('ann'))
    expect(error.param).to.match(/^policies\/rate-limits\/[0-9a-f-]{36}$/)
    expect(error.message).to.include('metadata._user:ann (rate limit policy "')
    // Without a value the policy does not apply to the request.
    expect([(await ask('j')).status, (await ask('j')).status]).to.deep.equal([200, 200])
  })

  it('do not apply to a caller without limits', async () => {
    const reply = await scene.ask(null, { body: hello })
    expect(reply.status).to.equal(200)
    expect(ratesOf(reply.headers, 'requests').limit).to.equal(null)
  })

  it('keep no reservation when a caller disconnects', async () => {
    await clock.tick(120_000)
    scene.answers = { priced: () => undefined }
    const before = scene.gateway.logs.length
    const caller = new AbortController()
    const left = fetch(`${scene.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...asKey(textOf('n')) },
      body: JSON.stringify({ ...hello, max_tokens: 1000 }),
      signal: caller.signal,
    }).catch(() => null)
    await turnUntil(() => scene.calls().length > 0, 'the call')
    expect((await ask('n')).status).to.equal(429)
    caller.abort()
    await left
    await turnUntil(
      () => scene.gateway.logs.slice(before).some(({ outcome }) => outcome === 'client_closed_request'),
      'the end',
    )
    scene.answers = { priced: reports(usageOf(1, 1)) }
    expect((await ask('n')).status).to.equal(200)
  })

  it('do not fail an answer when its usage cannot be counted, and log it', async () => {
    const { counters } = scene.gateway.runtime.store
    const { settle } = counters
    counters.settle = () => Promise.reject(new Error('the counters are gone'))
    try {
      scene.answers = { priced: reports(usageOf(1, 1)) }
      expect((await ask('l')).status).to.equal(200)
      const told = scene.gateway.logs.filter(({ reason }) => reason === 'the counters are gone')
      expect(told).to.have.length(1)
    } finally {
      counters.settle = settle
    }
  })

  it('refuse requests when no store can count', async () => {
    const { counters } = scene.gateway.runtime.store
    const { reserve } = counters
    counters.reserve = () => Promise.reject(new GatewayError('store_unavailable', 'Gone.'))
    try {
      const { status, error } = await ask('d')
      expect([status, error.code]).to.deep.equal([503, 'store_unavailable'])
      expect(scene.calls()).to.deep.equal([])
      expect((await scene.ask(null, { body: hello })).status).to.equal(200)
    } finally {
      counters.reserve = reserve
    }
  })
})
