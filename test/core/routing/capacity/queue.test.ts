/** Requests that wait for room at their providers. */
import { expect } from 'chai'
import { stopClock, turnUntil } from '../../../support/clock.ts'
import { adminKey, chat, configHeader } from '../../../support/gateway.ts'
import { type Reply, readReply, tree } from '../../../support/scene.ts'
import { answerOk } from '../../../support/upstream.ts'
import { decisionsOf, explained, full, leaf, openLimited, requestsLeft, says } from './scene.ts'

describe('the queue of a config', () => {
  const scene = openLimited({ max_waiting_requests: 6 })
  const clock = stopClock()
  let count = 0
  let model = ''
  beforeEach(() => {
    count += 1
    model = `queued-${count}`
  })
  const waiting = (extra: Record<string, unknown> = {}, queue: Record<string, unknown> = {}) =>
    leaf('a', { queue: { max_wait_ms: 60_000, ...queue }, ...extra })
  const body = (content = 'hello', extra: Record<string, unknown> = {}) => chat(content, { model, ...extra })
  const ask = (config: unknown, content = 'hello', headers = {}): Promise<Reply> =>
    scene.ask(config, { body: body(content), headers })
  const queued = () => scene.gateway.runtime.capacity.queue.size
  /** Starts a request and waits until it is in the queue. */
  const begin = async (config: unknown, content?: string, headers?: Record<string, string>) => {
    const before = queued()
    const reply = ask(config, content, headers)
    await turnUntil(() => queued() > before, 'the request waits')
    return reply as Promise<Reply> & object
  }
  /** The texts of the requests that reached the provider, in order. */
  const texts = () =>
    scene.upstream.seen
      .filter(({ json }) => json?.model === model)
      .map(({ json }) => (json?.messages as { content: string }[] | undefined)?.[0]?.content)
  const fill = async (...next: Parameters<typeof says>[]) => {
    scene.answers = { a: [full(), ...next.map((one) => says(...one)), answerOk] }
    await clock.run(ask(leaf('a'), 'fill'))
  }
  const over = async (reply: Promise<Reply>) => clock.run(reply)

  it('holds a request until the window resets, and records the wait', async () => {
    await fill()
    const pending = { reply: begin(waiting(), 'wait', explained) }
    await turnUntil(() => queued() === 1, 'the request waits')
    await clock.tick(29_900)
    expect(texts()).to.deep.equal(['fill'])
    await clock.tick(100)
    const reply = await over(pending.reply)
    expect(reply.status).to.equal(200)
    expect(decisionsOf(reply, 'queue')[0]).to.include({ outcome: 'served', priority: 50 })
    expect(decisionsOf(reply, 'queue')[0]?.waited_ms).to.be.a('number')
    const metrics = await (await scene.gateway.get('/metrics')).text()
    expect(metrics).to.contain('gateway_queue_wait_seconds_count{outcome="served"} 1')
    expect(metrics).to.contain('gateway_queue_waiting 0')
  })

  it('does not hold a request that has room', async () => {
    scene.answers = { a: says(requestsLeft(5)) }
    for (let index = 0; index < 2; index += 1) {
      const reply = await clock.run(ask(waiting(), 'go', explained))
      expect([reply.status, decisionsOf(reply, 'queue')]).to.deep.equal([200, []])
    }
  })

  it('serves by priority, then in order of arrival', async () => {
    await fill([requestsLeft(10)])
    const order: [content: string, priority: unknown][] = [
      ['batch', 'batch'],
      ['first', 'interactive'],
      ['second', undefined],
      ['urgent', 100],
      ['idle', 0],
    ]
    const replies: Promise<Reply>[] = []
    for (const [content, priority] of order) {
      const before = queued()
      replies.push(ask(waiting({ weight: replies.length + 1 }, { priority }), content))
      if (before < 3) await turnUntil(() => queued() > before, 'the request waits')
    }
    // Half of the places are for one key.
    const refused = await clock.run(Promise.all(replies.slice(3)))
    expect(refused.map(({ status }) => status)).to.deep.equal([429, 429])
    await clock.tick(30_000)
    await over(Promise.all(replies).then(([one]) => one as Reply))
    expect(texts()).to.deep.equal(['fill', 'first', 'second', 'batch'])
  })

  it('gives up after max_wait_ms with 429 and the time of the reset', async () => {
    await fill()
    const pending = { reply: begin(waiting({}, { max_wait_ms: 10_000 }), 'late', explained) }
    await turnUntil(() => queued() === 1, 'the request waits')
    await clock.tick(10_000)
    const reply = await over(pending.reply)
    expect([reply.status, reply.error.code]).to.deep.equal([429, 'capacity_exhausted'])
    expect(Number(reply.headers.get('retry-after'))).to.be.within(19, 20)
    expect(decisionsOf(reply, 'queue')[0]?.outcome).to.equal('timeout')
    expect(texts()).to.deep.equal(['fill'])
  })

  it('counts the wait towards request_timeout', async () => {
    await fill()
    const pending = { reply: begin(waiting({ request_timeout: 5000 }), 'slow') }
    await turnUntil(() => queued() === 1, 'the request waits')
    await clock.tick(5000)
    const reply = await over(pending.reply)
    expect([reply.status, reply.error.code]).to.deep.equal([408, 'request_timeout'])
    expect(texts()).to.deep.equal(['fill'])
  })

  it('lets a fallback above it continue after the wait', async () => {
    await fill()
    const config = tree('fallback', [waiting({}, { max_wait_ms: 1000 }), leaf('b')])
    const pending = { reply: begin(config, 'onwards') }
    await turnUntil(() => queued() === 1, 'the request waits')
    await clock.tick(1000)
    expect((await over(pending.reply)).index).to.equal('config.targets[1]')
  })

  it('removes a request whose caller disconnects', async () => {
    await fill()
    const caller = new AbortController()
    const left = fetch(`${scene.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gateway-api-key': adminKey,
        ...configHeader(waiting()),
      },
      body: JSON.stringify(body('leaves')),
      signal: caller.signal,
    }).catch(() => null)
    await turnUntil(() => queued() === 1, 'the request waits')
    caller.abort()
    await left
    await turnUntil(() => queued() === 0, 'the request has left')
    await clock.tick(30_000)
    expect(texts()).to.deep.equal(['fill'])
  })

  it('waits again when the provider has no room after all', async () => {
    await fill([requestsLeft(0, '20s'), 429])
    const pending = { reply: begin(waiting(), 'twice', explained) }
    await turnUntil(() => queued() === 1, 'the request waits')
    await clock.tick(30_000)
    await turnUntil(() => texts().length === 2 && queued() === 1, 'the request waits again')
    await clock.tick(20_000)
    const reply = await over(pending.reply)
    expect(reply.status).to.equal(200)
    expect(decisionsOf(reply, 'queue')).to.have.length(2)
    expect(texts()).to.deep.equal(['fill', 'twice', 'twice'])
  })

  it('waits for a full target when the other one refuses the request', async () => {
    await fill()
    const config = {
      ...tree('loadbalance', [leaf('a'), leaf('spent')]),
      queue: { max_wait_ms: 60_000 },
    }
    const pending = { reply: begin(config, 'patient') }
    await turnUntil(() => queued() === 1, 'the request waits')
    await clock.tick(30_000)
    const reply = await over(pending.reply)
    expect([reply.status, reply.index]).to.deep.equal([200, 'config.targets[0]'])
  })

  it('uses the target that has room first', async () => {
    scene.answers = { a: [full('40s'), answerOk], b: [full('10s'), answerOk] }
    for (const name of ['a', 'b']) await clock.run(ask(leaf(name), 'fill'))
    const config = { ...tree('loadbalance', [leaf('a'), leaf('b')]), queue: { max_wait_ms: 60_000 } }
    const pending = { reply: begin(config, 'either') }
    await turnUntil(() => queued() === 1, 'the request waits')
    await clock.tick(10_000)
    expect((await over(pending.reply)).index).to.equal('config.targets[1]')
  })

  describe('checks a request again that leaves it:', () => {
    const createKey = async (extra: Record<string, unknown> = {}) => {
      const made = await scene.gateway.post('/v1/api-keys', {
        name: `key ${count}`,
        type: 'workspace-service',
        workspace_id: 'default',
        scopes: ['completions.write', 'logs.view'],
        ...extra,
      })
      const { id, key } = (await made.json()) as { id: string; key: string }
      expect(made.status).to.equal(200)
      return { id, headers: { 'x-gateway-api-key': key } }
    }
    const whileWaiting = async (headers: Record<string, string>, act: () => Promise<Response>) => {
      await fill()
      const pending = { reply: begin(waiting(), 'checked', headers) }
      await turnUntil(() => queued() === 1, 'the request waits')
      const acted = await clock.run(act())
      expect(acted.status, await acted.clone().text()).to.be.oneOf([200, 204])
      await clock.tick(30_000)
      const reply = await over(pending.reply)
      expect(texts()).to.deep.equal(['fill'])
      return reply
    }

    it('its key', async () => {
      const { id, headers } = await clock.run(createKey())
      const reply = await whileWaiting(headers, () =>
        fetch(`${scene.gateway.url}/v1/api-keys/${id}`, {
          method: 'DELETE',
          headers: { 'x-gateway-api-key': adminKey },
        }),
      )
      expect([reply.status, reply.error.code]).to.deep.equal([401, 'invalid_api_key'])
    })

    it('its budget', async () => {
      const { id, headers } = await clock.run(
        createKey({ usage_limits: [{ type: 'tokens', credit_limit: 1000 }] }),
      )
      await clock.run(scene.ask(leaf('b'), { headers, body: chat('spends', { model: 'other' }) }))
      const reply = await whileWaiting(headers, () =>
        fetch(`${scene.gateway.url}/v1/api-keys/${id}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', 'x-gateway-api-key': adminKey },
          body: JSON.stringify({ usage_limits: [{ type: 'tokens', credit_limit: 3 }] }),
        }),
      )
      expect([reply.status, reply.error.code]).to.deep.equal([412, 'usage_limit_exceeded'])
    })
  })

  it('is not used for an answer from the cache', async () => {
    const cached = waiting({ cache: { mode: 'simple' } })
    scene.answers = { a: [full()] }
    await clock.run(ask(cached, 'same'))
    const reply = await clock.run(ask(cached, 'same'))
    expect(reply.headers.get('x-gateway-cache-status')).to.equal('HIT')
  })

  const invalid: [queue: unknown, param: string][] = [
    [{}, 'config/queue/max_wait_ms'],
    [{ max_wait_ms: 0 }, 'config/queue/max_wait_ms'],
    [{ max_wait_ms: 600_001 }, 'config/queue/max_wait_ms'],
    [{ max_wait_ms: 1000, priority: 'urgent' }, 'config/queue/priority'],
    [{ max_wait_ms: 1000, priority: 101 }, 'config/queue/priority'],
    [{ max_wait_ms: 1000, priority: -1 }, 'config/queue/priority'],
    [{ max_wait_ms: 1000, priority: 1.5 }, 'config/queue/priority'],
    [{ max_wait_ms: 1000, priority: null }, 'config/queue/priority'],
    [{ max_wait_ms: 1000, lane: 1 }, 'config/queue'],
  ]
  for (const [queue, param] of invalid)
    it(`refuses ${JSON.stringify(queue)}`, async () => {
      const { status, error } = await clock.run(ask(leaf('a', { queue })))
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_config', param])
    })
})

