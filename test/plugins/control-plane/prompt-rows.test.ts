/** The rows of the tables of prompts that the other suites do not cover (management contract, section 14). */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const chatText = (content: string) => JSON.stringify([{ role: 'user', content }])

describe('prompts, by the rows of the specification:', () => {
  const api = openManagement()
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream((_request, response) => {
      response.setHeader('x-request-id', 'req-of-the-provider')
      sendJson(response, 200, chatAnswer('ok'))
    })
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
  })
  after(() => upstream.close())

  const create = async (extra: Record<string, unknown> = {}) => {
    const reply = await api.post('/v1/prompts', {
      name: 'Row',
      workspace_id: 'default',
      string: chatText('Hi {{name}}'),
      model: 'gpt-4o',
      virtual_key: '@up',
      ...extra,
    })
    expect(reply.status, reply.text).to.equal(200)
    return reply.body as Record<string, string>
  }
  const made = async (path: string, body: Record<string, unknown>) => {
    const reply = await api.post(path, { workspace_id: 'default', ...body })
    expect(reply.status, reply.text).to.equal(200)
    return reply.body as Record<string, string>
  }
  const complete = (name: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
    api.post(`/v1/prompts/${name}/completions`, body, headers)
  const render = (name: string | undefined, body: unknown) => api.post(`/v1/prompts/${name}/render`, body)
  const contentOf = (body: Record<string, unknown>) =>
    (body.data as { messages: { content: string }[] }).messages[0]?.content

  const common = [
    'id',
    'object',
    'name',
    'slug',
    'organisation_id',
    'workspace_id',
    'status',
    'source',
    'owner_id',
    'updated_by',
    'created_at',
    'last_updated_at',
  ]
  const version = [
    'string',
    'parameters',
    'model',
    'virtual_key',
    'config',
    'tools',
    'functions',
    'tool_choice',
    'is_raw_template',
    'template_metadata',
    'variables_schema',
    'version_description',
  ]

  describe('the answers', () => {
    const inLists = [...common, 'collection_id', 'model', 'published_version', 'latest_version']
    const inOne = [
      ...inLists,
      ...version,
      'prompt_version',
      'prompt_version_id',
      'prompt_version_status',
      'prompt_version_description',
      'labels',
      'variables',
      'test_cases',
    ]

    it('for prompts contain every field, with null for absent ones', async () => {
      const { id, ...body } = await create({ virtual_key: undefined })
      expect({ id, ...body }).to.include.all.keys([...inOne, 'version_id'])
      const one = await api.get(`/v1/prompts/${id}`)
      expect(one.body).to.have.all.keys([...new Set(inOne)])
      for (const name of ['virtual_key', 'config', 'tools', 'functions', 'tool_choice', 'variables_schema'])
        expect(one.body[name], name).to.equal(null)
      const { data } = await api.get(`/v1/prompts?ids=${id}`)
      expect(data[0]).to.have.all.keys(inLists)
    })

    it('for partials, labels and collections contain theirs', async () => {
      const partial = await made('/v1/prompts/partials', { name: 'Part', string: 'x' })
      const label = await made('/v1/labels', { name: 'row-label' })
      const collection = await made('/v1/collections', { name: 'Box' })
      const rows: [path: string, id: string | undefined, keys: string[]][] = [
        [
          '/v1/prompts/partials',
          partial.id,
          [
            ...common,
            'string',
            'version_description',
            'version',
            'prompt_partial_version_id',
            'published_version',
            'latest_version',
          ],
        ],
        ['/v1/labels', label.id, [...common, 'description', 'color_code', 'is_universal']],
        [
          '/v1/collections',
          collection.id,
          [...common, 'parent_collection_id', 'is_default', 'collection_details'],
        ],
      ]
      for (const [path, id, keys] of rows) {
        const { body } = await api.get(`${path}/${id}`)
        expect(body, path).to.include.all.keys(keys)
        const listed = await api.get(`${path}?ids=${id}`)
        expect(listed.body).to.include({ object: 'list', total: 1, current_page: 0, page_size: 100 })
        expect(listed.data[0]).to.include({ id })
      }
      expect(label).to.deep.include({
        object: 'label',
        description: null,
        color_code: null,
        is_universal: false,
      })
      expect(partial.slug).to.match(/^pt-part-[0-9a-f]{6}$/)
    })

    it('can be sent back unchanged', async () => {
      const kinds: [path: string, body: Record<string, unknown>][] = [
        ['/v1/prompts', { name: 'Back', string: chatText('x'), model: 'm' }],
        ['/v1/prompts/partials', { name: 'Back', string: 'x', version_description: 'd' }],
        ['/v1/labels', { name: 'back', color_code: '#000' }],
        ['/v1/collections', { name: 'Back' }],
      ]
      for (const [path, body] of kinds) {
        const { id } = await made(path, body)
        const read = await api.get(`${path}/${id}`)
        const put = await api.put(`${path}/${id}`, read.body)
        expect(put.status, put.text).to.equal(200)
        const other = await api.put(`${path}/${id}`, { ...read.body, created_at: '2001-01-01T00:00:00.000Z' })
        expect([other.status, other.error.param], path).to.deep.equal([400, '/created_at'])
      }
    })

    it('have an etag, which protects a write', async () => {
      const { id } = await create()
      const { headers } = await api.get(`/v1/prompts/${id}`)
      const etag = headers.get('etag') ?? ''
      expect(etag).to.match(/^"/)
      expect((await api.get(`/v1/prompts/${id}`, { 'if-none-match': etag })).status).to.equal(304)
      expect((await api.put(`/v1/prompts/${id}`, { name: 'One' }, { 'if-match': etag })).status).to.equal(200)
      const stale = await api.put(`/v1/prompts/${id}`, { name: 'Two' }, { 'if-match': etag })
      expect([stale.status, stale.error.code]).to.deep.equal([412, 'precondition_failed'])
    })
  })

  describe('a prompt', () => {
    it('accepts is_raw_template as 0, 1, true and false', async () => {
      for (const [sent, shown] of [
        [0, 0],
        [1, 1],
        [true, 1],
        [false, 0],
      ]) {
        const { is_raw_template: kept } = await create({ is_raw_template: sent })
        expect(kept).to.equal(shown)
      }
    })

    it('can be moved to another collection without a new version; an unknown collection is 404', async () => {
      const { id } = await create()
      const box = await made('/v1/collections', { name: 'Box' })
      const { body } = await api.put(`/v1/prompts/${id}`, { collection_id: box.slug })
      expect(body).to.include({ collection_id: box.id, latest_version: 1 })
      const { status, error } = await api.put(`/v1/prompts/${id}`, { collection_id: 'nowhere' })
      expect([status, error.code, error.param]).to.deep.equal([404, 'not_found', '/collection_id'])
    })

    it('lists the variables of its partials, including nested ones', async () => {
      const inner = await made('/v1/prompts/partials', { name: 'Inner', slug: 'row-inner', string: '{{c}}' })
      await made('/v1/prompts/partials', {
        name: 'Outer',
        slug: 'row-outer',
        string: `{{b}}{{>${inner.slug}}}`,
      })
      const { variables } = await create({ string: chatText('{{a}}{{#s}}{{t.u}}{{/s}}{{>row-outer}}') })
      expect(variables).to.have.members(['a', 's', 't.u', 'b', 'c'])
    })

    it('can be read after archiving with ?status=archived, and frees its slug', async () => {
      const { id } = await create({ slug: 'row-again' })
      await api.delete(`/v1/prompts/${id}`)
      expect((await api.get(`/v1/prompts/${id}?status=archived`)).body).to.include({ id, status: 'archived' })
      const listed = await api.get('/v1/prompts?workspace_id=default&status=archived')
      expect(listed.data.map((row) => row.id)).to.include(id)
      const { status, error } = await complete('row-again', { variables: {} })
      expect([status, error.code]).to.deep.equal([404, 'unknown_prompt'])
      expect((await create({ slug: 'row-again' })).id).to.not.equal(id)
    })

    it('resets absent fields to their defaults without patch', async () => {
      const { id } = await create({
        tools: [{ type: 'function', function: { name: 'f' } }],
        tool_choice: 'auto',
        functions: [{ name: 'f' }],
        variables_schema: { type: 'object' },
        version_description: 'first',
      })
      const { body, text } = await api.put(`/v1/prompts/${id}`, {
        string: chatText('x'),
        parameters: {},
        model: 'm',
      })
      expect(body, text).to.include({
        virtual_key: null,
        config: null,
        tools: null,
        functions: null,
        tool_choice: null,
        variables_schema: null,
        is_raw_template: 0,
        version_description: null,
        latest_version: 2,
      })
    })

    it('never returns patch and publish', async () => {
      const { id } = await create()
      const { body } = await api.put(`/v1/prompts/${id}`, { patch: true, model: 'other', publish: true })
      expect(body).to.not.have.any.keys('patch', 'publish', 'prompt_metadata', 'metadata')
      expect(body).to.include({ published_version: 2, prompt_version_status: 'active' })
    })

    for (const [name, schema] of [
      ['that is larger than 64 kB', { type: 'object', description: 'x'.repeat(65_536) }],
      ['that is not an object', ['x']],
      ['with an invalid pattern', { type: 'object', properties: { a: { pattern: '(' } } }],
    ] as const) {
      it(`is refused with an invalid schema of its variables ${name}`, async () => {
        const { status, error } = await api.post('/v1/prompts', {
          name: 'x',
          workspace_id: 'default',
          string: chatText('x'),
          model: 'm',
          variables_schema: schema,
        })
        expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', '/variables_schema'])
      })
    }
  })

  describe('an unknown id', () => {
    const nobody = '00000000-0000-4000-8000-000000000000'
    for (const path of ['/v1/prompts/partials', '/v1/labels', '/v1/collections']) {
      it(`is 404 not_found: ${path}/…`, async () => {
        const calls: [method: string, body?: unknown][] = [['GET'], ['PUT', { name: 'x' }], ['DELETE']]
        for (const [method, body] of calls) {
          const { status, error } = await api.call(method, `${path}/${nobody}`, { body })
          expect([status, error.code, error.param], method).to.deep.equal([404, 'not_found', 'path/id'])
        }
      })
    }

    it('answers 404 not_found for versions of partials', async () => {
      const { id } = await made('/v1/prompts/partials', { name: 'Part', string: 'x' })
      const { status, error } = await api.put(`/v1/prompts/partials/${id}/makeDefault`, { version: 2 })
      expect([status, error.code]).to.deep.equal([404, 'not_found'])
      expect((await api.get(`/v1/prompts/partials/${nobody}/versions`)).error.code).to.equal('not_found')
    })
  })

  describe('a completion', () => {
    it("returns the gateway's headers and the provider's request id in its envelope", async () => {
      const { id } = await create()
      const { headers, body } = await complete(id, { variables: { name: 'x' } })
      expect(headers.get('x-gateway-provider-request-id')).to.equal('req-of-the-provider')
      const own = [...headers.keys()].filter((name) => name.startsWith('x-gateway-'))
      expect(body.headers).to.have.all.keys(own)
      expect(body.headers).to.include({ 'x-gateway-provider-request-id': 'req-of-the-provider' })
    })

    it('sends the tools of the version', async () => {
      const tools = [{ type: 'function', function: { name: 'f' } }]
      const { id } = await create({ tools, tool_choice: 'auto' })
      await complete(id, { variables: {} })
      expect(upstream.seen.at(-1)?.json).to.deep.include({ tools, tool_choice: 'auto' })
      const rendered = await render(id, { variables: {}, tool_choice: 'none' })
      expect(rendered.body.data).to.deep.include({ tools, tool_choice: 'none' })
    })

    it('forwards unknown members, without promptID, also for render', async () => {
      const { id } = await create()
      const { body } = await render(id, {
        variables: {},
        promptID: 'x',
        prompt_id: 'x',
        colour: 'red',
        hyperparameters: { a: 1 },
        stream_options: { include_usage: true },
      })
      expect(body.data).to.deep.equal({
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'Hi ' }],
        colour: 'red',
        hyperparameters: { a: 1 },
        stream_options: { include_usage: true },
      })
    })

    for (const variables of [null, 'x', []]) {
      it(`is refused for the variables ${JSON.stringify(variables)}`, async () => {
        const { id } = await create()
        for (const run of [complete, render]) {
          const { status, error } = await run(id, { variables })
          expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', '/variables'])
        }
      })
    }

    it('is refused for a body that is not JSON', async () => {
      const { id } = await create()
      for (const run of [complete, render]) {
        const { status, error } = await run(id, '{')
        expect([status, error.code]).to.deep.equal([400, 'invalid_json'])
      }
    })

    it('lists at most 1 kB of missing variables, including those that are not text', async () => {
      const long = Array.from({ length: 200 }, (_, index) => `{{variable ${index}}}`).join('')
      const { id } = await create({ string: chatText(long) })
      const names =
        (await render(id, { variables: {} })).headers.get('x-gateway-prompt-missing-variables') ?? ''
      expect(names.length).to.be.within(900, 1024)
      expect(names.split(',')[1]).to.equal('variable%201')
      const odd = await create({ string: chatText('{{a}}{{\ud800}}') })
      const { status, headers, text } = await render(odd.id, { variables: {} })
      expect(status, text).to.equal(200)
      expect(headers.get('x-gateway-prompt-missing-variables')).to.equal('a,%EF%BF%BD')
    })

    it('is refused when the rendered text exceeds the body limit, or grows without end', async () => {
      let slug = (await made('/v1/prompts/partials', { name: 'x', string: 'x'.repeat(10) })).slug
      for (let level = 0; level < 8; level += 1)
        slug = (await made('/v1/prompts/partials', { name: 'x', string: `{{>${slug}}}`.repeat(10) })).slug
      const { id } = await create({ string: chatText(`{{>${slug}}}`) })
      for (const run of [complete, render]) {
        const { status, error } = await run(id, { variables: {} })
        expect([status, error.code]).to.deep.equal([400, 'invalid_template'])
      }
    })

    it('counts a variable partial as one of ten levels', async () => {
      const names = Array.from({ length: 11 }, (_, index) => `p${index}`)
      const variables = Object.fromEntries(names.map((name, index) => [name, `{{>>p${index + 1}}}`]))
      const { id } = await create({ string: chatText('{{>>p1}}') })
      const good = await render(id, { variables: { ...variables, p10: 'end' } })
      expect(contentOf(good.body), good.text).to.equal('end')
      const { status, error } = await render(id, { variables: { ...variables, p11: 'end' } })
      expect([status, error.code]).to.deep.equal([400, 'invalid_template'])
    })

    it('is not logged for render', async () => {
      const { id } = await create()
      const rendered = await render(id, { variables: {} }).then(({ headers }) => headers)
      const run = (await complete(id, { variables: {} })).headers
      const { log } = api.gateway.runtime.store
      const traces = [rendered, run].map((headers) => headers.get('x-gateway-trace-id') ?? '')
      const found = await until('the completion is logged', async () => {
        const entries = await log.list({ fields: { trace_id: traces } }, { limit: 10 })
        return entries.length > 0 ? entries : null
      })
      expect(found.map(({ fields }) => fields.trace_id)).to.deep.equal([traces[1]])
    })
  })

  describe('the config of a version', () => {
    it('comes after the config of the call, the key and the workspace', async () => {
      const config = (name: string) =>
        made('/v1/configs', {
          name,
          config: { provider: '@up', override_params: { user: name } },
        })
      const ofPrompt = await config('of-prompt')
      const ofKey = await config('of-key')
      const ofWorkspace = await config('of-workspace')
      const { id } = await create({ config: ofPrompt.slug })
      const user = async (as = api) => {
        const { status, text } = await as.post(`/v1/prompts/${id}/completions`, { variables: {} })
        expect(status, text).to.equal(200)
        return upstream.seen.at(-1)?.json?.user
      }
      const key = async (defaults?: Record<string, unknown>) =>
        api.as(
          String(
            (
              await made('/v1/api-keys/workspace/service', {
                name: 'k',
                scopes: ['completions.write'],
                defaults,
              })
            ).key,
          ),
        )
      expect(await user(await key())).to.equal('of-prompt')
      expect(await user(await key({ config_id: ofKey.id }))).to.equal('of-key')
      const set = await api.put('/v1/workspaces/default', { defaults: { config_id: ofWorkspace.id } })
      expect(set.status, set.text).to.equal(200)
      expect(await user(await key())).to.equal('of-workspace')
      expect(await user(await key({ config_id: ofKey.id }))).to.equal('of-key')
      await api.put('/v1/workspaces/default', { defaults: { config_id: null } })
    })
  })

  describe('a target with prompt_id', () => {
    it('uses the variables of a completions call, too, by id and suffix', async () => {
      const { id } = await create({
        string: 'Say {{word}}',
        template_metadata: { template_type: 'completion' },
        virtual_key: null,
      })
      const { status, text, body } = await api.post(
        '/v1/completions',
        { variables: { word: 'this' } },
        { 'x-gateway-config': JSON.stringify({ provider: 'echo', prompt_id: `${id}@1` }) },
      )
      expect(status, text).to.equal(200)
      expect(JSON.stringify(body)).to.include('Say this')
      const without = await api.post(
        '/v1/completions',
        {},
        { 'x-gateway-config': JSON.stringify({ provider: 'echo', prompt_id: id }) },
      )
      expect(without.status, without.text).to.equal(200)
    })
  })
})
