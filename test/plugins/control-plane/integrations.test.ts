/** Integrations over the management API: credentials stored once, checked, masked, and used by providers. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const key = 'sk-live-0123456789abcd'
describe('the integrations API', () => {
  const api = openManagement({
    security: { trusted_hosts: ['127.0.0.1'] },
    providers: { declared: { provider: 'echo' } },
  })
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream()
  })
  after(() => upstream.close())

  let count = 0
  const bodyOf = (more: object = {}) => ({
    name: `Openai ${++count}`,
    ai_provider_id: 'openai',
    key,
    ...more,
  })
  const create = (more: object = {}) => api.post('/v1/integrations', bodyOf(more))
  const created = async (more: object = {}) => {
    const made = await create(more)
    expect(made.status, made.text).to.equal(200)
    return made.body
  }
  const ask = (provider: unknown, model = 'gpt-4o') =>
    api.post('/v1/chat/completions', chat('hello', { model: `@${provider}/${model}` }))

  it('returns the whole object with its key masked, and stores the key encrypted', async () => {
    const { status, body, text } = await create({ description: 'Production', tags: ['prod'] })
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      object: 'integration',
      ai_provider_id: 'openai',
      masked_key: 'sk-****abcd',
      description: 'Production',
      configurations: {},
      secret_mappings: [],
      pricing_adjustments: null,
      allow_all_models: true,
      type: 'organisation',
      workspace_id: null,
      workspace_count: 0,
      global_workspace_access_settings: null,
      last_reset_at: null,
    })
    expect(body).not.to.have.property('default_provider')
    expect(body.slug).to.match(/^openai-\d+$/)
    expect((await api.get(`/v1/integrations/${body.slug}`)).body).to.deep.equal(body)
    expect(text).not.to.include(key)
    expect(JSON.stringify(await api.stored('integration', String(body.id)))).not.to.include(key)
    expect(JSON.stringify(await api.audit('resource_type=integration'))).not.to.include(key)
  })

  it('creates a provider of the same name in its workspace, which can be called at once', async () => {
    const custom_host = upstream.url
    const integration = await created({
      workspace_id: 'default',
      configurations: { custom_host, custom_headers: { 'X-Team': 'search' } },
    })
    const made = integration.default_provider as { id: string; slug: string }
    expect(integration.type).to.equal('workspace')
    expect(made.slug).to.equal(integration.slug)
    const { status, text } = await ask(made.slug)
    expect(status, text).to.equal(200)
    const { headers, path } = upstream.seen.at(-1) ?? { headers: {}, path: '' }
    expect(path).to.equal('/v1/chat/completions')
    expect(headers).to.include({ authorization: `Bearer ${key}`, 'x-team': 'search' })
  })

  it('creates none when that is disabled, or one with a given slug', async () => {
    const none = await created({ workspace_id: 'default', create_default_provider: false })
    expect(none).not.to.have.property('default_provider')
    const own = await created({ workspace_id: 'default', default_provider_slug: 'my-own' })
    expect((own.default_provider as { slug: string }).slug).to.equal('my-own')
    const taken = await create({ workspace_id: 'default', default_provider_slug: 'my-own' })
    expect([taken.status, taken.error.param]).to.deep.equal([409, '/default_provider_slug'])
  })

  it('uses a new key from the next request on', async () => {
    const { id, default_provider } = await created({
      workspace_id: 'default',
      configurations: { custom_host: upstream.url },
    })
    const { slug } = default_provider as { slug: string }
    await ask(slug)
    const changed = await api.put(`/v1/integrations/${id}`, { key: 'sk-other-0123456789wxyz' })
    expect(changed.body.masked_key).to.equal('sk-****wxyz')
    await ask(slug)
    expect(upstream.seen.at(-1)?.headers.authorization).to.equal('Bearer sk-other-0123456789wxyz')
  })

  it('reads the key from a secret manager', async () => {
    const vault = await openUpstream((_request, response) =>
      sendJson(response, 200, { data: { data: { api_key: 'sk-of-the-vault' } } }),
    )
    const reference = await api.post('/v1/secret-references', {
      name: `Vault ${++count}`,
      manager_type: 'hashicorp_vault',
      auth_config: { vault_auth_type: 'token', vault_token: 'root-token-1', vault_addr: vault.origin },
      secret_path: 'secret/openai',
      secret_key: 'api_key',
    })
    const integration = await created({
      key: undefined,
      workspace_id: 'default',
      configurations: { custom_host: upstream.url },
      secret_mappings: [{ target_field: 'key', secret_reference_id: reference.body.slug }],
    })
    expect(integration.secret_mappings).to.deep.equal([
      {
        target_field: 'key',
        secret_reference_id: reference.body.id,
        secret_key: null,
        value_format: 'string',
      },
    ])
    const { status, text } = await ask((integration.default_provider as { slug: string }).slug)
    expect(status, text).to.equal(200)
    expect(upstream.seen.at(-1)?.headers.authorization).to.equal('Bearer sk-of-the-vault')
    // The provider is asked for its models with the same key, and with no other.
    const before = upstream.seen.length
    await api.get('/v1/models')
    const keys = upstream.seen.slice(before).map(({ headers }) => headers.authorization)
    expect(keys).to.include('Bearer sk-of-the-vault')
    expect(keys.join(' ')).not.to.contain('secret-manager')
    expect(JSON.stringify(api.gateway.logs)).not.to.match(/sk-of-the-vault|root-token-1/)
    await vault.close()
  })

  it('refuses to change the provider', async () => {
    const { id } = await created()
    const changed = await api.put(`/v1/integrations/${id}`, { ai_provider_id: 'anthropic' })
    expect([changed.status, changed.error.param]).to.deep.equal([400, '/ai_provider_id'])
  })

  it('cannot archive an integration while one of its providers is active', async () => {
    const { id, default_provider } = await created({ workspace_id: 'default' })
    const { id: providerId, slug } = default_provider as { id: string; slug: string }
    const refused = await api.delete(`/v1/integrations/${id}`)
    expect([refused.status, refused.error.code]).to.deep.equal([409, 'conflict'])
    expect(refused.error.message).to.include(slug)
    await api.delete(`/v1/providers/${providerId}`)
    expect((await api.delete(`/v1/integrations/${id}`)).body).to.deep.equal({
      id,
      object: 'integration',
      deleted: true,
    })
    expect((await api.get(`/v1/integrations/${id}`)).status).to.equal(404)
  })

  it('lists by kind and by provider, including those of the config file', async () => {
    const own = await created({ workspace_id: 'default', name: 'Listed own' })
    const shared = await created({ name: 'Listed shared' })
    const ids = async (query: string) =>
      (await api.get(`/v1/integrations?page_size=1000&${query}`)).data.map(({ id }) => id)
    expect(await ids('')).to.include.members([own.id, shared.id])
    expect(await ids('type=workspace'))
      .to.include(own.id)
      .and.not.include(shared.id)
    expect(await ids('type=organisation'))
      .to.include(shared.id)
      .and.not.include(own.id)
    expect(await ids('ai_provider_id=anthropic')).to.deep.equal([])
    expect((await api.get('/v1/integrations?type=other')).error.param).to.equal('query/type')
    const file = (await api.get('/v1/integrations/declared')).body
    expect(file).to.include({ source: 'file', ai_provider_id: 'echo', owner_id: null })
    expect((await api.put('/v1/integrations/declared', { name: 'x' })).status).to.equal(409)
    expect((await api.put('/v1/integrations/declared/models', { models: [] })).status).to.equal(409)
    expect((await create({ slug: 'declared' })).status).to.equal(409)
  })

  it('shows a workspace the integrations that it may use', async () => {
    const workspace = await api.people.workspace(`Seeing ${++count}`)
    const scopes = ['organisation_integrations.list', 'workspace_integrations.create']
    scopes.push('workspace_integrations.read', 'workspace_integrations.list')
    const key = await api.people.key({ type: 'workspace-service', workspace, scopes })
    const [open, closed, own] = [
      await created({ name: 'Open' }),
      await created({ name: 'Closed' }),
      await created({ name: 'Own', workspace_id: workspace }),
    ]
    await api.put(`/v1/integrations/${open.id}/workspaces`, {
      workspaces: [{ id: workspace, enabled: true }],
    })
    const { data } = await api.as(key).get('/v1/integrations?page_size=1000')
    const ids = data.map(({ id }) => id)
    expect(ids).to.include.members([open.id, own.id])
    expect(ids).not.to.include(closed.id)
    expect((await api.as(key).get(`/v1/integrations/${own.id}`)).status).to.equal(200)
    expect((await api.as(key).get(`/v1/integrations/${closed.id}`)).status).to.equal(403)
    expect((await api.as(key).post('/v1/integrations', bodyOf({ workspace_id: workspace }))).status).to.equal(
      200,
    )
  })

  describe('testing a credential', () => {
    it("reports that it works, by listing the provider's models", async () => {
      const { id } = await created({ configurations: { custom_host: upstream.url } })
      upstream.handle((request, response) =>
        sendJson(response, request.headers.authorization === `Bearer ${key}` ? 200 : 401, {
          object: 'list',
          data: [],
        }),
      )
      const { body } = await api.post(`/v1/integrations/${id}/test`)
      expect(body).to.include({ success: true, status_code: 200 })
      expect(body.response_time_ms).to.be.a('number')
      expect(upstream.seen.at(-1)?.path).to.equal('/v1/models')
    })

    it("reports the provider's error, without the key", async () => {
      const { id } = await created({ configurations: { custom_host: upstream.url } })
      upstream.handle((_request, response) =>
        sendJson(response, 401, { error: { message: `Incorrect API key provided: ${key}` } }),
      )
      const { body, text } = await api.post(`/v1/integrations/${id}/test`, { model: 'gpt-4o' })
      expect(body).to.include({ success: false, status_code: 401 })
      expect(body.error).to.match(/^Incorrect API key/)
      expect(text).not.to.include(key)
      expect(upstream.seen.at(-1)?.json).to.deep.include({ model: 'gpt-4o', max_tokens: 1 })
    })

    it('reports that the provider cannot be reached', async () => {
      const { id } = await created({ configurations: { custom_host: 'http://127.0.0.1:1/v1' } })
      const { body } = await api.post(`/v1/integrations/${id}/test`)
      expect(body.success).to.equal(false)
      expect(body).not.to.have.property('status_code')
    })
  })
})
