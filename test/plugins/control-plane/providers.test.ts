/** Providers and virtual keys over the management API: the same objects, addressed by their slugs. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'

const key = 'sk-live-0123456789abcd'

describe('the providers API', () => {
  const api = openManagement({
    security: { trusted_hosts: ['127.0.0.1'] },
    providers: { declared: { provider: 'echo' } },
  })
  let upstream: Upstream
  let integration: { id: string; slug: string }
  before(async () => {
    upstream = await openUpstream()
    const made = await api.post('/v1/integrations', {
      name: 'Shared openai',
      ai_provider_id: 'openai',
      key,
      workspace_id: 'default',
      configurations: { custom_host: upstream.url },
      create_default_provider: false,
    })
    integration = made.body as unknown as typeof integration
  })
  after(() => upstream.close())

  let count = 0
  const create = (more: object = {}) =>
    api.post('/v1/providers', {
      name: `Provider ${++count}`,
      integration_id: integration.slug,
      workspace_id: 'default',
      ...more,
    })
  const created = async (more: object = {}) => {
    const made = await create(more)
    expect(made.status, made.text).to.equal(200)
    return made.body
  }
  const ask = (slug: unknown) => api.post('/v1/chat/completions', chat('hello', { model: `@${slug}/gpt-4o` }))

  it('returns the whole object, which can be called at once', async () => {
    const body = await created({ note: 'For search', tags: { team: 'search' } })
    expect(body).to.deep.include({
      object: 'provider',
      integration_id: integration.id,
      provider: 'openai',
      note: 'For search',
      usage_limits: null,
      rate_limits: null,
      expires_at: null,
      last_reset_at: null,
      status: 'active',
      source: 'api',
      tags: { team: 'search' },
    })
    expect((await api.get(`/v1/providers/${body.slug}`)).body).to.deep.equal(body)
    expect((await ask(body.slug)).status).to.equal(200)
    expect(upstream.seen.at(-1)?.headers.authorization).to.equal(`Bearer ${key}`)
    const byHeader = await api.post('/v1/chat/completions', chat(), {
      'x-gateway-virtual-key': String(body.slug),
    })
    expect(byHeader.status, 'as a virtual key').to.equal(200)
  })

  it('returns the same object at /virtual-keys', async () => {
    const body = await created()
    const { object, masked_key, model_config, secret_mappings, ...same } = (
      await api.get(`/v1/virtual-keys/${body.id}`)
    ).body
    expect(object).to.equal('virtual-key')
    expect({ object: 'provider', ...same }).to.deep.equal(body)
    expect({ masked_key, model_config, secret_mappings }).to.deep.equal({
      masked_key: 'sk-****abcd',
      model_config: { custom_host: upstream.url },
      secret_mappings: [],
    })
  })

  const limits: [string, object, object][] = [
    ['one object', { usage_limits: { credit_limit: 5 } }, { credit_limit: 5 }],
    ['a list of one', { usage_limits: [{ credit_limit: 5 }] }, { credit_limit: 5 }],
  ]
  for (const [what, more, first] of limits) {
    it(`returns ${what} of limits as one object`, async () => {
      const body = await created({ ...more, rate_limits: { type: 'requests', unit: 'rpm', value: 3 } })
      expect(body.usage_limits).to.include({ ...first, type: 'cost', current_usage: 0, status: 'active' })
      expect(body.rate_limits).to.deep.equal({ type: 'requests', unit: 'rpm', value: 3 })
      const same = await api.put(`/v1/providers/${body.id}`, body)
      expect(same.status, same.text).to.equal(200)
      expect(same.body.usage_limits).to.deep.equal(body.usage_limits)
    })
  }

  it('returns several limits as a list, and none as null', async () => {
    const body = await created({
      usage_limits: [{ credit_limit: 5 }, { type: 'tokens', credit_limit: 1000 }],
    })
    expect(body.usage_limits).to.have.length(2)
    const cleared = await api.put(`/v1/providers/${body.id}`, { usage_limits: null })
    expect(cleared.body.usage_limits).to.equal(null)
  })

  it('reports a provider as exhausted when its budget is exhausted, and as active after a reset', async () => {
    const { id, slug } = await created({ usage_limits: { type: 'requests', credit_limit: 1 } })
    expect((await ask(slug)).status).to.equal(200)
    expect((await ask(slug)).status).to.equal(412)
    expect((await api.get(`/v1/providers/${id}`)).body.status).to.equal('exhausted')
    const reset = await api.put(`/v1/providers/${id}`, { reset_usage: true })
    expect(reset.body).to.include({ status: 'active' })
    expect(reset.body.last_reset_at).to.match(/Z$/)
    expect((await ask(slug)).status).to.equal(200)
  })

  it('lets a provider expire', async () => {
    const { id, slug } = await created({ expires_at: '2099-01-01T00:00:00+01:00' })
    expect((await api.get(`/v1/providers/${id}`)).body.expires_at).to.equal('2098-12-31T23:00:00.000Z')
    const past = await api.put(`/v1/providers/${id}`, { expires_at: '2020-01-01' })
    expect(past.body.status).to.equal('expired')
    const expired = await api.get('/v1/providers?status=expired&page_size=1000')
    expect(expired.data.map((each) => each.id)).to.deep.equal([id])
    expect((await ask(slug)).status).to.equal(403)
    const bad = await api.put(`/v1/providers/${id}`, { expires_at: 'tomorrow' })
    expect([bad.status, bad.error.param]).to.deep.equal([400, '/expires_at'])
  })

  it('archives a provider, and frees its slug', async () => {
    const { id, slug } = await created({ slug: 'short-lived' })
    expect((await create({ slug })).status).to.equal(409)
    expect((await api.delete(`/v1/providers/${id}`)).body).to.deep.equal({
      id,
      object: 'provider',
      deleted: true,
    })
    expect((await ask(slug)).error.code).to.equal('unknown_virtual_key')
    expect((await api.delete(`/v1/providers/${id}`)).status).to.equal(404)
    expect((await create({ slug })).status).to.equal(200)
  })

  it('cannot archive a provider while a config names it', async () => {
    const { id, slug } = await created()
    const config = await api.post('/v1/configs', {
      name: 'Names it',
      workspace_id: 'default',
      config: { strategy: { mode: 'fallback' }, targets: [{ provider: `@${slug}` }] },
    })
    expect(config.status, config.text).to.equal(200)
    const refused = await api.delete(`/v1/providers/${id}`)
    expect([refused.status, refused.error.code]).to.deep.equal([409, 'conflict'])
    expect(refused.error.message).to.include(config.body.slug)
  })

  it('requires an integration that the workspace can use', async () => {
    const workspace = await api.people.workspace(`Elsewhere ${++count}`)
    const shared = await api.post('/v1/integrations', { name: `For some ${++count}`, ai_provider_id: 'echo' })
    for (const [integration_id, workspace_id] of [
      ['nothing', 'default'],
      [integration.id, workspace],
      [shared.body.id, workspace],
    ]) {
      const { status, error } = await create({ integration_id, workspace_id })
      expect([status, error.code, error.param]).to.deep.equal([404, 'not_found', '/integration_id'])
    }
    expect((await create({ integration_id: undefined })).error.param).to.equal('/integration_id')
  })

  it('hides a provider from other workspaces', async () => {
    const workspace = await api.people.workspace(`Other ${++count}`)
    const scopes = ['providers.read', 'providers.list', 'providers.update', 'completions.write']
    const other = api.as(await api.people.key({ type: 'workspace-service', workspace, scopes }))
    const { id, slug } = await created()
    expect((await other.get(`/v1/providers/${id}`)).status).to.equal(404)
    expect((await other.put(`/v1/providers/${id}`, { note: 'mine' })).status).to.equal(404)
    expect((await other.get('/v1/providers?page_size=1000')).data.map((each) => each.id)).not.to.include(id)
    const called = await other.post('/v1/chat/completions', chat('hello', { model: `@${slug}/gpt-4o` }))
    expect(called.status).to.be.oneOf([400, 404])
  })

  it('lists providers together with those of the config file, and by integration', async () => {
    const { id } = await created()
    const { data } = await api.get('/v1/providers?page_size=1000')
    const declared = data.find(({ slug }) => slug === 'declared')
    expect(declared).to.include({ source: 'file', provider: 'echo' })
    expect((await api.put(`/v1/providers/${declared?.id}`, { note: 'x' })).status).to.equal(409)
    expect((await create({ slug: 'declared' })).status).to.equal(409)
    const own = await api.get(`/v1/providers?page_size=1000&integration_id=${integration.id}`)
    expect(own.data.map((each) => each.id)).to.include(id)
    expect(own.data.map(({ slug }) => slug)).not.to.include('declared')
  })

  describe('for virtual keys with their own credential', () => {
    const make = (more: object) =>
      api.post('/v1/virtual-keys', { name: `Virtual ${++count}`, workspace_id: 'default', ...more })

    it('calls with it, and shows it masked', async () => {
      const { status, body, text } = await make({
        provider: 'openai',
        key,
        model_config: { custom_host: upstream.url },
      })
      expect(status, text).to.equal(200)
      expect(body).to.deep.include({
        object: 'virtual-key',
        provider: 'openai',
        masked_key: 'sk-****abcd',
        model_config: { custom_host: upstream.url },
      })
      expect(text).not.to.include(key)
      expect((await ask(body.slug)).status).to.equal(200)
      const changed = await api.put(`/v1/virtual-keys/${body.id}`, { key: 'sk-next-0123456789wxyz' })
      expect(changed.body.masked_key).to.equal('sk-****wxyz')
      await ask(body.slug)
      expect(upstream.seen.at(-1)?.headers.authorization).to.equal('Bearer sk-next-0123456789wxyz')
      const same = await api.put(`/v1/virtual-keys/${body.id}`, changed.body)
      expect(same.status, same.text).to.equal(200)
      expect(same.body.masked_key).to.equal('sk-****wxyz')
    })

    it('accepts the older member names', async () => {
      const { status, body, text } = await make({
        provider: 'azure-openai',
        key,
        resourceName: 'res',
        apiVersion: '2024-10-21',
        deploymentName: 'gpt-4o',
      })
      expect(status, text).to.equal(200)
      expect(body.model_config).to.deep.equal({
        azure_auth_mode: 'default',
        azure_resource_name: 'res',
        azure_api_version: '2024-10-21',
        azure_deployment_config: [
          {
            azure_deployment_name: 'gpt-4o',
            azure_api_version: '2024-10-21',
            azure_model_slug: 'gpt-4o',
            is_default: true,
          },
        ],
      })
      const several = await make({
        provider: 'azure-openai',
        key,
        resourceName: 'res',
        deploymentConfig: [
          { apiVersion: '2024-10-21', deploymentName: 'a', alias: 'gpt-4o', is_default: true },
          { apiVersion: '2024-10-21', deploymentName: 'b', alias: 'gpt-4o-mini' },
        ],
      })
      expect(several.status, several.text).to.equal(200)
    })

    it('hides their integration from lists, and archives it with them', async () => {
      const { body } = await make({ provider: 'openai', key })
      const hidden = String(body.integration_id)
      const { data } = await api.get('/v1/integrations?page_size=1000')
      expect(data.map(({ id }) => id)).not.to.include(hidden)
      expect((await create({ integration_id: hidden })).status).to.equal(404)
      await api.delete(`/v1/virtual-keys/${body.id}`)
      expect((await api.stored('integration', hidden))?.status).to.equal('archived')
    })

    const wrong: [string, object, string][] = [
      ['no provider', { key }, '/provider'],
      ['an unknown provider', { provider: 'nobody', key }, '/provider'],
      ['no key', { provider: 'openai' }, '/key'],
      [
        'an unknown member',
        { provider: 'openai', key, model_config: { nothing: 1 } },
        '/model_config/nothing',
      ],
      [
        'a host that may not be called',
        { provider: 'openai', key, model_config: { custom_host: 'http://10.0.0.1' } },
        '/model_config/custom_host',
      ],
    ]
    for (const [what, more, param] of wrong) {
      it(`refuses ${what} at ${param}`, async () => {
        const { status, error, text } = await make(more)
        expect([status, error.param], text).to.deep.equal([400, param])
      })
    }

    it('refuses to change their integration', async () => {
      const { body } = await make({ provider: 'openai', key })
      const refused = await api.put(`/v1/virtual-keys/${body.id}`, { integration_id: null })
      expect([refused.status, refused.error.param]).to.deep.equal([400, '/integration_id'])
    })

    it('archives the previous credential when they get another one', async () => {
      const { body } = await make({ provider: 'openai', key })
      const moved = await api.put(`/v1/virtual-keys/${body.id}`, { integration_id: integration.id })
      expect(moved.body).to.include({ integration_id: integration.id, masked_key: 'sk-****abcd' })
      expect((await api.stored('integration', String(body.integration_id)))?.status).to.equal('archived')
    })

    it('cannot change the credential of a shared integration', async () => {
      const { id } = await created()
      const refused = await api.put(`/v1/virtual-keys/${id}`, { key: 'sk-other-0123456789' })
      expect([refused.status, refused.error.param]).to.deep.equal([400, '/key'])
    })
  })
})
