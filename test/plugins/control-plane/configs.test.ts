/** Routing configs over the management API: saved, checked, versioned, the default of a workspace, and in use. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const single = (name = 'one') => ({ retry: { attempts: 1 }, name })
const fallback = (...targets: object[]) => ({ strategy: { mode: 'fallback' }, targets })
const echo = { provider: '@file-echo' }

describe('the configs API', () => {
  const api = openManagement({
    providers: { 'file-echo': { provider: 'echo' } },
    configs: { declared: echo },
  })
  const workspace_id = 'default'
  const create = (more: object = {}) =>
    api.post('/v1/configs', { name: 'Mine', config: single(), workspace_id, ...more })

  it('returns the whole object, and reads it again', async () => {
    const created = await create()
    expect(created.status).to.equal(200)
    expect(created.body).to.include({
      object: 'config',
      name: 'Mine',
      version: 1,
      is_default: false,
      source: 'api',
    })
    expect(created.body.slug).to.match(/^cfg-mine-[0-9a-f]{6}$/)
    expect(created.body.config).to.deep.equal(single())
    const byId = await api.get(`/v1/configs/${created.body.id}`)
    const bySlug = await api.get(`/v1/configs/${created.body.slug}`)
    expect(byId.body).to.deep.equal(created.body)
    expect(bySlug.body).to.deep.equal(created.body)
  })

  it('accepts JSON in a string, and keeps strings inside it unchanged', async () => {
    const config = { override_params: { stop: ' x ' }, retry: { attempts: 0 } }
    const created = await create({ config: JSON.stringify(config) })
    expect(created.body.config).to.deep.equal(config)
  })

  it('lists configs without their content, including those of the config file', async () => {
    const { body } = await create({ name: 'Listed' })
    const list = await api.get('/v1/configs?page_size=1000')
    const mine = list.data.find(({ id }) => id === body.id)
    expect(mine).to.include({ name: 'Listed', version: 1 })
    expect(mine).not.to.have.property('config')
    expect(list.data.find(({ slug }) => slug === 'declared')).to.include({ source: 'file' })
  })

  const refused: [string, object, string, string][] = [
    ['no config', { config: undefined }, 'invalid_body', '/config'],
    ['a list', { config: [] }, 'invalid_body', '/config'],
    ['text that is not JSON', { config: '{' }, 'invalid_body', '/config'],
    ['JSON that is not an object', { config: '[1]' }, 'invalid_body', '/config'],
    ['an unknown key', { config: { ...single(), colour: 1 } }, 'invalid_config', '/config'],
    ['a wrong value', { config: { retry: { attempts: 9 } } }, 'invalid_config', '/config/retry/attempts'],
    [
      'an unknown guardrail',
      { config: { input_guardrails: ['none'] } },
      'unknown_guardrail',
      '/config/input_guardrails/0',
    ],
    [
      'an unknown check',
      { config: { input_guardrails: [{ 'default.none': {} }] } },
      'unknown_check',
      '/config/input_guardrails/0/default.none',
    ],
    [
      'patterns that are too large together',
      {
        config: {
          input_guardrails: Array.from({ length: 100 }, (_, index) => ({
            regexMatch: { rule: `\\pL{400}${index}` },
          })),
        },
      },
      'invalid_config',
      '/config/input_guardrails/3/regexMatch',
    ],
    ['an unknown slug', { config: { virtual_key: 'none' } }, 'invalid_config', '/config/virtual_key'],
    ['an unknown prompt', { config: { prompt_id: 'none@2' } }, 'invalid_config', '/config/prompt_id'],
    ['an unknown key of the body', { colour: 1 }, 'invalid_body', ''],
    ['a default that is not a boolean', { is_default: 'yes' }, 'invalid_body', '/is_default'],
    ['a default that is said in two ways', { is_default: true, isDefault: 0 }, 'invalid_body', '/isDefault'],
  ]
  for (const [what, more, code, param] of refused) {
    it(`refuses ${what}`, async () => {
      const reply = await create(more)
      expect(reply.status, reply.text).to.equal(400)
      expect(reply.error.code).to.equal(code)
      expect(reply.error.param).to.equal(param)
    })
  }

  it('reports every error of a config', async () => {
    const config = fallback({ provider: '@none' }, { retry: { attempts: -1 } })
    const schema = await create({ config: { ...config, cache: { mode: 'other' } } })
    expect(schema.error.details?.map((each) => (each as { param: string }).param)).to.include.members([
      '/config/targets/1/retry/attempts',
      '/config/cache/mode',
    ])
  })

  it('creates a version for new content, and none for the same content', async () => {
    const { body } = await create()
    const renamed = await api.put(`/v1/configs/${body.id}`, { name: 'Other' })
    expect(renamed.body).to.include({ name: 'Other', version: 1, version_id: body.version_id })
    const same = await api.put(`/v1/configs/${body.id}`, { config: single() })
    expect(same.body.version).to.equal(1)
    const changed = await api.patch(`/v1/configs/${body.id}`, { config: single('two') })
    expect(changed.body.version).to.equal(2)
    expect(changed.body.version_id).not.to.equal(body.version_id)
    const versions = await api.get(`/v1/configs/${body.id}/versions`)
    expect(versions.data.map(({ version, config }) => [version, config])).to.deep.equal([
      [2, single('two')],
      [1, single()],
    ])
    const page = await api.get(`/v1/configs/${body.id}/versions?page_size=1&current_page=1`)
    expect(page.data.map(({ version }) => version)).to.deep.equal([1])
    expect(page.body).to.include({ total: 2, has_more: false })
  })

  it('reads an earlier version by its number', async () => {
    const { body } = await create()
    await api.put(`/v1/configs/${body.id}`, { config: single('two') })
    for (const path of [`${body.id}?version=1`, `${body.slug}@1`, `${body.id}@1`]) {
      const old = await api.get(`/v1/configs/${path}`)
      expect(old.body).to.include({ version: 1, version_id: body.version_id, name: 'Mine' })
      expect(old.body.config).to.deep.equal(single())
    }
    const missing = await api.get(`/v1/configs/${body.id}?version=7`)
    expect([missing.status, missing.error.param]).to.deep.equal([404, 'query/version'])
    const bad = await api.get(`/v1/configs/${body.id}?version=x`)
    expect([bad.status, bad.error.code, bad.error.param]).to.deep.equal([
      400,
      'invalid_query',
      'query/version',
    ])
  })

  it('restores an earlier version as a new one', async () => {
    const { body } = await create()
    await api.put(`/v1/configs/${body.id}`, { config: single('two') })
    const back = await api.post(`/v1/configs/${body.id}/rollback`, { version: 1 })
    expect(back.body).to.include({ version: 3, object: 'config' })
    expect(back.body.config).to.deep.equal(single())
    expect((await api.get(`/v1/configs/${body.id}`)).body).to.deep.equal(back.body)
    const unknown = await api.post(`/v1/configs/${body.id}/rollback`, { version: 9 })
    expect([unknown.status, unknown.error.param]).to.deep.equal([404, '/version'])
    const empty = await api.post(`/v1/configs/${body.id}/rollback`, {})
    expect([empty.status, empty.error.param]).to.deep.equal([400, '/version'])
  })

  it('can set one config as the default of its workspace', async () => {
    const first = await create({ is_default: true })
    const second = await create({ isDefault: 1 })
    expect(first.body.is_default).to.equal(true)
    expect(second.body.is_default).to.equal(true)
    expect((await api.get(`/v1/configs/${first.body.id}`)).body.is_default).to.equal(false)
    const workspace = await api.get('/v1/workspaces/default')
    expect(workspace.body.defaults).to.include({ config_id: second.body.id })
    const used = await api.delete(`/v1/configs/${second.body.id}`)
    expect([used.status, used.error.code]).to.deep.equal([409, 'conflict'])
    expect(used.error.message).to.include('workspace default')
    const off = await api.put(`/v1/configs/${second.body.id}`, { is_default: false })
    expect(off.body.is_default).to.equal(false)
    expect((await api.delete(`/v1/configs/${second.body.id}`)).status).to.equal(200)
  })

  it('refuses to delete a config while it is the default of a key', async () => {
    const { body } = await create()
    const key = await api.post('/v1/api-keys/workspace/service', {
      name: 'user of a config',
      workspace_id,
      scopes: ['completions.write'],
      defaults: { config_id: body.slug },
    })
    expect(key.status, key.text).to.equal(200)
    const used = await api.delete(`/v1/configs/${body.id}`)
    expect([used.status, used.error.code]).to.deep.equal([409, 'conflict'])
    expect(used.error.message).to.include('API key user of a config')
    await api.delete(`/v1/api-keys/${key.body.id}`)
    expect((await api.delete(`/v1/configs/${body.id}`)).status).to.equal(200)
  })

  it('applies the current version to requests that name it', async () => {
    const config = { ...echo, override_params: { echo: { reply: 'first' } } }
    const { body } = await create({ config })
    const ask = async (id: unknown) => {
      const reply = await api.post('/v1/chat/completions', chat(), { 'x-gateway-config': String(id) })
      return (
        (reply.body.choices as { message: { content: string } }[] | undefined)?.[0]?.message.content ??
        reply.text
      )
    }
    expect(await ask(body.id)).to.equal('first')
    expect(await ask(body.slug)).to.equal('first')
    await api.put(`/v1/configs/${body.id}`, {
      config: { ...echo, override_params: { echo: { reply: 'second' } } },
    })
    expect(await ask(body.slug)).to.equal('second')
    await api.delete(`/v1/configs/${body.id}`)
    expect(await ask(body.slug)).to.include('unknown_config')
  })

  it('loses no version in concurrent writes', async () => {
    const { body } = await create()
    const names = Array.from({ length: 8 }, (_, index) => `name ${index}`)
    const replies = await Promise.all(
      names.map((name) => api.put(`/v1/configs/${body.id}`, { config: single(name) })),
    )
    expect(replies.map(({ status }) => status)).to.deep.equal(names.map(() => 200))
    const { data } = await api.get(`/v1/configs/${body.id}/versions`)
    expect(data.map(({ version }) => version)).to.deep.equal([9, 8, 7, 6, 5, 4, 3, 2, 1])
    const created = await Promise.all(names.map(() => create({ is_default: true })))
    expect(created.map(({ status }) => status)).to.deep.equal(names.map(() => 200))
    const list = await api.get('/v1/configs?page_size=1000')
    expect(list.data.filter(({ is_default }) => is_default)).to.have.length(1)
  })

  it('archives a config, and restores it', async () => {
    const { body } = await create({ slug: 'again' })
    expect((await api.delete(`/v1/configs/${body.id}`)).body).to.deep.equal({
      id: body.id,
      object: 'config',
      deleted: true,
    })
    expect((await api.get(`/v1/configs/${body.id}`)).status).to.equal(404)
    const restored = await api.put(`/v1/configs/${body.id}`, { status: 'active' })
    expect(restored.body).to.include({ status: 'active', slug: 'again' })
  })

  it('cannot change configs of the config file', async () => {
    const declared = await api.get('/v1/configs/declared')
    expect(declared.body).to.include({ source: 'file', version: 1 })
    for (const reply of [
      await api.put('/v1/configs/declared', { name: 'x' }),
      await api.delete('/v1/configs/declared'),
      await api.post('/v1/configs/declared/rollback', { version: 1 }),
    ]) {
      expect([reply.status, reply.error.code]).to.deep.equal([409, 'conflict'])
    }
    expect((await api.get('/v1/configs/declared/versions')).data).to.have.length(1)
  })

  describe('validation without storing', () => {
    const validate = (config: unknown) => api.post('/v1/configs/validate', { config })

    it('lists the leaves of a valid config', async () => {
      const { status, body } = await validate(fallback(echo, fallback(echo, echo)))
      expect(status).to.equal(200)
      expect(body).to.deep.equal({
        valid: true,
        errors: [],
        targets: ['config.targets[0]', 'config.targets[1].targets[0]', 'config.targets[1].targets[1]'],
      })
    })

    const bad: [string, unknown, string][] = [
      ['a wrong value', { retry: { attempts: 9 } }, '/config/retry/attempts'],
      ['an unknown reference', fallback(echo, { provider: '@none' }), '/config/targets/1/provider'],
      ['no object', 7, '/config'],
      ['text that is not JSON', 'x', '/config'],
    ]
    for (const [what, config, param] of bad) {
      it(`reports the error: ${what}`, async () => {
        const { status, body } = await validate(config)
        expect(status).to.equal(200)
        expect(body.valid).to.equal(false)
        expect((body.errors as { param: string }[]).map((each) => each.param)).to.include(param)
      })
    }
  })
})
