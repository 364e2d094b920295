/** POST `/dry-run`: the predicted result of a request, row by row. */
import { expect } from 'chai'
import { chat, configHeader } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const echo = (model: string, extra: object = {}) => ({
  provider: '@mine',
  override_params: { model },
  ...extra,
})
const tree = (mode: string, targets: unknown[], extra: object = {}) => ({
  strategy: { mode, ...extra },
  targets,
})

interface Target {
  path: string
  provider: string | null
  model: string | null
  probability: number
  order: number | null
  condition?: number | null
  breaker: string
  allowed: boolean
  host_kind: string | null
  refusals: { code: string; param: string | null; message: string }[]
  estimate: { input_tokens: number; max_output_tokens: number; cost: number | null }
}

describe('a dry run', () => {
  const api = openManagement({
    providers: {
      mine: { provider: 'echo' },
      picky: { provider: 'echo', rate_limits: [{ type: 'requests', unit: 'rpd', value: 0 }] },
      narrow: { provider: 'jina', api_key: 'jina-key' },
    },
    configs: { prod: { ...echo('real'), forward_headers: ['x-team'] } },
    guardrails: {
      'no-secrets': {
        checks: [{ id: 'default.regexMatch', parameters: { rule: 'sk-', not: true } }],
        deny: true,
      },
    },
  })
  const run = (more: object = {}) =>
    api.post('/v1/dry-run', { endpoint: 'chatComplete', body: chat(), ...more })
  const withConfig = (config: unknown, more: object = {}) => run({ headers: configHeader(config), ...more })
  const targetsOf = async (config: unknown, more: object = {}) =>
    (await withConfig(config, more)).body.targets as Target[]

  it('describes a valid request', async () => {
    const { status, body, text } = await withConfig(echo('m'))
    expect(status, text).to.equal(200)
    expect(body).to.include({ object: 'dry_run', valid: true })
    expect(body.errors).to.deep.equal([])
    expect(body.credential).to.include({ type: 'admin', scopes_ok: true })
    expect(body.targets).to.deep.equal([
      {
        path: 'config',
        provider: 'echo',
        virtual_key: 'mine',
        model: 'm',
        host_kind: 'stored',
        probability: 1,
        order: null,
        breaker: 'closed',
        allowed: true,
        refusals: [],
        left_out: [],
        estimate: { input_tokens: 2, max_output_tokens: 0, cost: null },
      },
    ])
  })

  it('lists the members that a target of another format would not get', async () => {
    const tool = { name: 'f', input_schema: { type: 'object' } }
    const body = {
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
      tools: [tool, { type: 'web_fetch_20250910', name: 'web_fetch' }],
    }
    const { body: answer } = await withConfig(echo('m'), { endpoint: '/v1/messages', body })
    expect(answer.targets).to.have.nested.property('[0].left_out').that.deep.equals(['/tools/1'])
  })

  for (const endpoint of [
    'chatComplete',
    '/v1/chat/completions',
    '/chat/completions',
    '/v1/chat/completions/',
  ])
    it(`accepts the endpoint ${endpoint}`, async () => {
      expect((await withConfig(echo('m'), { endpoint })).body.valid).to.equal(true)
    })

  const refused: [what: string, body: object, param: string][] = [
    ['an unknown endpoint', { endpoint: 'sing' }, '/endpoint'],
    ['a route other than inference', { endpoint: '/v1/configs' }, '/endpoint'],
    ['a route that asks no model', { endpoint: 'listModels' }, '/endpoint'],
    ['an unknown key', { colour: 'red' }, ''],
    ['a body that is missing', { body: undefined }, '/body'],
    ['an endpoint that is missing', { endpoint: undefined }, '/endpoint'],
    ['headers that are not strings', { headers: { a: 1 } }, '/headers/a'],
  ]
  for (const [what, more, param] of refused)
    it(`refuses ${what}`, async () => {
      const { status, error } = await run(more)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', param])
    })

  describe('reports instead of failing', () => {
    const wrong: [what: string, more: object, code: string, param: string][] = [
      ['a body that the endpoint does not take', { body: { model: 'm' } }, 'invalid_body', '/messages'],
      [
        'a config that breaks the schema',
        { headers: configHeader({ retry: { attempts: 9 } }) },
        'invalid_config',
        'config/retry/attempts',
      ],
      [
        'a config that is not JSON',
        { headers: { 'x-gateway-config': '{' } },
        'invalid_header',
        'header/x-gateway-config',
      ],
      [
        'a saved config that does not exist',
        { headers: { 'x-gateway-config': 'nowhere' } },
        'unknown_config',
        'header/x-gateway-config',
      ],
      [
        'a header that is malformed',
        { headers: { 'x-gateway-request-timeout': 'soon' } },
        'invalid_header',
        'header/x-gateway-request-timeout',
      ],
      [
        'a model that names no config',
        { body: chat('a', { model: '#nowhere' }) },
        'unknown_config',
        '/model',
      ],
    ]
    for (const [what, more, code, param] of wrong)
      it(what, async () => {
        const { status, body } = await run({ ...more })
        expect(status).to.equal(200)
        expect(body.valid).to.equal(false)
        expect((body.errors as { code: string; param: string }[])[0]).to.include({ code, param })
      })

    it('and shows where an invalid body would be sent', async () => {
      const { body } = await withConfig(echo('m'), { body: { model: 'm' } })
      expect(body.valid).to.equal(false)
      expect((body.targets as Target[])[0]).to.include({ path: 'config', provider: 'echo' })
    })
  })

  describe('shows the config', () => {
    it('in the header, with its secrets masked', async () => {
      const { body } = await withConfig({ provider: 'openai', api_key: 'sk-1234567890' })
      expect(body.config).to.deep.equal({
        source: 'header',
        id: null,
        slug: null,
        version: null,
        resolved: { provider: 'openai', api_key: 'sk-****7890' },
      })
    })

    it('stored in the config file', async () => {
      const { body } = await run({ headers: { 'x-gateway-config': 'prod' } })
      expect(body.config).to.include({ source: 'header', slug: 'prod' })
      expect((body.config as { resolved: object }).resolved).to.deep.include({ provider: '@mine' })
    })

    it('stored in the database, in the requested version', async () => {
      const made = await api.post('/v1/configs', {
        name: 'two',
        slug: 'two',
        config: echo('one'),
        workspace_id: 'default',
      })
      await api.put('/v1/configs/two', { config: echo('two') })
      const newest = await run({ headers: { 'x-gateway-config': 'two' } })
      expect(newest.body.config).to.deep.include({
        id: made.body.id,
        slug: 'two',
        version: 2,
        resolved: echo('two'),
      })
      const first = await run({ body: chat('a', { model: '#two@1' }) })
      expect(first.body.config).to.deep.include({ source: 'model', version: 1, resolved: echo('one') })
      expect((first.body.targets as Target[])[0]?.model).to.equal('one')
    })

    it('or none', async () => {
      const { body } = await run({ body: chat('a', { model: '@mine/m' }) })
      expect(body.config).to.deep.equal({
        source: 'none',
        id: null,
        slug: null,
        version: null,
        resolved: null,
      })
      expect((body.targets as Target[])[0]).to.include({ provider: 'echo', model: 'm', allowed: true })
    })
  })

  const plans: [
    what: string,
    config: object,
    plan: [path: string, probability: number, order: number | null][],
  ][] = [
    [
      'a single',
      tree('single', [echo('a'), echo('b')]),
      [
        ['0', 1, null],
        ['1', 0, null],
      ],
    ],
    [
      'weights',
      tree('loadbalance', [echo('a', { weight: 1 }), echo('b', { weight: 3 }), echo('c', { weight: 0 })]),
      [
        ['0', 0.25, null],
        ['1', 0.75, null],
        ['2', 0, null],
      ],
    ],
    [
      'a fallback',
      tree('fallback', [echo('a'), echo('b')]),
      [
        ['0', 1, 0],
        ['1', 0, 1],
      ],
    ],
    [
      'a fallback of weights',
      tree('fallback', [tree('loadbalance', [echo('a'), echo('b')]), echo('c')]),
      [
        ['0].targets[0', 0.5, 0],
        ['0].targets[1', 0.5, 0],
        ['1', 0, 1],
      ],
    ],
    [
      'weights over a fallback',
      tree('loadbalance', [tree('fallback', [echo('a'), echo('b')]), echo('c')]),
      [
        ['0].targets[0', 0.5, 0],
        ['0].targets[1', 0, 1],
        ['1', 0.5, null],
      ],
    ],
  ]
  for (const [what, config, plan] of plans)
    it(`reports probability and order of ${what}`, async () => {
      const found = await targetsOf(config)
      expect(found.map(({ path, probability, order }) => [path, probability, order])).to.deep.equal(
        plan.map(([path, ...rest]) => [`config.targets[${path}]`, ...rest]),
      )
    })

  it('follows conditions', async () => {
    const config = {
      strategy: {
        mode: 'conditional',
        conditions: [{ query: { 'metadata.plan': 'pro' }, then: 'dear' }],
        default: 'cheap',
      },
      targets: [echo('dear', { name: 'dear' }), echo('cheap', { name: 'cheap' })],
    }
    const pick = async (plan: string) =>
      (
        await targetsOf(config, {
          headers: { ...configHeader(config), 'x-gateway-metadata': `{"plan":"${plan}"}` },
        })
      ).map(({ probability, condition }) => [probability, condition])
    expect(await pick('pro')).to.deep.equal([
      [1, 0],
      [0, null],
    ])
    expect(await pick('free')).to.deep.equal([
      [0, 0],
      [1, null],
    ])
  })

  it('skips a target with an open circuit, and adjusts the other weights', async () => {
    const cb_config = { failure_threshold: 1, cooldown_interval: 60_000 }
    const broken = echo('broken', { cb_config, override_params: { model: 'broken', echo: { status: 503 } } })
    await api.gateway.post('/v1/chat/completions', chat(), configHeader(broken))
    const [first, ...rest] = await targetsOf(
      tree('loadbalance', [broken, echo('a'), echo('b', { weight: 3 })]),
    )
    expect(first).to.include({ probability: 0, breaker: 'open', allowed: false })
    expect(first?.refusals[0]?.code).to.equal('circuit_open')
    expect(rest.map(({ probability }) => probability)).to.deep.equal([0.25, 0.75])
    const alone = await targetsOf(tree('fallback', [broken, echo('a')]))
    expect(alone.map(({ probability }) => probability)).to.deep.equal([0, 1])
    expect((await targetsOf(broken)).map(({ probability }) => probability)).to.deep.equal([0])
  })

  const refusals: [what: string, target: object, code: string, more?: object][] = [
    ['a credential that does not exist', { provider: '@nobody' }, 'unknown_virtual_key'],
    ['its own rate limit', { ...echo('m'), provider: '@picky' }, 'rate_limit_exceeded'],
    ['an endpoint that it does not have', { ...echo('m'), provider: '@narrow' }, 'unsupported_endpoint'],
  ]
  for (const [what, config, code, more] of refusals)
    it(`refuses a target for ${what}, like the call`, async () => {
      const dry = await withConfig(config, more)
      const called = await api.gateway.post('/v1/chat/completions', chat(), configHeader(config))
      const { error } = (await called.json()) as { error: { code: string; param: string | null } }
      const found =
        (dry.body.targets as Target[])[0]?.refusals[0] ?? (dry.body.errors as Target['refusals'])[0]
      expect([found?.code, found?.param]).to.deep.equal([code, error.param])
      expect(error.code).to.equal(code)
    })

  it('estimates tokens and cost', async () => {
    const body = chat('x'.repeat(400), { max_tokens: 50, n: 2 })
    const [found] = await targetsOf(
      { provider: 'openai', api_key: 'sk-1', override_params: { model: 'gpt-4o' } },
      { body },
    )
    expect(found?.estimate).to.include({ input_tokens: 100, max_output_tokens: 100 })
    expect(found?.estimate.cost).to.be.closeTo(100 * 2.5e-4 + 100 * 1e-3, 1e-6)
    const [unknown] = await targetsOf(
      { provider: 'openai', api_key: 'sk-1', override_params: { model: 'x' } },
      { body },
    )
    expect(unknown?.estimate.cost).to.equal(null)
  })

  it('prices given tokens instead of an estimate', async () => {
    const [found] = await targetsOf(
      { provider: 'openai', api_key: 'sk-1', override_params: { model: 'gpt-4o' } },
      { body: chat('short'), tokens: { input: 2000, output: 300 } },
    )
    expect(found?.estimate).to.include({ input_tokens: 2000, max_output_tokens: 300 })
    expect(found?.estimate.cost).to.be.closeTo(2000 * 2.5e-4 + 300 * 1e-3, 1e-6)
  })

  it('reports a cache hit, and stores nothing', async () => {
    const config = { ...echo('m'), cache: { mode: 'simple' } }
    const body = chat('cached?')
    const would = async () => (await withConfig(config, { body })).body.cache
    expect(await would()).to.deep.equal({ mode: 'simple', would: 'miss' })
    expect(await would()).to.deep.equal({ mode: 'simple', would: 'miss' })
    await api.gateway.post('/v1/chat/completions', JSON.stringify(body, null, 2), configHeader(config))
    expect(await would()).to.deep.equal({ mode: 'simple', would: 'hit' })
    expect((await withConfig(echo('m'))).body.cache).to.deep.equal({ mode: null, would: 'disabled' })
  })

  it('shows limits without counting', async () => {
    const key = await api.post('/v1/api-keys/workspace/service', {
      name: 'limited',
      workspace_id: 'default',
      scopes: ['completions.write'],
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 1 }],
    })
    const limited = api.as(String(key.body.key))
    const ask = () =>
      limited.post('/v1/dry-run', {
        endpoint: 'chatComplete',
        headers: configHeader(echo('m')),
        body: chat(),
      })
    for (let time = 0; time < 3; time += 1) {
      const { body } = await ask()
      expect((body.limits as object[])[0]).to.deep.include({
        type: 'requests',
        unit: 'rpm',
        limit: 1,
        used: 0,
        remaining: 1,
        applies: true,
        refused: false,
      })
    }
    await fetch(`${api.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gateway-api-key': String(key.body.key),
        'content-type': 'application/json',
        ...configHeader(echo('m')),
      },
      body: JSON.stringify(chat()),
    })
    const { body } = await ask()
    expect((body.limits as object[])[0]).to.deep.include({ used: 1, remaining: 0, refused: true })
    expect((body.targets as Target[])[0]).to.deep.include({ allowed: false })
    expect((body.targets as Target[])[0]?.refusals[0]?.code).to.equal('rate_limit_exceeded')
  })

  it('lists policies that do not match, and the reason', async () => {
    const made = await api.post('/v1/policies/rate-limits', {
      conditions: [{ key: 'metadata.team', value: 'a' }],
      group_by: [{ key: 'api_key' }],
      type: 'requests',
      unit: 'rpm',
      value: 5,
      workspace_id: 'default',
    })
    const { body } = await withConfig(echo('m'))
    expect(body.policies_not_matching).to.deep.include({ id: made.body.id, because: 'metadata.team' })
    await api.delete(`/v1/policies/rate-limits/${made.body.id}`)
  })

  it('lists guardrails with their source', async () => {
    const { body } = await withConfig({ ...echo('m'), input_guardrails: ['no-secrets'] })
    expect(body.guardrails).to.deep.equal({ input: [{ id: 'no-secrets', source: 'config' }], output: [] })
  })

  it('lists the headers that would be forwarded', async () => {
    const { body } = await run({ headers: { 'x-gateway-config': 'prod', 'x-team': 'a', 'x-other': 'b' } })
    expect(body.forwarded_headers).to.deep.equal(['x-team'])
  })

  it('ignores the headers of its own request', async () => {
    const { body } = await api.post(
      '/v1/dry-run',
      { endpoint: 'chatComplete', body: chat('a', { model: '@mine/m' }) },
      { 'x-gateway-config': 'prod', 'x-gateway-metadata': '{"a":"b"}' },
    )
    expect(body.config).to.include({ source: 'none' })
    expect(body.metadata).to.deep.equal({})
  })

  it('leaves no log entry', async () => {
    await withConfig(echo('never-logged'))
    const { data } = await api.get('/v1/logs?page_size=100')
    expect(data.filter(({ model }) => model === 'never-logged')).to.deep.equal([])
  })

  it('describes the run of a prompt', async () => {
    const prompt = await api.post('/v1/prompts', {
      name: 'Greet',
      slug: 'greet',
      collection_id: 'default',
      string: JSON.stringify([{ role: 'user', content: 'Hello {{name}}' }]),
      parameters: { model: '@mine/prompted' },
      workspace_id: 'default',
    })
    expect(prompt.status, prompt.text).to.equal(200)
    const { body } = await run({
      endpoint: '/v1/prompts/greet/completions',
      body: { variables: { name: 'Ann' } },
    })
    expect(body.valid).to.equal(true)
    expect((body.targets as Target[])[0]).to.include({ provider: 'echo', model: 'prompted' })
  })
})
