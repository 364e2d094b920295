/** Running prompts: completions go through the pipeline, render shows what would be sent (management contract, section 14). */
import { expect } from 'chai'
import { doublingSchema } from '../../support/doubling-schema.ts'
import { readEvents } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const messages = [
  { role: 'system', content: 'You greet.' },
  { role: 'user', content: 'Hello {{name}}' },
]

describe('a prompt run', () => {
  const api = openManagement()
  let upstream: Upstream
  let slug = ''
  let id = ''
  before(async () => {
    upstream = await openUpstream()
    const integration = await api.post('/v1/integrations', {
      name: 'Upstream',
      ai_provider_id: 'openai',
      key: 'sk-test-0123456789',
      configurations: { custom_host: upstream.url },
      create_default_provider: true,
      default_provider_slug: 'up',
      workspace_id: 'default',
    })
    expect(integration.status, integration.text).to.equal(200)
    const made = await create({ parameters: { temperature: 0.5, stream: true } })
    id = String(made.id)
    slug = String(made.slug)
  })
  after(() => upstream.close())

  async function create(extra: Record<string, unknown> = {}) {
    const reply = await api.post('/v1/prompts', {
      name: 'Greeting',
      workspace_id: 'default',
      string: JSON.stringify(messages),
      model: 'gpt-4o',
      virtual_key: '@up',
      ...extra,
    })
    expect(reply.status, reply.text).to.equal(200)
    return reply.body
  }
  const lastBody = () => upstream.seen.at(-1)?.json
  const complete = (name: string, body: unknown, headers: Record<string, string> = {}) =>
    api.post(`/v1/prompts/${name}/completions`, body, headers)
  const render = (name: string, body: unknown) => api.post(`/v1/prompts/${name}/render`, body)

  it('answers with an envelope, and sends the rendered body', async () => {
    for (const path of [`/v1/prompts/${id}`, `/prompts/${slug}`]) {
      const { status, body, headers, text } = await api.post(`${path}/completions`, {
        variables: { name: 'Ann' },
      })
      expect(status, text).to.equal(200)
      expect(body.status).to.equal('success')
      expect(body.body).to.deep.equal(chatAnswer('ok'))
      expect(body.headers).to.include({
        'x-gateway-provider': 'openai',
        'x-gateway-virtual-key': 'up',
        'x-gateway-trace-id': headers.get('x-gateway-trace-id'),
      })
      expect(Object.keys(body.headers as object).every((name) => name.startsWith('x-gateway-'))).to.equal(
        true,
      )
      expect(lastBody()).to.deep.equal({
        model: 'gpt-4o',
        temperature: 0.5,
        messages: [messages[0], { role: 'user', content: 'Hello Ann' }],
      })
    }
  })

  it('answers without the envelope on request', async () => {
    const bare = await api.post(`/v1/prompts/${id}/completions?envelope=false`, {
      variables: { name: 'Ann' },
    })
    expect(bare.body).to.deep.equal(chatAnswer('ok'))
    const wrong = await api.post(`/v1/prompts/${id}/completions?envelope=2`, { variables: {} })
    expect([wrong.status, wrong.error.code, wrong.error.param]).to.deep.equal([
      400,
      'invalid_query',
      'query/envelope',
    ])
  })

  it('streams plain events', async () => {
    const response = await fetch(`${api.gateway.url}/v1/prompts/${id}/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': 'test-admin-key-0123456789' },
      body: JSON.stringify({ variables: { name: 'Ann' }, stream: true }),
    })
    expect(response.headers.get('content-type')).to.equal('text/event-stream')
    const events = await readEvents(response)
    expect(events.at(-1)).to.equal('[DONE]')
    expect(events.length).to.be.above(3)
  })

  it('overrides the version with the members at the root of the call, one by one', async () => {
    await complete(id, {
      variables: {},
      temperature: 1,
      model: 'other',
      user: 'u',
      promptID: 'x',
      hyperparameters: { a: 1 },
    })
    expect(lastBody()).to.include({ temperature: 1, model: 'other', user: 'u' })
    expect(lastBody()).to.not.have.any.keys('promptID', 'variables')
    expect(lastBody()).to.deep.include({ hyperparameters: { a: 1 } })
    await complete(id, { variables: {}, messages: [{ role: 'user', content: 'mine' }] })
    expect(lastBody()?.messages).to.deep.equal([{ role: 'user', content: 'mine' }])
  })

  it('lists missing variables in order, without sections, nulls or prototype names', async () => {
    const made = await create({
      string: JSON.stringify([
        { role: 'user', content: '{{b b}}{{a}}{{#s}}x{{/s}}{{n}}{{constructor}}{{a}}' },
      ]),
    })
    const { headers, body } = await complete(String(made.id), { variables: { n: null } })
    expect(headers.get('x-gateway-prompt-missing-variables')).to.equal('b%20b,a,constructor')
    expect(body.headers).to.include({ 'x-gateway-prompt-missing-variables': 'b%20b,a,constructor' })
    const rendered = await render(String(made.id), { variables: { n: null } })
    expect(rendered.headers.get('x-gateway-prompt-missing-variables')).to.equal('b%20b,a,constructor')
  })

  const refused: [name: string, body: unknown, code: string, param: string][] = [
    ['no variables', {}, 'invalid_body', '/variables'],
    ['variables that are no object', { variables: [] }, 'invalid_body', '/variables'],
    ['a parameter out of range', { variables: {}, temperature: 9 }, 'invalid_body', '/temperature'],
  ]
  for (const [name, body, code, param] of refused) {
    it(`is refused: ${name}`, async () => {
      const { status, error } = await complete(id, body)
      expect([status, error.code, error.param]).to.deep.equal([400, code, param])
    })
  }

  for (const name of ['nobody', '@latest', 'nobody@2']) {
    it(`answers 404 unknown_prompt: ${name}`, async () => {
      for (const run of [complete, render]) {
        const { status, error } = await run(name, {})
        expect([status, error.code]).to.deep.equal([404, 'unknown_prompt'])
      }
    })
  }

  it('uses the version of its suffix, at once after a change', async () => {
    const made = await create()
    const name = String(made.id)
    const say = (content: string) => ({
      string: JSON.stringify([{ role: 'user', content }]),
      parameters: {},
      model: 'gpt-4o',
      virtual_key: 'up',
    })
    const shown = async (suffix: string) => {
      const { body } = await render(name + suffix, { variables: { name: 'x' } })
      const [message] = (body.data as { messages: { content: string }[] }).messages.slice(-1)
      return message?.content
    }
    expect(await shown('')).to.equal('Hello x')
    await api.put(`/v1/prompts/${name}`, say('two'))
    expect(await shown('')).to.equal('Hello x')
    expect(await shown('@latest')).to.equal('two')
    expect(await shown('@2')).to.equal('two')
    await api.put(`/v1/prompts/${name}/versions/1`, { labels: ['production'] })
    await api.put(`/v1/prompts/${name}/makeDefault`, { version: 2 })
    expect(await shown('')).to.equal('two')
    expect(await shown('@published')).to.equal('two')
    expect(await shown('@production')).to.equal('Hello x')
  })

  it('renders a body that the chat route accepts', async () => {
    const { status, body } = await render(id, { variables: { name: 'Ann' }, top_p: 1 })
    expect(status).to.equal(200)
    expect(body).to.deep.equal({
      success: true,
      data: {
        temperature: 0.5,
        model: 'gpt-4o',
        messages: [messages[0], { role: 'user', content: 'Hello Ann' }],
        top_p: 1,
      },
    })
    const direct = await api.post('/v1/chat/completions', body.data, { 'x-gateway-virtual-key': 'up' })
    expect(direct.status).to.equal(200)
  })

  it('is routed by the call before the version, and by a @slug/ model last', async () => {
    const echoed = await complete(id, { variables: {} }, { 'x-gateway-provider': 'echo' })
    expect(echoed.headers.get('x-gateway-provider')).to.equal('echo')
    const config = await complete(id, { variables: {} }, { 'x-gateway-config': '{"provider":"echo"}' })
    expect(config.headers.get('x-gateway-provider')).to.equal('echo')
    const byModel = await create({ virtual_key: null, model: '@up/gpt-4o' })
    expect(
      (await complete(String(byModel.id), { variables: {} })).headers.get('x-gateway-virtual-key'),
    ).to.equal('up')
    const none = await create({ virtual_key: null })
    const { status, error } = await complete(String(none.id), { variables: {} })
    expect([status, error.code]).to.deep.equal([400, 'no_provider'])
    expect((await render(String(none.id), { variables: {} })).status).to.equal(200)
  })

  it('is routed by the config of its version when nothing else specifies one', async () => {
    const config = await api.post('/v1/configs', {
      name: 'of a prompt',
      workspace_id: 'default',
      config: { provider: 'echo' },
    })
    const made = await create({ config: config.body.slug })
    const { headers } = await complete(String(made.id), { variables: {} })
    expect(headers.get('x-gateway-provider')).to.equal('echo')
    const named = await complete(
      String(made.id),
      { variables: {} },
      { 'x-gateway-config': '{"virtual_key":"up"}' },
    )
    expect(named.headers.get('x-gateway-virtual-key')).to.equal('up')
  })

  it('answers 404 unknown_virtual_key when its provider was deleted', async () => {
    const extra = await api.post('/v1/integrations', {
      name: 'Gone',
      ai_provider_id: 'echo',
      create_default_provider: true,
      default_provider_slug: 'gone',
      workspace_id: 'default',
    })
    expect(extra.status, extra.text).to.equal(200)
    const made = await create({ virtual_key: 'gone' })
    expect((await complete(String(made.id), { variables: {} })).status).to.equal(200)
    await api.delete('/v1/providers/gone?workspace_id=default')
    const { status, error } = await complete(String(made.id), { variables: {} })
    expect([status, error.code]).to.deep.equal([404, 'unknown_virtual_key'])
  })

  it('returns errors of the provider without an envelope', async () => {
    upstream.handle((_request, response) => sendJson(response, 503, { error: { message: 'down' } }))
    const { status, body } = await complete(id, { variables: {} })
    upstream.handle((_request, response) => sendJson(response, 200, chatAnswer('ok')))
    expect(status).to.equal(503)
    expect(body).to.not.have.any.keys('status', 'headers')
  })

  it('returns 246 in an envelope with hook_results in its body, and 446 without one', async () => {
    const guarded = (deny: boolean) => ({
      'x-gateway-config': JSON.stringify({
        virtual_key: 'up',
        input_guardrails: [
          {
            id: 'g',
            deny,
            checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['Hello'] } }],
          },
        ],
      }),
    })
    const failed = await complete(id, { variables: {} }, guarded(false))
    expect(failed.status).to.equal(246)
    expect(failed.body.status).to.equal('success')
    expect(failed.body.body).to.have.property('hook_results')
    const denied = await complete(id, { variables: {} }, guarded(true))
    expect(denied.status).to.equal(446)
    expect(denied.body).to.have.all.keys('error', 'hook_results')
  })

  it('of a completion template calls the completions route', async () => {
    const made = await create({
      string: 'Say {{word}}',
      template_metadata: { template_type: 'completion' },
      virtual_key: null,
    })
    const { body } = await render(String(made.id), { variables: { word: '"a"\n' } })
    expect(body.data).to.deep.equal({ model: 'gpt-4o', prompt: 'Say "a"\n' })
    const run = await complete(
      String(made.id),
      { variables: { word: 'x' } },
      { 'x-gateway-provider': 'echo' },
    )
    expect(run.status, run.text).to.equal(200)
    expect((run.body.body as { object: string }).object).to.equal('text_completion')
  })

  it('of a raw template is validated when it is called', async () => {
    const made = await create({
      is_raw_template: true,
      string: '[{"role":"user","content":"{{a}}"}{{{more}}}]',
    })
    const name = String(made.id)
    const good = await render(name, { variables: { a: 'say "x"', more: ',{"role":"user","content":"y"}' } })
    expect((good.body.data as { messages: unknown[] }).messages).to.deep.equal([
      { role: 'user', content: 'say "x"' },
      { role: 'user', content: 'y' },
    ])
    const { status, error } = await render(name, { variables: { more: ',' } })
    expect([status, error.code]).to.deep.equal([400, 'invalid_template'])
  })

  it('validates variables against the schema of its version', async () => {
    const made = await create({
      variables_schema: {
        type: 'object',
        properties: { name: { type: 'string', maxLength: 3 } },
        required: ['name'],
      },
    })
    for (const run of [complete, render]) {
      expect((await run(String(made.id), { variables: { name: 'Ann' } })).status).to.equal(200)
      const long = await run(String(made.id), { variables: { name: 'Anna' } })
      expect([long.status, long.error.code, long.error.param]).to.deep.equal([
        400,
        'invalid_body',
        '/variables/name',
      ])
      expect((await run(String(made.id), { variables: {} })).error.param).to.equal('/variables/name')
    }
  })

  it('judges variables by a schema that refers twice to the next definition, 24 times', async () => {
    for (const [name, status] of [
      ['name', 200],
      ['other', 400],
    ] as const) {
      const made = await create({ variables_schema: doublingSchema(24, 'anyOf', { required: [name] }) })
      for (const run of [complete, render])
        expect((await run(String(made.id), { variables: { name: 'Ann' } })).status).to.equal(status)
    }
  })

  it('refuses variables that take too many steps to be validated', async () => {
    const contains = Array.from({ length: 1500 }, (_, index) => ({ contains: { const: index } }))
    const made = await create({ variables_schema: { properties: { list: { anyOf: contains } } } })
    const list = Array.from({ length: 100 }, (_, index) => -1 - index)
    for (const run of [complete, render]) {
      const { status, error } = await run(String(made.id), { variables: { name: 'Ann', list } })
      expect([status, error.code, error.param]).to.deep.equal([400, 'schema_too_complex', '/variables'])
    }
  })

  it('is logged once, with its slug and version', async () => {
    const { headers } = await complete(id, { variables: {} })
    const entryId = headers.get('x-request-id') ?? ''
    const entry = await until('its log entry is stored', async () => {
      return (await api.gateway.runtime.store.log.list({ ids: [entryId] }, { limit: 2 }))[0]
    })
    expect(entry.fields).to.include({ prompt_slug: slug, endpoint_type: 'chatComplete' })
    expect(entry.fields).to.include({
      prompt_id: id,
      prompt_version: 1,
      request_url: `/v1/prompts/${id}/completions`,
    })
  })

  it('shares cache entries with a prompt that renders the same', async () => {
    const one = await create({ name: 'One' })
    const two = await create({ name: 'Two' })
    const config = { 'x-gateway-config': '{"virtual_key":"up","cache":{"mode":"simple"}}' }
    const first = await complete(String(one.id), { variables: { name: 'cached' } }, config)
    const second = await complete(String(two.id), { variables: { name: 'cached' } }, config)
    expect([first, second].map(({ headers }) => headers.get('x-gateway-cache-status'))).to.deep.equal([
      'MISS',
      'HIT',
    ])
  })

  it('is limited by policies that name it', async () => {
    const made = await create()
    const policy = await api.post('/v1/policies/rate-limits', {
      workspace_id: 'default',
      conditions: [{ key: 'prompt', value: made.slug }],
      group_by: [{ key: 'prompt' }],
      type: 'requests',
      unit: 'rpd',
      value: 1,
    })
    expect(policy.status, policy.text).to.equal(200)
    expect((await complete(String(made.id), { variables: {} })).status).to.equal(200)
    const { status, error } = await complete(String(made.slug), { variables: {} })
    expect([status, error.code]).to.deep.equal([429, 'rate_limit_exceeded'])
    expect((await complete(id, { variables: {} })).status).to.equal(200)
    const versioned = await api.post('/v1/policies/rate-limits', {
      workspace_id: 'default',
      conditions: [{ key: 'prompt', value: `${String(made.slug)}@2` }],
      group_by: [{ key: 'prompt' }],
      type: 'requests',
      unit: 'rpd',
      value: 1,
    })
    expect([versioned.status, versioned.error.param]).to.deep.equal([400, '/conditions/0/value'])
  })

  describe('with permissions', () => {
    const key = async (type: string, scopes: string[]) => {
      const path = type === 'organisation' ? 'organisation/service' : 'workspace/service'
      const where = type === 'organisation' ? {} : { workspace_id: 'default' }
      const made = await api.post(`/v1/api-keys/${path}`, { name: type, scopes, ...where })
      expect(made.status, made.text).to.equal(200)
      return api.as(String(made.body.key))
    }

    it('requires completions.write, and prompts.render or completions.write to render', async () => {
      const rows: [scopes: string[], run: number, shown: number][] = [
        [['completions.write'], 200, 200],
        [['prompts.render'], 403, 200],
        [['prompts.read'], 403, 403],
      ]
      for (const [scopes, run, shown] of rows) {
        const as = await key('workspace', scopes)
        const body = { variables: {} }
        expect((await as.post(`/v1/prompts/${id}/completions`, body)).status, scopes.join()).to.equal(run)
        expect((await as.post(`/v1/prompts/${id}/render`, body)).status, scopes.join()).to.equal(shown)
      }
    })

    it('answers 403 missing_scope to keys of the organisation', async () => {
      const as = await key('organisation', ['prompts.read'])
      for (const route of ['completions', 'render']) {
        const { status, error } = await as.post(`/v1/prompts/${id}/${route}`, { variables: {} })
        expect([status, error.code]).to.deep.equal([403, 'missing_scope'])
      }
    })

    it('is unknown in another workspace', async () => {
      const other = await api.post('/v1/workspaces', { name: 'Other' })
      const made = await api.post('/v1/api-keys/workspace/service', {
        name: 'w',
        scopes: ['completions.write'],
        workspace_id: other.body.id,
      })
      const { status, error } = await api
        .as(String(made.body.key))
        .post(`/v1/prompts/${id}/render`, { variables: {} })
      expect([status, error.code]).to.deep.equal([404, 'unknown_prompt'])
    })
  })

  describe('with an inline template', () => {
    const text = (extra: Record<string, unknown> = {}) => ({
      string: JSON.stringify([{ role: 'user', content: 'Hi {{name}}' }]),
      variables: { name: 'Ann' },
      ...extra,
    })

    it('is rendered by POST /prompts/render', async () => {
      const {
        status,
        body,
        text: raw,
      } = await api.post('/v1/prompts/render', text({ model: 'm', parameters: { top_p: 1, stream: true } }))
      expect(status, raw).to.equal(200)
      expect(body).to.deep.equal({
        success: true,
        data: { top_p: 1, model: 'm', messages: [{ role: 'user', content: 'Hi Ann' }] },
      })
    })

    const faults: [extra: Record<string, unknown>, code: string, param: string][] = [
      [{ string: undefined }, 'invalid_body', '/string'],
      [{ variables: undefined }, 'invalid_body', '/variables'],
      [{ string: '[' }, 'invalid_template', '/string'],
      [{ string: '[{"role":"user","content":"{{#a}}"}]' }, 'invalid_template', '/string'],
      [{ colour: 1 }, 'invalid_body', ''],
      [{ parameters: { temperature: 'hot' } }, 'invalid_body', '/temperature'],
    ]
    for (const [extra, code, param] of faults) {
      it(`is refused for ${JSON.stringify(extra)} with ${code}`, async () => {
        const { status, error } = await api.post('/v1/prompts/render', text(extra))
        expect([status, error.code, error.param]).to.deep.equal([400, code, param])
      })
    }

    it('requires prompts.render in the workspace that it names', async () => {
      const made = await api.post('/v1/api-keys/workspace/service', {
        name: 'c',
        scopes: ['completions.write'],
        workspace_id: 'default',
      })
      const { status, error } = await api.as(String(made.body.key)).post('/v1/prompts/render', text())
      expect([status, error.code]).to.deep.equal([403, 'missing_scope'])
      const unknown = await api.post('/v1/prompts/render', text({ workspace_id: 'nowhere' }))
      expect([unknown.status, unknown.error.param]).to.deep.equal([404, '/workspace_id'])
    })
  })
})