describe('a stopping gateway with waiting requests', () => {
  const start = async (server: Record<string, unknown>, reset: string) => {
    const { openUpstream } = await import('../../../support/upstream.ts')
    const { startGateway } = await import('../../../support/gateway.ts')
    let calls = 0
    const upstream = await openUpstream((request, response) => {
      calls += 1
      return (calls === 1 ? full(reset) : answerOk)(request, response, calls)
    })
    const providers = { a: { provider: 'openai', api_key: 'sk-1', custom_host: upstream.url } }
    const gateway = await startGateway({ server, providers })
    const post = (config: unknown) => gateway.post('/v1/chat/completions', chat(), configHeader(config))
    await (await post(leaf('a'))).text()
    const reply = post(leaf('a', { queue: { max_wait_ms: 60_000 } })).then(readReply)
    await turnUntil(() => gateway.runtime.capacity.queue.size === 1, 'the request waits')
    await gateway.stop()
    await upstream.close()
    return reply
  }

  it('serves them within the grace period', async () => {
    expect((await start({ shutdown_grace_ms: 20_000 }, '300ms')).status).to.equal(200)
  })

  it('answers 503 shutting_down at its end', async () => {
    const { status, error } = await start({ shutdown_grace_ms: 50 }, '60s')
    expect([status, error.code]).to.deep.equal([503, 'shutting_down'])
  })
})
