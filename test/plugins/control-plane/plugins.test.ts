/** Settings and credentials of guardrail plugins (management contract, section 13). */
import { expect } from 'chai'
import { chat, configHeader } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const secret = 'a-credential-of-aporia-0123456789'

describe('the plugins API', () => {
  const api = openManagement({
    plugins: { disabled: ['patronus'], settings: { lasso: { apiKey: 'lasso-key-of-the-file-0123' } } },
  })
  let vendor: Upstream
  before(async () => {
    vendor = await openUpstream((_, response) => sendJson(response, 200, { action: 'passthrough' }))
  })
  after(() => vendor.close())

  const read = async (id: string) => (await api.get(`/v1/plugins/${id}`)).body
  const set = (settings: unknown, id = 'aporia') => api.put(`/v1/plugins/${id}`, { settings })

  it('lists plugins with their settings, including those of the config file and disabled ones', async () => {
    const { status, body, data } = await api.get('/v1/plugins')
    expect(status).to.equal(200)
    expect(body).to.include({ object: 'list', total: data.length })
    const byId = new Map(data.map((plugin) => [plugin.id, plugin]))
    expect(byId.get('lasso')).to.deep.include({
      object: 'plugin',
      enabled: true,
      source: 'file',
      settings: { apiKey: 'las****0123' },
    })
    expect(byId.get('pillar')).to.deep.include({ enabled: true, source: 'api', settings: {} })
    expect(byId.get('patronus')).to.deep.include({ enabled: false, settings_schema: null })
    expect(byId.get('pillar')?.version).to.match(/^\d+\.\d+\.\d+/)
    const found = await api.get('/v1/plugins?search=LASSO&page_size=1')
    expect(found.data.map(({ id }) => id)).to.deep.equal(['lasso'])
  })

  it('stores settings encrypted, and returns their secrets masked', async () => {
    const { status, body } = await set({ apiKey: secret, baseUrl: vendor.origin })
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body).to.deep.include({
      id: 'aporia',
      source: 'api',
      settings: { apiKey: 'a-c****6789', baseUrl: vendor.origin },
    })
    expect(await read('aporia')).to.deep.equal(body)
    const { documents } = api.gateway.runtime.store
    const stored = await documents.scan('plugin_settings', null, 100)
    expect(stored).to.have.length(1)
    expect(JSON.stringify(stored)).to.not.contain(secret)
    const [record] = await api.audit('action=update&resource_type=plugin')
    expect(record).to.include({ resource_id: 'aporia' })
    expect(JSON.stringify(record)).to.not.contain(secret)
  })

  it('accepts the returned settings unchanged, and merges changes', async () => {
    const before = await read('aporia')
    expect((await api.put('/v1/plugins/aporia', before)).body.settings).to.deep.equal(before.settings)
    const changed = await api.put('/v1/plugins/aporia', { ...before, version: '9.9.9' })
    expect([changed.status, changed.error.param]).to.deep.equal([400, '/version'])
    const switched = await api.put('/v1/plugins/aporia', { enabled: false })
    expect([switched.status, switched.error.param]).to.deep.equal([400, '/enabled'])
    await set({ resourceName: 'one', pii: { apiKey: 'pii-key-0123456789', resourceName: 'two' } }, 'azure')
    const { body } = await set({ resourceName: 'one', pii: { azureAuthMode: 'apiKey' } }, 'azure')
    expect(body.settings).to.deep.equal({
      resourceName: 'one',
      pii: { apiKey: 'pii****6789', resourceName: 'two', azureAuthMode: 'apiKey' },
    })
    const cleared = await set({ pii: null, resourceName: null }, 'azure')
    expect(cleared.body.settings).to.deep.equal({})
  })

  it('applies to the checks of every workspace at once, also in guardrails saved without a credential', async () => {
    const check = { id: 'aporia.validateProject', parameters: { projectID: 'p' } }
    const saved = await api.post('/v1/guardrails', {
      name: 'With settings',
      workspace_id: 'default',
      checks: [check],
    })
    expect(saved.status, saved.text).to.equal(200)
    const ask = () =>
      api.post(
        '/v1/chat/completions',
        { ...chat(), model: 'echo-1' },
        configHeader({ provider: 'echo', input_guardrails: [saved.body.slug] }),
      )
    const from = vendor.seen.length
    expect((await ask()).status).to.equal(200)
    const [call] = vendor.seen.slice(from)
    expect(JSON.stringify(call?.headers)).to.contain(secret)
    await set({ apiKey: 'another-credential-0123456789' })
    await ask()
    expect(JSON.stringify(vendor.seen.at(-1)?.headers)).to.contain('another-credential-0123456789')
    await set({ apiKey: secret })
  })

  it('requires a stored secret again when its destination changes', async () => {
    for (const settings of [
      { baseUrl: 'https://collector.example' },
      { baseUrl: null },
      { baseUrl: 'https://collector.example', apiKey: 'a-c****6789' },
    ]) {
      const reply = await set(settings)
      expect([reply.status, reply.error.param], JSON.stringify(settings)).to.deep.equal([
        400,
        '/settings/apiKey',
      ])
    }
    expect((await set({ baseUrl: vendor.origin, apiKey: 'a-c****6789' })).status).to.equal(200)
    expect((await set({ baseUrl: 'https://collector.example', apiKey: secret })).status).to.equal(200)
    expect((await set({ baseUrl: vendor.origin, apiKey: secret })).status).to.equal(200)
  })

  describe("for settings that use the machine's own identity", () => {
    const managed = { azureAuthMode: 'managed' }
    const collector = 'https://collector.example'
    const vendors = 'https://ours.cognitiveservices.azure.us'
    afterEach(() =>
      set(
        Object.fromEntries(['azureAuthMode', 'baseUrl', 'contentSafety', 'pii'].map((name) => [name, null])),
        'azure',
      ),
    )

    const strange: [settings: object, param: string][] = [
      [{ ...managed, baseUrl: collector }, '/settings/baseUrl'],
      [{ ...managed, baseUrl: 'http://ours.cognitiveservices.azure.com' }, '/settings/baseUrl'],
      [{ ...managed, baseUrl: 'https://ours.cognitiveservices.azure.com:8443' }, '/settings/baseUrl'],
      [{ ...managed, baseUrl: 'https://cognitiveservices.azure.com.collector.example' }, '/settings/baseUrl'],
      [{ ...managed, pii: { baseUrl: collector } }, '/settings/pii/baseUrl'],
      [{ baseUrl: collector, contentSafety: managed }, '/settings/baseUrl'],
    ]
    for (const [settings, param] of strange) {
      it(`refuses ${JSON.stringify(settings)}`, async () => {
        const reply = await set(settings, 'azure')
        expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
          400,
          'host_not_allowed',
          param,
        ])
      })
    }

    it('accepts hosts of the vendor and trusted hosts, and any host together with a secret', async () => {
      for (const settings of [
        { ...managed, baseUrl: vendors },
        { ...managed, baseUrl: vendor.origin },
        { azureAuthMode: 'apiKey', apiKey: 'a-key-0123456789', baseUrl: collector },
      ]) {
        const reply = await set(settings, 'azure')
        expect(reply.status, reply.text).to.equal(200)
      }
      await set({ apiKey: null, baseUrl: null }, 'azure')
    })

    it('refuses invalid settings of an older version when they are used', async () => {
      expect((await set({ ...managed, baseUrl: vendors }, 'azure')).status).to.equal(200)
      const { documents } = api.gateway.runtime.store
      const stored = (await documents.scan('plugin_settings', null, 100)).find(({ slug }) => slug === 'azure')
      if (stored === undefined) throw new Error('The settings are not stored.')
      const { version, ...document } = stored
      const data = { ...document.data, settings: { ...managed, baseUrl: collector } }
      await documents.commit([{ op: 'put', document: { ...document, data }, expected: version }])
      const check = { id: 'azure.contentSafety', parameters: {} }
      const reply = await api.post(
        '/v1/chat/completions',
        { ...chat(), model: 'echo-1' },
        configHeader({ provider: 'echo', before_request_hooks: [{ id: 'own', checks: [check] }] }),
      )
      expect([reply.status, reply.error.code], reply.text).to.deep.equal([400, 'host_not_allowed'])
      expect(reply.error.message).to.include('azure: baseUrl')
    })
  })

  const wrong: [
    what: string,
    id: string,
    body: object,
    status: number,
    code: string,
    param: string | null,
  ][] = [
    ['an unknown plugin', 'nobody', { settings: {} }, 404, 'not_found', 'path/id'],
    ['an unknown setting', 'pillar', { settings: { nonsense: 1 } }, 400, 'invalid_body', '/settings'],
    [
      'a setting of another type',
      'pillar',
      { settings: { apiKey: 7 } },
      400,
      'invalid_body',
      '/settings/apiKey',
    ],
    [
      'a mask without a stored secret',
      'pillar',
      { settings: { apiKey: 'abc****6789' } },
      400,
      'invalid_body',
      '/settings/apiKey',
    ],
    [
      'an address that may not be called',
      'pillar',
      { settings: { baseUrl: 'http://10.0.0.1', apiKey: 'k' } },
      400,
      'host_not_allowed',
      '/settings/baseUrl',
    ],
    ['settings where a plugin has none', 'default', { settings: { a: 1 } }, 400, 'invalid_body', '/settings'],
    ['settings that are no object', 'pillar', { settings: [] }, 400, 'invalid_body', '/settings'],
    ['a key that it does not know', 'pillar', { nonsense: 1 }, 400, 'invalid_body', ''],
    ['an empty body', 'pillar', {}, 400, 'invalid_body', null],
    ['settings of the config file', 'lasso', { settings: { apiKey: 'k' } }, 409, 'conflict', null],
    ['a disabled plugin', 'patronus', { settings: { apiKey: 'k' } }, 409, 'conflict', null],
  ]
  for (const [what, id, body, status, code, param] of wrong) {
    it(`refuses ${what}`, async () => {
      const reply = await api.put(`/v1/plugins/${id}`, body)
      expect([reply.status, reply.error.code], reply.text).to.deep.equal([status, code])
      if (param !== null) expect(reply.error.param).to.equal(param)
    })
  }

  it('names the config file when it defines the settings', async () => {
    expect((await set({ apiKey: 'k' }, 'lasso')).error.message).to.contain('gateway.json')
  })

  it('returns etags', async () => {
    const { headers } = await api.get('/v1/plugins/aporia')
    const etag = String(headers.get('etag'))
    expect((await api.get('/v1/plugins/aporia', { 'if-none-match': etag })).status).to.equal(304)
    const body = { settings: { baseUrl: vendor.origin } }
    expect((await api.put('/v1/plugins/aporia', body, { 'if-match': '"99-x"' })).status).to.equal(412)
    expect((await api.put('/v1/plugins/aporia', body, { 'if-match': etag })).status).to.equal(200)
  })

  it("requires the scopes to read and change the organisation's settings", async () => {
    const member = api.as(await api.people.session(await api.people.user('member@plugins.example')))
    expect((await member.get('/v1/plugins')).status).to.equal(403)
    const text = await api.people.key({
      type: 'organisation-service',
      scopes: ['organisation_settings.read'],
    })
    const reader = api.as(text)
    expect((await reader.get('/v1/plugins')).status).to.equal(200)
    const refused = await reader.put('/v1/plugins/aporia', { settings: {} })
    expect([refused.status, refused.error.param]).to.deep.equal([403, 'organisation_settings.update'])
  })
})
