/** Prompts: saving, refusals, and the content of each answer (management contract, section 14). */
import { expect } from 'chai'
import { type ManagementReply, openManagement } from '../../support/management.ts'

const chatText = (content = 'Hello {{name}}') => JSON.stringify([{ role: 'user', content }])

const prompt = (extra: Record<string, unknown> = {}) => ({
  name: 'Greeting',
  workspace_id: 'default',
  string: chatText(),
  model: 'gpt-4o',
  ...extra,
})

/** The members that PUT without `patch` needs. */
const version = (content: string, extra: Record<string, unknown> = {}) => ({
  string: chatText(content),
  parameters: {},
  model: 'gpt-4o',
  ...extra,
})

describe('prompts', () => {
  const api = openManagement()
  const create = async (extra: Record<string, unknown> = {}) => {
    const reply = await api.post('/v1/prompts', prompt(extra))
    expect(reply.status, reply.text).to.equal(200)
    return reply.body as Record<string, string>
  }

  describe('on creation', () => {
    it('publish version 1 and return the whole object', async () => {
      const { status, body, text } = await api.post(
        '/v1/prompts',
        prompt({ parameters: { temperature: 0.5 }, version_description: 'first' }),
      )
      expect(status, text).to.equal(200)
      expect(body).to.include({
        object: 'prompt',
        name: 'Greeting',
        model: 'gpt-4o',
        string: chatText(),
        is_raw_template: 0,
        virtual_key: null,
        config: null,
        tools: null,
        functions: null,
        tool_choice: null,
        variables_schema: null,
        version_description: 'first',
        prompt_version_description: 'first',
        prompt_version: 1,
        prompt_version_status: 'active',
        published_version: 1,
        latest_version: 1,
        source: 'api',
        status: 'active',
      })
      expect(body.slug).to.match(/^pr-greeting-[0-9a-f]{6}$/)
      expect(body.version_id).to.equal(body.prompt_version_id)
      expect(body.parameters).to.deep.equal({ temperature: 0.5 })
      expect(body.template_metadata).to.deep.equal({ template_type: 'chat' })
      expect(body.labels).to.deep.equal([])
      expect(body.variables).to.deep.equal(['name'])
    })

    it('read the model from the parameters, prefer the root, and store it once', async () => {
      const inside = await create({ model: undefined, parameters: { model: 'inner', temperature: 1 } })
      expect(inside.model).to.equal('inner')
      expect(inside.parameters).to.deep.equal({ temperature: 1 })
      expect((await create({ model: 'outer', parameters: { model: 'inner' } })).model).to.equal('outer')
    })

    it('are in the default collection of their workspace', async () => {
      const { collection_id } = await create()
      const collection = await api.get('/v1/collections/default?workspace_id=default')
      expect(collection.body).to.include({ id: collection_id, is_default: true, slug: 'default' })
    })

    it('accept other names of the metadata, and completion templates', async () => {
      const text = 'Say {{word}}'
      for (const name of ['template_metadata', 'prompt_metadata', 'metadata']) {
        const made = await create({ string: text, [name]: { template_type: 'completion' } })
        expect(made.template_metadata).to.deep.equal({ template_type: 'completion' })
      }
    })

    const refused: [name: string, change: Record<string, unknown>, code: string, param: string][] = [
      ['no name', { name: undefined }, 'invalid_body', '/name'],
      ['no string', { string: undefined }, 'invalid_body', '/string'],
      ['no model', { model: undefined }, 'invalid_body', '/model'],
      ['an unknown key', { colour: 'red' }, 'invalid_body', ''],
      ['a string that is not JSON', { string: 'Hello' }, 'invalid_template', '/string'],
      ['messages without a role', { string: '[{"content":"x"}]' }, 'invalid_template', '/string'],
      ['a section that is not closed', { string: chatText('{{#a}}x') }, 'invalid_template', '/string'],
      ['an unknown partial', { string: chatText('{{>nobody}}') }, 'invalid_template', '/string'],
      ['a value without escaping', { string: chatText('{{{name}}}') }, 'invalid_template', '/string'],
      ['a delimiter change', { string: chatText('{{=<% %>=}}') }, 'invalid_template', '/string'],
      [
        'parameters out of range',
        { parameters: { temperature: 3 } },
        'invalid_body',
        '/parameters/temperature',
      ],
      ['parameters of another type', { parameters: { top_p: 'x' } }, 'invalid_body', '/parameters/top_p'],
      [
        'a tool whose name is not a string',
        { tools: [{ type: 'function', function: { name: 3 } }] },
        'invalid_body',
        '/tools/0/function/name',
      ],
      ['an unknown provider', { virtual_key: '@nobody' }, 'invalid_body', '/virtual_key'],
      ['an unknown config', { config: 'nothing' }, 'invalid_body', '/config'],
      ['an invalid flag', { is_raw_template: 2 }, 'invalid_body', '/is_raw_template'],
      [
        'another template type',
        { template_metadata: { template_type: 'x' } },
        'invalid_body',
        '/template_metadata/template_type',
      ],
      ['an unknown collection', { collection_id: 'nowhere' }, 'not_found', '/collection_id'],
      [
        'a schema that is too complex',
        { variables_schema: { anyOf: Array.from({ length: 6000 }, () => ({})) } },
        'schema_too_complex',
        '/variables_schema',
      ],
      ['a schema with faults', { variables_schema: { type: 'thing' } }, 'invalid_body', '/variables_schema'],
      [
        'a schema that refers to others',
        { variables_schema: { $ref: 'https://a.example/s' } },
        'invalid_body',
        '/variables_schema',
      ],
      ['a slug that is a path', { slug: 'partials' }, 'invalid_body', '/slug'],
      ['no workspace', { workspace_id: undefined }, 'invalid_body', '/workspace_id'],
    ]
    for (const [name, change, code, param] of refused) {
      it(`are refused: ${name}`, async () => {
        const { status, error, text } = await api.post('/v1/prompts', prompt(change))
        expect(status, text).to.equal(code === 'not_found' ? 404 : 400)
        expect(error).to.include({ code, param })
      })
    }

    it('report line and column of an error in the template', async () => {
      const { error } = await api.post('/v1/prompts', prompt({ string: chatText('a\nb {{/x}}') }))
      expect(error.message).to.match(/line 2, column 3/)
    })

    it('are refused with 409 when their slug is taken', async () => {
      await create({ slug: 'taken' })
      const { status, error } = await api.post('/v1/prompts', prompt({ slug: 'taken' }))
      expect(status).to.equal(409)
      expect(error.code).to.equal('conflict')
    })
  })

  describe('on reading', () => {
    it('are listed without their content, by collection and search', async () => {
      const { id, collection_id } = await create({ name: 'Needle' })
      const { data } = await api.get(`/v1/prompts?search=needle&collection_id=${collection_id}`)
      expect(data).to.have.lengthOf(1)
      expect(data[0]).to.include({
        id,
        name: 'Needle',
        model: 'gpt-4o',
        collection_id,
        status: 'active',
        published_version: 1,
        latest_version: 1,
      })
      expect(data[0]).to.not.have.any.keys('string', 'parameters', 'variables')
    })

    it('return the published version, and others by number, latest and label', async () => {
      const { id, slug } = await create()
      await api.put(`/v1/prompts/${id}`, version('Second {{b}}'))
      await api.put(`/v1/prompts/${id}/versions/2`, { labels: ['staging'] })
      const rows: [suffix: string, number: number, status: string, variables: string[], labels: string[]][] =
        [
          ['', 1, 'active', ['name'], []],
          ['@published', 1, 'active', ['name'], []],
          ['@1', 1, 'active', ['name'], []],
          ['@2', 2, 'archived', ['b'], ['staging']],
          ['@latest', 2, 'archived', ['b'], ['staging']],
          ['@staging', 2, 'archived', ['b'], ['staging']],
        ]
      for (const [suffix, number, status, variables, labels] of rows) {
        for (const name of [id, slug]) {
          const { body, text } = await api.get(`/v1/prompts/${name}${suffix}?workspace_id=default`)
          expect(body, text).to.include({
            prompt_version: number,
            prompt_version_status: status,
            published_version: 1,
            latest_version: 2,
          })
          expect(body).to.deep.include({ variables, labels })
        }
      }
    })

    for (const suffix of ['@9', '@0', '@nobody', '@production', '@']) {
      it(`answer 404 unknown_prompt for ${suffix}`, async () => {
        const { id } = await create()
        const { status, error } = await api.get(`/v1/prompts/${id}${suffix}`)
        expect(status).to.equal(404)
        expect(error.code).to.equal('unknown_prompt')
      })
    }

    it('answer 404 unknown_prompt on every route of a prompt that does not exist', async () => {
      const routes: [method: string, path: string, body?: unknown][] = [
        ['GET', ''],
        ['PUT', '', { name: 'x' }],
        ['DELETE', ''],
        ['GET', '/versions'],
        ['GET', '/versions/1'],
        ['PUT', '/versions/1', { labels: [] }],
        ['PUT', '/makeDefault', { version: 1 }],
        ['POST', '/publish', { version: 1 }],
      ]
      for (const [method, path, body] of routes) {
        const { status, error } = await api.call(method, `/v1/prompts/nobody${path}`, { body })
        expect([status, error.code], `${method} ${path}`).to.deep.equal([404, 'unknown_prompt'])
      }
    })

    it('are also served at /prompts without /v1', async () => {
      const { id } = await create()
      expect((await api.get(`/prompts/${id}`)).body.id).to.equal(id)
      expect((await api.get(`/prompts/${id}/versions`)).data).to.have.lengthOf(1)
    })
  })

  describe('on update', () => {
    it('create a version that is not published, and return it', async () => {
      const { id } = await create({
        parameters: { temperature: 1 },
        tools: [{ type: 'function', function: { name: 'f' } }],
      })
      const { status, body, text } = await api.put(`/v1/prompts/${id}`, version('Second'))
      expect(status, text).to.equal(200)
      expect(body).to.include({ prompt_version: 2, latest_version: 2, published_version: 1, tools: null })
      expect(body).to.deep.include({ parameters: {}, string: chatText('Second') })
      const read = await api.get(`/v1/prompts/${id}@latest`)
      expect(read.body.prompt_version_id).to.equal(body.prompt_version_id)
    })

    const missing: [given: Record<string, unknown>, ...params: string[]][] = [
      [{ string: chatText('x') }, '/parameters', '/model'],
      [{ parameters: {} }, '/string', '/model'],
      [{ model: 'm' }, '/string', '/parameters'],
      [{ parameters: { model: 'm' } }, '/string'],
      [{ tools: null }, '/string', '/parameters', '/model'],
    ]
    for (const [given, ...params] of missing) {
      it(`require ${params.join(' and ')} next to ${Object.keys(given).join()} without patch`, async () => {
        const { id } = await create()
        const { status, error } = await api.put(`/v1/prompts/${id}`, given)
        expect(status).to.equal(400)
        expect(error.details?.map(({ param }) => param)).to.deep.equal(params)
      })
    }

    it('fill missing members from the latest version with patch, and null sets the default', async () => {
      const { id } = await create({ parameters: { temperature: 1 } })
      await api.put(`/v1/prompts/${id}`, version('Second', { parameters: { top_p: 0.5 }, virtual_key: null }))
      const third = await api.put(`/v1/prompts/${id}`, { patch: true, model: 'other' })
      expect(third.body).to.include({ prompt_version: 3, model: 'other', string: chatText('Second') })
      expect(third.body.parameters).to.deep.equal({ top_p: 0.5 })
      const fourth = await api.put(`/v1/prompts/${id}`, { patch: true, parameters: null })
      expect(fourth.body).to.deep.include({ prompt_version: 4, parameters: {}, model: 'other' })
    })

    it('create no version for a change of name and collection only', async () => {
      const { id } = await create()
      const { body } = await api.put(`/v1/prompts/${id}`, { name: 'Renamed' })
      expect(body).to.include({ name: 'Renamed', latest_version: 1 })
    })

    it('create no version for a change of test cases, which belong to all versions', async () => {
      const { id } = await create()
      const cases = [
        {
          name: 'by name',
          variables: { name: 'Ann' },
          expected: [{ type: 'contains', value: 'Ann' }, { type: 'json' }],
        },
      ]
      const { status, body, text } = await api.put(`/v1/prompts/${id}`, { test_cases: cases })
      expect(status, text).to.equal(200)
      expect(body).to.deep.include({ test_cases: cases, latest_version: 1 })
      await api.put(`/v1/prompts/${id}`, version('Bye {{name}}'))
      const read = async (name: string) => (await api.get(`/v1/prompts/${id}${name}`)).body.test_cases
      expect(await read('')).to.deep.equal(cases)
      expect(await read('@latest')).to.deep.equal(cases)
      const refused = await api.put(`/v1/prompts/${id}`, {
        test_cases: [{ name: 'x', variables: {}, expected: [{ type: 'rhymes' }] }],
      })
      expect([refused.status, refused.error.param]).to.deep.equal([400, '/test_cases/0/expected/0/type'])
      const unreadable = await api.put(`/v1/prompts/${id}`, {
        test_cases: [{ name: 'x', variables: {}, expected: [{ type: 'matches', value: '(' }] }],
      })
      expect([unreadable.status, unreadable.error.param]).to.deep.equal([
        400,
        '/test_cases/0/expected/0/value',
      ])
    })

    it('create no version for the same content, even with another description', async () => {
      const { id, prompt_version_id } = await create()
      const { body } = await api.put(
        `/v1/prompts/${id}`,
        version('Hello {{name}}', { version_description: 'again' }),
      )
      expect(body).to.include({ latest_version: 1, prompt_version_id, version_description: null })
    })

    it('are published with publish: true, even when the content is the latest', async () => {
      const { id } = await create()
      await api.put(`/v1/prompts/${id}`, version('Second'))
      const same = await api.put(`/v1/prompts/${id}`, version('Second', { publish: true }))
      expect(same.body).to.include({ latest_version: 2, published_version: 2 })
      const third = await api.put(`/v1/prompts/${id}`, version('Third', { publish: true }))
      expect(third.body).to.include({ latest_version: 3, published_version: 3 })
    })

    it('accept the returned object', async () => {
      const { id } = await create({ version_description: 'first' })
      const read = await api.get(`/v1/prompts/${id}`)
      const { status, body, text } = await api.put(`/v1/prompts/${id}`, read.body)
      expect(status, text).to.equal(200)
      expect(body.latest_version).to.equal(1)
    })

    for (const [name, change, param] of [
      ['faults of the template', version('{{#a}}'), '/string'],
      ['null for the string', { patch: true, string: null }, '/string'],
      ['a slug', { slug: 'other' }, '/slug'],
    ] as const) {
      it(`are refused: ${name}`, async () => {
        const { id } = await create()
        const { status, error } = await api.put(`/v1/prompts/${id}`, change)
        expect(status).to.equal(400)
        expect(error.param).to.equal(param)
      })
    }
  })

  describe('versions', () => {
    const three = async () => {
      const made = await create()
      await api.put(`/v1/prompts/${made.id}`, version('Second'))
      await api.put(`/v1/prompts/${made.id}`, version('Third', { version_description: 'the third' }))
      return made.id ?? ''
    }

    it('are listed newest first, in pages', async () => {
      const id = await three()
      const { body, data } = await api.get(`/v1/prompts/${id}/versions`)
      expect(body).to.include({ object: 'list', total: 3, current_page: 0, has_more: false })
      expect(data.map((row) => [row.prompt_version, row.prompt_version_status])).to.deep.equal([
        [3, 'archived'],
        [2, 'archived'],
        [1, 'active'],
      ])
      expect(data[0]).to.include({ string: chatText('Third'), prompt_version_description: 'the third' })
      expect(data[0]).to.include.keys('prompt_version_id', 'labels', 'created_at', 'updated_by', 'model')
      const page = await api.get(`/v1/prompts/${id}/versions?page_size=1&current_page=1`)
      expect(page.data.map((row) => row.prompt_version)).to.deep.equal([2])
    })

    it('are read by number and by id', async () => {
      const id = await three()
      const { body } = await api.get(`/v1/prompts/${id}/versions/2`)
      expect(body).to.include({ prompt_version: 2, string: chatText('Second') })
      const byId = await api.get(`/v1/prompts/${id}/versions/${String(body.prompt_version_id)}`)
      expect(byId.body).to.deep.equal(body)
    })

    it('answer 404 not_found when the prompt has no such version', async () => {
      const id = await three()
      const other = await create()
      for (const name of ['4', 'x', '00000000-0000-4000-8000-000000000000', other.prompt_version_id]) {
        const { status, error } = await api.get(`/v1/prompts/${id}/versions/${name}`)
        expect([status, error.code]).to.deep.equal([404, 'not_found'])
      }
    })

    for (const [method, path] of [
      ['PUT', 'makeDefault'],
      ['POST', 'publish'],
    ] as const) {
      it(`are published by ${path}`, async () => {
        const id = await three()
        const { status, body } = await api.call(method, `/v1/prompts/${id}/${path}`, { body: { version: 2 } })
        expect(status).to.equal(200)
        expect(body).to.include({ published_version: 2, prompt_version: 2, latest_version: 3 })
        const unknown = await api.call(method, `/v1/prompts/${id}/${path}`, { body: { version: 9 } })
        expect([unknown.status, unknown.error.code]).to.deep.equal([404, 'unknown_prompt'])
        const wrong = await api.call(method, `/v1/prompts/${id}/${path}`, { body: { version: '2' } })
        expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/version'])
        const absent = await api.call(method, `/v1/prompts/${id}/${path}`, { body: {} })
        expect([absent.status, absent.error.param]).to.deep.equal([400, '/version'])
      })
    }
  })

  it('can be archived, and are unknown afterwards', async () => {
    const { id } = await create()
    const { status, body } = await api.delete(`/v1/prompts/${id}`)
    expect(status).to.equal(200)
    expect(body).to.deep.equal({ id, object: 'prompt', deleted: true })
    expect((await api.get(`/v1/prompts/${id}`)).error.code).to.equal('unknown_prompt')
    expect((await api.delete(`/v1/prompts/${id}`)).status).to.equal(404)
  })

  it('cannot be deleted while a config runs them', async () => {
    const { id, slug } = await create()
    const config = { strategy: { mode: 'single' }, targets: [{ provider: 'echo', prompt_id: `${slug}@1` }] }
    const made = await api.post('/v1/configs', { name: 'a', workspace_id: 'default', config })
    expect(made.status, made.text).to.equal(200)
    const refused: ManagementReply = await api.delete(`/v1/prompts/${id}`)
    expect(refused.status).to.equal(409)
    expect(refused.error.message).to.include(String(made.body.slug))
    await api.delete(`/v1/configs/${String(made.body.id)}`)
    expect((await api.delete(`/v1/prompts/${id}`)).status).to.equal(200)
  })

  it('leave audit records', async () => {
    const { id } = await create()
    await api.put(`/v1/prompts/${id}`, version('Second'))
    await api.post(`/v1/prompts/${id}/publish`, { version: 2 })
    await api.put(`/v1/prompts/${id}/versions/2`, { labels: ['staging'] })
    await api.delete(`/v1/prompts/${id}`)
    const records = await api.audit(`resource_id=${id}`)
    expect(records.map(({ action }) => action)).to.deep.equal([
      'delete',
      'label',
      'publish',
      'update',
      'create',
    ])
  })
})
