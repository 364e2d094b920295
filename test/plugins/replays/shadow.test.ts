/** Shadows: requests that also run against another config after their answer has been sent. */
import { expect } from 'chai'
import { pretendIdle } from '../../support/clock.ts'
import { chat, configHeader, startGateway } from '../../support/gateway.ts'
import { turns, until } from '../../support/until.ts'
import { chatEvents, openUpstream, sendEvents, sendJson } from '../../support/upstream.ts'
import { candidate, openReplays, says } from './scene.ts'

type Body = Record<string, unknown>

const other = { ...candidate }
const shadowed = (shadow: Body = {}, more: Body = {}) => ({
  virtual_key: 'old',
  shadow: { config: other, ...shadow },
  ...more,
})

describe('a shadow', () => {
  pretendIdle()
  const scene = openReplays()
  let count = 0

  beforeEach(() => {
    scene.answers.old = says('old', [100, 20])
    scene.answers.new = says('new', [100, 10])
  })

  const ask = (
    config: Body,
    body: Body = chat('hello', { model: 'gpt-4o' }),
    headers: Record<string, string> = {},
  ) => scene.ask(body, { 'x-gateway-virtual-key': '', ...configHeader(config), ...headers })
  const outcomes = async (): Promise<Record<string, number>> => {
    const text = await (await scene.api.gateway.get('/metrics')).text()
    return Object.fromEntries(
      [...text.matchAll(/gateway_shadow_total\{outcome="(\w+)"\} (\d+)/g)].map(([, name, value]) => [
        name,
        Number(value),
      ]),
    )
  }
  /** Returns the outcomes of the shadows of these requests. */
  const outcomesOf = async (act: () => Promise<unknown>) => {
    const before = await outcomes()
    await act()
    await settled()
    const after = await outcomes()
    return Object.fromEntries(
      Object.entries(after).flatMap(([name, value]) => {
        const more = value - (before[name] ?? 0)
        return more === 0 ? [] : [[name, more]]
      }),
    )
  }
  const settled = () => until('nothing runs', () => scene.api.gateway.runtime.inFlight.count === 0)
  const saved = async (config: Body) => {
    count += 1
    const made = await scene.api.post('/v1/configs', {
      ...{ name: 'Shadowed', slug: `shadowed-${count}`, workspace_id: 'default', config },
    })
    expect(made.status, made.text).to.equal(200)
    return String(made.body.slug)
  }
  /** Waits until the replay has counted this many pairs. */
  const replayOf = (slug: string, pairs = 1) =>
    until(`the replay of ${slug} counts its pairs`, async () => {
      const { data } = await scene.api.get('/v1/replays?page_size=100')
      const found = data.find((each) => (each.shadow as Body | null)?.config === slug)
      return (found?.counts as { total: number } | undefined)?.total === pairs ? found : null
    })
  const logs = async (query: string) => {
    await scene.flush()
    return (await scene.api.get(`/v1/logs?${query}`)).data
  }

  it('runs the request against the other config, after the answer, and compares both in a running replay', async () => {
    const slug = await saved(shadowed())
    const trace = `trace-${slug}`
    const seen = await outcomesOf(async () => {
      for (let index = 0; index < 3; index += 1)
        await scene.ask(chat(`question ${index}`, { model: 'gpt-4o' }), {
          'x-gateway-virtual-key': '',
          'x-gateway-config': slug,
          'x-gateway-trace-id': trace,
        })
    })
    expect(seen).to.deep.equal({ completed: 3 })
    expect(scene.callsOf('new').at(-1)?.json).to.deep.include({
      model: 'gpt-4o-mini',
      messages: chat('question 2').messages,
    })
    const replay = await replayOf(slug, 3)
    expect(replay).to.deep.include({ type: 'shadow', status: 'running', config: other, api_key_id: null })
    expect(replay.shadow).to.deep.equal({ config: slug, path: 'config', sample_percent: 100 })
    expect(replay.counts).to.deep.include({ total: 3, completed: 3 })
    const report = await scene.api.get(`/v1/replays/${replay.id}`)
    expect(report.body.candidate).to.deep.include({ requests: 3, output_tokens: 30 })
    expect(report.body.baseline).to.deep.include({ requests: 3, output_tokens: 60 })
    const pairs = await scene.api.get(`/v1/replays/${replay.id}/pairs`)
    expect(pairs.data).to.have.length(3)
    const [usual, ofShadow] = [await logs(`trace_id=${trace}`), await logs(`trace_id=${trace}&source=shadow`)]
    expect(usual.map(({ source }) => source)).to.deep.equal(['gateway', 'gateway', 'gateway'])
    expect(ofShadow.map(({ ai_model }) => ai_model)).to.deep.equal(Array(3).fill('gpt-4o-mini'))
    expect(ofShadow.every(({ cost, api_key_id }) => Number(cost) > 0 && api_key_id === null)).to.equal(true)
  })

  it('runs requests in the Gemini format, also streams', async () => {
    const slug = await saved(shadowed())
    const body = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
    scene.answers.old = (request, response, index) =>
      request.json?.stream === true
        ? sendEvents(response, chatEvents('old'))
        : says('old', [100, 20])(request, response, index)
    scene.answers.new = scene.answers.old
    const seen = await outcomesOf(async () => {
      for (const action of ['generateContent', 'streamGenerateContent?alt=sse'])
        await scene.ask(body, {
          path: `/v1beta/models/gpt-4o:${action}`,
          'x-gateway-virtual-key': '',
          'x-gateway-config': slug,
        })
    })
    expect(seen).to.deep.equal({ completed: 2 })
    const sent = scene.callsOf('new').slice(-2)
    expect(sent.map(({ json }) => json?.model)).to.deep.equal(['gpt-4o-mini', 'gpt-4o-mini'])
    const { id } = await replayOf(slug, 2)
    expect((await scene.api.get(`/v1/replays/${id}/pairs`)).data).to.have.length(2)
  })

  it('does not delay the caller', async () => {
    let release: () => void = () => undefined
    scene.answers.new = async (request, response, index) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      await says('late')(request, response, index)
    }
    const before = scene.callsOf('new').length
    const seen = await outcomesOf(async () => {
      expect((await ask(shadowed())).status).to.equal(200)
      await until('the shadow runs', () => scene.callsOf('new').length > before)
      release()
    })
    expect(seen).to.deep.equal({ completed: 1 })
  })

  it('also runs for streams', async () => {
    scene.answers.old = (_request, response) => sendEvents(response, chatEvents('a', 'b'))
    scene.answers.new = (_request, response) => sendEvents(response, chatEvents('c'))
    const slug = await saved(shadowed())
    const body = chat('hello', { model: 'gpt-4o', stream: true })
    const seen = await outcomesOf(() =>
      scene.ask(body, { 'x-gateway-virtual-key': '', 'x-gateway-config': slug }),
    )
    expect(seen).to.deep.equal({ completed: 1 })
    const { data } = await scene.api.get(`/v1/replays/${(await replayOf(slug)).id}/pairs`)
    const [pair] = data as unknown as { baseline: { length: number }; candidate: { length: number } }[]
    expect([pair?.baseline.length, pair?.candidate.length]).to.deep.equal([2, 1])
  })

  it('compares an answer that the other config fails to give', async () => {
    scene.answers.new = (_request, response) => sendJson(response, 500, { error: { message: 'down' } })
    const slug = await saved(shadowed())
    const seen = await outcomesOf(() =>
      scene.ask(chat(), { 'x-gateway-virtual-key': '', 'x-gateway-config': slug }),
    )
    expect(seen).to.deep.equal({ failed: 1 })
    const { data } = await scene.api.get(`/v1/replays/${(await replayOf(slug)).id}/pairs`)
    expect(data[0]).to.deep.include({ problems: ['error'] })
  })

  it('runs only for successful answers of a target', async () => {
    const denies = [{ 'default.contains': { operator: 'none', words: ['hello'] }, deny: true }]
    expect(await outcomesOf(() => ask(shadowed({}, { input_guardrails: denies }))), 'denied').to.deep.equal(
      {},
    )
    expect(
      await outcomesOf(() =>
        ask(
          shadowed(
            {},
            {
              output_guardrails: [{ ...denies[0], 'default.contains': { operator: 'none', words: ['old'] } }],
            },
          ),
        ),
      ),
      'denied answer',
    ).to.deep.equal({})
    const cached = shadowed({}, { cache: { mode: 'simple' } })
    const text = chat('cached', { model: 'gpt-4o' })
    expect(await outcomesOf(() => ask(cached, text)), 'miss').to.deep.equal({ completed: 1 })
    expect(await outcomesOf(() => ask(cached, text)), 'hit').to.deep.equal({})
    scene.answers.old = (_request, response) => sendJson(response, 500, { error: { message: 'down' } })
    expect(await outcomesOf(() => ask(shadowed())), 'error').to.deep.equal({})
  })

  it('runs once for a request that falls back, and not for the target that failed', async () => {
    scene.answers.old = (_request, response) => sendJson(response, 500, { error: { message: 'down' } })
    const fallback = {
      strategy: { mode: 'fallback' },
      targets: [shadowed(), { virtual_key: 'judge' }],
    }
    expect(await outcomesOf(() => ask(fallback))).to.deep.equal({})
    const whole = { ...fallback, targets: [{ virtual_key: 'old' }, { virtual_key: 'judge' }] }
    expect(await outcomesOf(() => ask({ ...whole, shadow: { config: other } }))).to.deep.equal({
      completed: 1,
    })
  })

  it('does not run for a caller who has disconnected', async () => {
    scene.answers.old = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of chatEvents('a').slice(0, 2)) response.write(event)
    }
    const seen = await outcomesOf(async () => {
      const leaving = new AbortController()
      const response = await fetch(`${scene.api.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-api-key': 'test-admin-key-0123456789',
          ...configHeader(shadowed()),
        },
        body: JSON.stringify(chat('hello', { stream: true })),
        signal: leaving.signal,
      })
      expect(response.status).to.equal(200)
      await response.body?.getReader().read()
      leaving.abort()
    })
    expect(seen).to.deep.equal({})
  })

  it('ignores the shadow of a shadow, and does not run for requests whose tools the provider runs', async () => {
    const nested = shadowed({ config: { ...other, shadow: { config: { virtual_key: 'judge' } } } })
    const slug = await saved({ ...other, shadow: { config: { virtual_key: 'judge' } } })
    const before = scene.callsOf('judge').length
    expect(await outcomesOf(() => ask(nested))).to.deep.equal({ completed: 1 })
    expect(await outcomesOf(() => ask(shadowed({ config: `#${slug}` })))).to.deep.equal({ completed: 1 })
    expect(scene.callsOf('judge').length).to.equal(before)
    const body = chat('hello', { tools: [{ type: 'web_search' }] })
    expect(await outcomesOf(() => ask(shadowed(), body))).to.deep.equal({})
  })

  it('always selects the same sample of traces', async () => {
    const config = shadowed({ sample_percent: 30 })
    const tracesOf = async () => {
      const taken: number[] = []
      for (let index = 0; index < 20; index += 1) {
        const headers = { 'x-gateway-trace-id': `sampled-${index}` }
        const seen = await outcomesOf(() => ask(config, undefined, headers))
        if (seen.completed === 1) taken.push(index)
      }
      return taken
    }
    const first = await tracesOf()
    expect(first.length).to.be.within(1, 15)
    expect(await tracesOf()).to.deep.equal(first)
  })

  it('sends the body after mutators, without the override_params of the live config', async () => {
    const redact = { 'default.regexReplace': { rule: 'secret', redactText: '[gone]' } }
    const config = shadowed(
      { config: { virtual_key: 'new' } },
      {
        override_params: { model: 'gpt-4o', temperature: 0, top_p: 0.5 },
        before_request_hooks: [
          {
            type: 'mutator',
            id: 'r',
            checks: [{ id: 'default.regexReplace', parameters: redact['default.regexReplace'] }],
          },
        ],
      },
    )
    await outcomesOf(() => ask(config, chat('my secret', { model: 'gpt-4o-mini', top_p: 1 })))
    expect(scene.callsOf('old').at(-1)?.json).to.deep.include({ model: 'gpt-4o', temperature: 0, top_p: 0.5 })
    const sent = scene.callsOf('new').at(-1)?.json
    expect(sent).to.deep.include({ model: 'gpt-4o-mini', top_p: 1 })
    expect(sent).not.to.have.property('temperature')
    expect(JSON.stringify(sent)).to.include('[gone]').and.not.include('secret')
  })

  it('is charged to the workspace, not to the caller', async () => {
    const slug = await saved(shadowed())
    const made = await scene.api.post('/v1/api-keys/workspace/service', {
      ...{ name: 'Limited', workspace_id: 'default', scopes: ['completions.write'] },
      usage_limits: [{ type: 'requests', credit_limit: 2 }],
    })
    const headers = {
      'x-gateway-virtual-key': '',
      'x-gateway-config': slug,
      'x-gateway-api-key': String(made.body.key),
    }
    const statuses: number[] = []
    const seen = await outcomesOf(async () => {
      for (let index = 0; index < 3; index += 1) statuses.push((await scene.ask(chat(), headers)).status)
    })
    expect(statuses).to.deep.equal([200, 200, 412])
    expect(seen).to.deep.equal({ completed: 2 })
    const { 'x-gateway-config': _, ...own } = headers
    expect(
      await outcomesOf(() => ask(shadowed(), undefined, { ...own, ...configHeader(shadowed()) })),
    ).to.deep.equal({})
  })

  it('does not run for a caller with limits who sends it in an inline config', async () => {
    const made = await scene.api.post('/v1/api-keys/workspace/service', {
      ...{ name: 'Limited, too', workspace_id: 'default', scopes: ['completions.write'] },
      usage_limits: [{ type: 'requests', credit_limit: 100 }],
    })
    const key = { 'x-gateway-api-key': String(made.body.key) }
    expect(await outcomesOf(() => ask(shadowed(), undefined, key))).to.deep.equal({})
  })

  it('stops when the budget of the day is exhausted', async () => {
    scene.answers.new = says('new', [100, 1000])
    // Each request costs 0.0006 USD; an estimate for 16 output tokens is negligible.
    const slug = await saved(shadowed({ budget_per_day: 0.0015 }))
    const headers = { 'x-gateway-virtual-key': '', 'x-gateway-config': slug }
    const body = chat('hello', { max_tokens: 16 })
    const seen = await outcomesOf(async () => {
      for (let index = 0; index < 6; index += 1) {
        await scene.ask(body, headers)
        await settled()
      }
    })
    expect(seen).to.deep.equal({ completed: 3, budget: 3 })
    expect((await replayOf(slug, 3)).budget).to.equal(0.0015)
    expect(await logs(`source=shadow&configs=${slug}`)).to.deep.equal([])
  })

  it('runs and queues only a few requests, and drops the rest', async () => {
    let running = 0
    let most = 0
    scene.answers.new = async (request, response, index) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
      await says('new')(request, response, index)
    }
    const seen = await outcomesOf(() => Promise.all(Array.from({ length: 150 }, () => ask(shadowed()))))
    expect(most).to.be.at.most(8)
    expect((seen.completed ?? 0) + (seen.dropped ?? 0)).to.equal(150)
  })

  it('queues no more than 16 MB of bodies', async () => {
    const held: (() => void)[] = []
    scene.answers.new = async (request, response, index) => {
      await new Promise<void>((resolve) => held.push(resolve))
      await says('late')(request, response, index)
    }
    const large = chat('x'.repeat(4 * 1_048_576), { model: 'gpt-4o' })
    const seen = await outcomesOf(async () => {
      for (let index = 0; index < 8; index += 1) await ask(shadowed())
      await until('as many as may run do', () => held.length === 8)
      for (let index = 0; index < 6; index += 1) expect((await ask(shadowed(), large)).status).to.equal(200)
      scene.answers.new = says('new')
      for (const release of held) release()
    })
    expect((seen.completed ?? 0) + (seen.dropped ?? 0)).to.equal(14)
    expect(seen.completed).to.be.at.least(8)
    expect(seen.dropped).to.be.at.least(3)
  })

  describe('in a busy process', () => {
    const real = performance.eventLoopUtilization
    beforeEach(() => {
      performance.eventLoopUtilization = () => ({ idle: 0, active: 1, utilization: 0.99 })
    })
    afterEach(() => {
      performance.eventLoopUtilization = real
    })

    // This test comes first: after work was dropped, further shadows are dropped for some seconds.
    it('still compares requests that ran before', async () => {
      const slug = await saved(shadowed())
      let release: () => void = () => undefined
      scene.answers.new = async (request, response, index) => {
        await new Promise<void>((resolve) => {
          release = resolve
        })
        await says('late')(request, response, index)
      }
      const before = scene.callsOf('new').length
      performance.eventLoopUtilization = () => ({ idle: 1, active: 0, utilization: 0 })
      const seen = await outcomesOf(async () => {
        await scene.ask(chat(), { 'x-gateway-virtual-key': '', 'x-gateway-config': slug })
        await until('the shadow runs', () => scene.callsOf('new').length > before)
        performance.eventLoopUtilization = () => ({ idle: 0, active: 1, utilization: 0.99 })
        release()
      })
      expect(seen).to.deep.equal({ completed: 1 })
      expect((await replayOf(slug)).counts).to.deep.include({ completed: 1 })
    })

    it('is dropped before other work', async () => {
      const before = scene.callsOf('new').length
      const seen = await outcomesOf(() => Promise.all([ask(shadowed()), ask(shadowed())]))
      expect(seen).to.deep.equal({ dropped: 2 })
      expect(scene.callsOf('new').length).to.equal(before)
    })
  })

  const refused: [what: string, shadow: Body, param: string][] = [
    ['no config', { config: undefined }, '/config/shadow/config'],
    ['an unknown config', { config: 'nowhere' }, '/config/shadow/config'],
    ['an unknown provider in it', { config: { virtual_key: 'none' } }, '/config/shadow/config/virtual_key'],
    ['a sample of nothing', { sample_percent: 0 }, '/config/shadow/sample_percent'],
    ['a budget of nothing', { budget_per_day: 0 }, '/config/shadow/budget_per_day'],
    ['an unknown member', { judge: true }, '/config/shadow'],
  ]
  for (const [what, shadow, param] of refused)
    it(`refuses ${what}`, async () => {
      const made = await scene.api.post('/v1/configs', {
        name: 'Wrong',
        workspace_id: 'default',
        config: shadowed(shadow),
      })
      expect(made.status, made.text).to.equal(400)
      expect(made.error.param).to.equal(param)
    })

  it('protects the saved config that it runs, and hides the secrets of an inline one', async () => {
    const used = await saved(other)
    await saved(shadowed({ config: used }))
    const gone = await scene.api.delete(`/v1/configs/${used}`)
    expect(gone.status, gone.text).to.equal(409)
    const target = scene.upstream.origin
    const inline = { provider: 'openai', api_key: 'sk-very-secret', custom_host: `${target}/new/v1` }
    const slug = await saved(shadowed({ config: inline }))
    await outcomesOf(() => scene.ask(chat(), { 'x-gateway-virtual-key': '', 'x-gateway-config': slug }))
    expect(scene.callsOf('new').at(-1)?.headers.authorization).to.equal('Bearer sk-very-secret')
    const replay = await replayOf(slug)
    expect(replay.counts).to.deep.include({ completed: 1 })
    expect(JSON.stringify(replay)).not.to.include('very-secret')
    expect((await scene.api.get(`/v1/configs/${slug}`)).text).not.to.include('very-secret')
  })

  it('starts another replay when the other config changes, and after a cancellation', async () => {
    const slug = await saved(shadowed())
    const headers = { 'x-gateway-virtual-key': '', 'x-gateway-config': slug }
    await outcomesOf(() => scene.ask(chat(), headers))
    const first = await replayOf(slug)
    await scene.api.put(`/v1/configs/${slug}`, { config: shadowed({ config: { virtual_key: 'judge' } }) })
    await outcomesOf(() => scene.ask(chat(), headers))
    const second = await replayOf(slug)
    expect(second.id).not.to.equal(first.id)
    const ended = await scene.api.get(`/v1/replays/${first.id}`)
    expect(ended.body).to.deep.include({ status: 'completed' })
    expect((await scene.api.post(`/v1/replays/${second.id}/cancel`)).status).to.equal(200)
    // Pairs in progress may still be appended to the old replay.
    await until('another one begins', async () => {
      await outcomesOf(() => scene.ask(chat(), headers))
      const { data } = await scene.api.get('/v1/replays?status=running')
      return data.some(({ shadow, id }) => (shadow as Body | null)?.config === slug && id !== second.id)
    })
  })

  it('is waited for by a gateway that stops', async () => {
    let release: () => void = () => undefined
    const upstream = await openUpstream(async (request, response, index) => {
      if (index > 1) await new Promise<void>((resolve) => (release = resolve))
      await says('ok')(request, response, index)
    })
    const gateway = await startGateway()
    const target = { provider: 'openai', api_key: 'sk-1', custom_host: upstream.url }
    const response = await gateway.post(
      '/v1/chat/completions',
      chat(),
      configHeader({ ...target, shadow: { config: target } }),
    )
    await response.text()
    await until('the shadow runs', () => upstream.seen.length === 2)
    let isClosed = false
    const closing = gateway.stop().then(() => {
      isClosed = true
    })
    await turns(200)
    expect(isClosed).to.equal(false)
    release()
    await closing
    await upstream.close()
  })
})
