/** The workspaces that may use an integration of the organisation: one by one, all of them, and their providers. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

describe('the workspaces of an integration', () => {
  const api = openManagement()
  let count = 0
  const workspaceOf = () => api.people.workspace(`Workspace ${++count}`)
  const create = async (more: object = {}) => {
    const made = await api.post('/v1/integrations', {
      name: `Echo ${++count}`,
      ai_provider_id: 'echo',
      ...more,
    })
    expect(made.status, made.text).to.equal(200)
    return made.body
  }
  const put = (id: unknown, body: object) => api.put(`/v1/integrations/${id}/workspaces`, body)
  const providersOf = async (workspace: string) =>
    (await api.get(`/v1/providers?workspace_id=${workspace}&page_size=1000`)).data
  const keyOf = (workspace: string, ...scopes: string[]) =>
    api.people.key({ type: 'workspace-service', workspace, scopes: ['completions.write', ...scopes] })

  it('are empty at first', async () => {
    const { id } = await create()
    const { body } = await api.get(`/v1/integrations/${id}/workspaces`)
    expect(body).to.deep.equal({
      object: 'list',
      total: 0,
      workspaces: [],
      data: [],
      global_workspace_access: null,
    })
  })

  it('get a provider, which can be called, and lose it at once', async () => {
    const { id, name } = await create()
    const workspace = await workspaceOf()
    const { status, body } = await put(id, { workspaces: [{ id: workspace, enabled: true }] })
    expect(status).to.equal(200)
    expect(body.workspaces).to.deep.equal([
      {
        object: 'integration-workspace',
        id: workspace,
        name: `Workspace ${count}`,
        slug: `workspace-${count}`,
        enabled: true,
        usage_limits: [],
        rate_limits: [],
        last_reset_at: null,
        status: 'active',
      },
    ])
    expect((await api.get(`/v1/integrations/${id}`)).body.workspace_count).to.equal(1)
    const [provider] = await providersOf(workspace)
    expect(provider).to.deep.include({ name, integration_id: id, provider: 'echo', status: 'active' })
    const key = await keyOf(workspace)
    const ask = () =>
      api.as(key).post('/v1/chat/completions', chat('hello', { model: `@${provider?.slug}/echo-1` }))
    expect((await ask()).status).to.equal(200)
    await put(id, { workspaces: [{ id: workspace, enabled: false }] })
    expect((await ask()).status).to.equal(403)
    expect((await api.get(`/v1/integrations/${id}`)).body.workspace_count).to.equal(0)
    await put(id, { workspaces: [{ id: workspace, enabled: true }] })
    expect((await ask()).status).to.equal(200)
    expect(await providersOf(workspace), 'no second provider').to.have.length(1)
  })

  it('get no provider when that is set, or one with a given slug', async () => {
    const { id } = await create()
    const [without, withOwn] = [await workspaceOf(), await workspaceOf()]
    await put(id, {
      create_default_provider: false,
      workspaces: [
        { id: without, enabled: true },
        { id: withOwn, enabled: true, create_default_provider: true, default_provider_slug: 'own-slug' },
      ],
    })
    expect(await providersOf(without)).to.deep.equal([])
    expect((await providersOf(withOwn)).map(({ slug }) => slug)).to.deep.equal(['own-slug'])
    const other = await create()
    const taken = await put(other.id, {
      workspaces: [{ id: withOwn, enabled: true, default_provider_slug: 'own-slug' }],
    })
    expect([taken.status, taken.error.param]).to.deep.equal([409, '/workspaces/0/default_provider_slug'])
  })

  it('have their own limits', async () => {
    const { id } = await create()
    const workspace = await workspaceOf()
    const usage_limits = [{ type: 'cost', credit_limit: 10, alert_threshold: 8, periodic_reset: 'monthly' }]
    const rate_limits = [{ type: 'requests', unit: 'rpm', value: 5 }]
    await put(id, { workspaces: [{ id: workspace, enabled: true, usage_limits, rate_limits }] })
    const read = async () => (await api.get(`/v1/integrations/${id}/workspaces`)).data[0] ?? {}
    expect((await read()).rate_limits).to.deep.equal(rate_limits)
    expect((await read()).usage_limits).to.deep.include.members([])
    expect(((await read()).usage_limits as object[])[0]).to.include({
      type: 'cost',
      credit_limit: 10,
      current_usage: 0,
      status: 'active',
    })
    await put(id, { workspaces: [{ id: workspace, enabled: true, reset_usage: true }] })
    const after = await read()
    expect(after.last_reset_at).to.match(/Z$/)
    expect(after.rate_limits, 'what is absent stays').to.deep.equal(rate_limits)
    const bad = await put(id, {
      workspaces: [{ id: workspace, enabled: true, usage_limits: { credit_limit: 0 } }],
    })
    expect(bad.status).to.equal(400)
    const over = { credit_limit: 1, alert_threshold: 2 }
    const worse = await put(id, { workspaces: [{ id: workspace, enabled: true, usage_limits: over }] })
    expect(worse.error.param).to.equal('/workspaces/0/usage_limits/alert_threshold')
  })

  it('can be all workspaces, including later ones, with exceptions', async () => {
    const { id } = await create()
    const [before, excepted] = [await workspaceOf(), await workspaceOf()]
    await put(id, {
      global_workspace_access: { enabled: true, rate_limits: [{ type: 'requests', unit: 'rpm', value: 9 }] },
      workspaces: [{ id: excepted, enabled: false }],
    })
    const later = await workspaceOf()
    const seenBy = async (workspace: string) => {
      const key = await keyOf(workspace, 'organisation_integrations.list')
      const { data } = await api.as(key).get('/v1/integrations?page_size=1000')
      return data.map((each) => each.id).includes(id)
    }
    expect(await seenBy(before)).to.equal(true)
    expect(await seenBy(later)).to.equal(true)
    expect(await seenBy(excepted)).to.equal(false)
    expect((await providersOf(before)).map(({ integration_id }) => integration_id)).to.include(id)
    expect((await providersOf(excepted)).map(({ integration_id }) => integration_id)).not.to.include(id)
    const { global_workspace_access_settings } = (await api.get(`/v1/integrations/${id}`)).body
    expect(global_workspace_access_settings).to.deep.equal({
      enabled: true,
      usage_limits: [],
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 9 }],
    })
    await put(id, { global_workspace_access: { enabled: false } })
    expect(await seenBy(later)).to.equal(false)
  })

  it('lose access when an overriding list does not contain them, even an empty one', async () => {
    const { id } = await create()
    const [one, other] = [await workspaceOf(), await workspaceOf()]
    await put(id, { workspaces: [one, other].map((each) => ({ id: each, enabled: true })) })
    const kept = await put(id, {
      workspaces: [{ id: one, enabled: true }],
      override_existing_workspace_access: true,
    })
    expect(kept.data.map((access) => access.id)).to.deep.equal([one])
    const none = await put(id, { workspaces: [], override_existing_workspace_access: true })
    expect(none.data).to.deep.equal([])
    expect((await api.get(`/v1/integrations/${id}`)).body.workspace_count).to.equal(0)
  })

  it('lose the global access when an overriding list does not contain them', async () => {
    const { id } = await create()
    const workspace = await workspaceOf()
    await put(id, { global_workspace_access: { enabled: true } })
    const [provider] = (await providersOf(workspace)).filter(({ integration_id }) => integration_id === id)
    const key = await keyOf(workspace)
    const model = `@${provider?.slug}/echo-1`
    const ask = async () => (await api.as(key).post('/v1/chat/completions', chat('hello', { model }))).status
    expect(await ask()).to.equal(200)
    await put(id, {
      workspaces: [{ id: 'default', enabled: true }],
      override_existing_workspace_access: true,
    })
    expect(await ask()).to.equal(403)
  })

  it('must have access to the secret references of the credential', async () => {
    const workspace = await workspaceOf()
    const reference = await api.post('/v1/secret-references', {
      name: `For one ${++count}`,
      manager_type: 'aws_sm',
      auth_config: { aws_auth_type: 'serviceRole' },
      secret_path: 'p',
      allowed_workspaces: ['default'],
    })
    const secret_mappings = [{ target_field: 'key', secret_reference_id: reference.body.id }]
    const { id } = await create({ ai_provider_id: 'openai', secret_mappings })
    expect((await put(id, { workspaces: [{ id: 'default', enabled: true }] })).status).to.equal(200)
    const refused = await put(id, { workspaces: [{ id: workspace, enabled: true }] })
    expect([refused.status, refused.error.param]).to.deep.equal([400, '/workspaces'])
  })

  it('see only themselves', async () => {
    const { id } = await create()
    const [one, other] = [await workspaceOf(), await workspaceOf()]
    await put(id, { workspaces: [one, other].map((each) => ({ id: each, enabled: true })) })
    const key = await keyOf(one, 'organisation_integrations.list')
    const { data } = await api.as(key).get(`/v1/integrations/${id}/workspaces`)
    expect(data.map((access) => access.id)).to.deep.equal([one])
    expect((await api.as(key).put(`/v1/integrations/${id}/workspaces`, { workspaces: [] })).status).to.equal(
      403,
    )
  })

  const wrong: [string, object, string][] = [
    ['an unknown workspace', { workspaces: [{ id: 'nowhere', enabled: true }] }, '/workspaces/0/id'],
    [
      'one that is named twice',
      {
        workspaces: [
          { id: 'default', enabled: true },
          { id: 'default', enabled: false },
        ],
      },
      '/workspaces/1/id',
    ],
    ['no word of whether', { workspaces: [{ id: 'default' }] }, '/workspaces/0/enabled'],
    ['nothing', {}, '/'],
  ]
  for (const [what, body, param] of wrong) {
    it(`refuse ${what} at ${param}`, async () => {
      const { id } = await create()
      const { status, error } = await put(id, body)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', param])
    })
  }

  it('cannot be changed for an integration owned by a workspace', async () => {
    const { id } = await create({ workspace_id: 'default' })
    expect((await put(id, { workspaces: [] })).status).to.equal(400)
    const { data } = await api.get(`/v1/integrations/${id}/workspaces`)
    expect(data.map(({ slug }) => slug)).to.deep.equal(['default'])
  })
})
