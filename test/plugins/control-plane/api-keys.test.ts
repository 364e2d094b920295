/** API keys over the management API (management contract, section 10): classes, scopes, users, answers. */
import { defaultWorkspaceId } from '@gateway/domain'
import { expect } from 'chai'
import { type Management, openManagement } from '../../support/management.ts'

const chatBody = { model: 'echo-1', messages: [{ role: 'user', content: 'hello' }] }

const toEcho = { 'x-gateway-provider': 'echo' }

/** Whether a key calls models now. */
const callsWith = async (management: Management, key: unknown) =>
  (await management.as(String(key)).post('/v1/chat/completions', chatBody, toEcho)).status

describe('API keys', () => {
  const admin = openManagement()
  const serviceKey = (more: Record<string, unknown> = {}) =>
    admin.post('/v1/api-keys/workspace/service', {
      name: 'ci',
      workspace_id: 'default',
      scopes: ['completions.write'],
      ...more,
    })

  it('show their secret once, and can call models at once', async () => {
    const made = await serviceKey()
    expect(made.status).to.equal(200)
    expect(made.body).to.include({
      object: 'api-key',
      type: 'workspace-service',
      workspace_id: defaultWorkspaceId,
      status: 'active',
      creation_mode: 'api',
      prefix: 'gw-',
      last_used_at: null,
    })
    expect(made.body.key).to.match(/^gw-[A-Za-z0-9]{40}$/)
    const key = String(made.body.key)
    expect(made.body.masked_key).to.equal(`${key.slice(0, 3)}****${key.slice(-4)}`)
    expect(await callsWith(admin, key)).to.equal(200)
    const read = await admin.get(`/v1/api-keys/${made.body.id}`)
    expect(read.status).to.equal(200)
    expect(read.text).not.to.contain(key)
    const listed = await admin.get(`/v1/api-keys?ids=${made.body.id}`)
    expect(listed.data).to.have.length(1)
    expect(listed.text).not.to.contain(key)
  })

  it('are stored as a hash only', async () => {
    const made = await serviceKey()
    const stored = JSON.stringify(await admin.stored('api_key', String(made.body.id)))
    expect(stored).not.to.contain(String(made.body.key))
    const [record] = await admin.audit(`action=create&resource_type=api-key`)
    expect(JSON.stringify(record)).not.to.contain(String(made.body.key))
  })

  it('can have their class in the path or in the body', async () => {
    const byBody = await admin.post('/v1/api-keys', {
      name: 'same',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['models.list'],
    })
    expect(byBody.status).to.equal(200)
    expect(byBody.body.type).to.equal('workspace-service')
    const bare = await admin.post('/api-keys/organisation/service', {
      name: 'org',
      scopes: ['audit_logs.list'],
    })
    expect(bare.status).to.equal(200)
    expect(bare.body).to.include({ type: 'organisation-service', workspace_id: null })
  })

  it('cannot have different classes in body and path', async () => {
    const body = { name: 'k', workspace_id: 'default', scopes: ['completions.write'] }
    const path = '/v1/api-keys/workspace/service'
    expect((await admin.post(path, { ...body, type: 'workspace-service' })).status).to.equal(200)
    const { status, error } = await admin.post(path, { ...body, type: 'workspace-user' })
    expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', '/type'])
  })

  it('cannot be user keys of an organisation', async () => {
    const reply = await admin.post('/v1/api-keys/organisation/user', {
      name: 'x',
      scopes: ['completions.write'],
    })
    expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
      400,
      'invalid_body',
      'path/sub_type',
    ])
  })

  for (const { title, body, param, code = 'invalid_body' } of [
    { title: 'no name', body: { name: undefined }, param: '/name' },
    { title: 'no scopes', body: { scopes: [] }, param: '/scopes' },
    {
      title: 'an unknown scope',
      body: { scopes: ['models.list', 'nothing.at_all'] },
      param: '/scopes/1',
      code: 'unknown_scope',
    },
    {
      title: 'a scope of another class',
      body: { scopes: ['audit_logs.list'] },
      param: '/scopes/0',
      code: 'unknown_scope',
    },
    { title: 'a time in the past', body: { expires_at: '2020-01-01T00:00:00Z' }, param: '/expires_at' },
    { title: 'an invalid time', body: { expires_at: 'tomorrow' }, param: '/expires_at' },
    {
      title: 'a user on a service key',
      body: { user_id: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f' },
      param: '/user_id',
    },
    {
      title: 'an unknown config',
      body: { defaults: { config_id: 'nowhere' } },
      param: '/defaults/config_id',
    },
    {
      title: 'an unknown guardrail',
      body: { defaults: { input_guardrails: ['no'] } },
      param: '/defaults/input_guardrails/0',
      code: 'unknown_guardrail',
    },
    {
      title: 'both periods',
      body: { usage_limits: { credit_limit: 5, periodic_reset: 'weekly', periodic_reset_days: 3 } },
      param: '/usage_limits/periodic_reset_days',
    },
    {
      title: 'a threshold above the limit',
      body: { usage_limits: { credit_limit: 5, alert_threshold: 6 } },
      param: '/usage_limits/alert_threshold',
    },
    {
      title: 'two limits of one type',
      body: { usage_limits: [{ credit_limit: 5 }, { credit_limit: 6 }] },
      param: '/usage_limits/1/type',
    },
    {
      title: 'two rates of one unit',
      body: {
        rate_limits: [
          { type: 'requests', unit: 'rpm', value: 1 },
          { type: 'requests', unit: 'rpm', value: 2 },
        ],
      },
      param: '/rate_limits/1',
    },
    {
      title: 'an unknown workspace',
      body: { workspace_id: 'elsewhere' },
      param: '/workspace_id',
      code: 'not_found',
    },
    { title: 'an unknown member', body: { colour: 'red' }, param: '' },
    {
      title: 'the internal number of days',
      body: { rotation_policy: { rotation_period_days: 3 } },
      param: '/rotation_policy',
    },
    { title: 'an empty policy', body: { rotation_policy: {} }, param: '/rotation_policy' },
    {
      title: 'a transition that is too short',
      body: { rotation_policy: { rotation_period: 'weekly', key_transition_period_ms: 1_799_999 } },
      param: '/rotation_policy/key_transition_period_ms',
    },
    {
      title: 'a transition as long as the period',
      body: { rotation_policy: { rotation_period: 'weekly', key_transition_period_ms: 604_800_000 } },
      param: '/rotation_policy/key_transition_period_ms',
    },
    {
      title: 'a rotation in the past',
      body: { rotation_policy: { next_rotation_at: '2020-01-01T00:00:00Z' } },
      param: '/rotation_policy/next_rotation_at',
    },
  ]) {
    it(`are refused for ${title}`, async () => {
      const reply = await serviceKey(body)
      expect([reply.error.code, reply.error.param]).to.deep.equal([code, param])
    })
  }

  it('expand wildcards to the scopes allowed for the class', async () => {
    const made = await serviceKey({ scopes: ['prompts.*', 'logs:view'] })
    expect(made.body.scopes).to.include.members(['prompts.create', 'prompts.publish', 'logs.view'])
    expect(made.body.scopes).not.to.include('prompts.*')
  })

  it('cannot add scopes that the caller lacks, and keep their existing ones', async () => {
    const maker = await serviceKey({ scopes: ['workspace_service_api_keys.*', 'models.list'] })
    const own = admin.as(String(maker.body.key))
    const wanted = { name: 'child', scopes: ['models.list', 'completions.write'] }
    const refused = await own.post('/v1/api-keys/workspace/service', wanted)
    expect([refused.status, refused.error.code, refused.error.param]).to.deep.equal([
      403,
      'forbidden',
      '/scopes/1',
    ])
    const made = await own.post('/v1/api-keys/workspace/service', { ...wanted, scopes: ['models.list'] })
    expect(made.status).to.equal(200)
    const widened = await own.put(`/v1/api-keys/${made.body.id}`, { scopes: ['models.list', 'logs.view'] })
    expect([widened.status, widened.error.param]).to.deep.equal([403, '/scopes/1'])
  })

  it('of a workspace cannot create a key of the organisation', async () => {
    const maker = await serviceKey({ scopes: ['workspace_service_api_keys.*'] })
    const reply = await admin
      .as(String(maker.body.key))
      .post('/v1/api-keys/organisation/service', { name: 'up', scopes: ['audit_logs.list'] })
    expect([reply.status, reply.error.code]).to.deep.equal([403, 'missing_scope'])
  })

  it('of an organisation can create keys that call models, which they cannot do themselves', async () => {
    const made = await admin.post('/v1/api-keys/organisation/service', {
      name: 'terraform',
      scopes: ['workspace_service_api_keys.*'],
    })
    expect(await callsWith(admin, made.body.key)).to.equal(403)
    const child = await admin.as(String(made.body.key)).post('/v1/api-keys/workspace/service', {
      name: 'child',
      workspace_id: 'default',
      scopes: ['completions.write'],
    })
    expect(child.status).to.equal(200)
    expect(await callsWith(admin, child.body.key)).to.equal(200)
  })

  it('stop working after DELETE, and work again after a restore', async () => {
    const made = await serviceKey()
    const path = `/v1/api-keys/${made.body.id}`
    expect((await admin.delete(path)).body).to.deep.equal({
      id: made.body.id,
      object: 'api-key',
      deleted: true,
    })
    expect(await callsWith(admin, made.body.key)).to.equal(401)
    expect((await admin.get(path)).status).to.equal(404)
    expect((await admin.delete(path)).status).to.equal(404)
    expect((await admin.put(path, { status: 'active' })).body.status).to.equal('active')
    expect(await callsWith(admin, made.body.key)).to.equal(200)
  })

  it('accept the object that they returned', async () => {
    const made = await serviceKey({
      usage_limits: { credit_limit: 10, alert_threshold: 5, periodic_reset: 'monthly' },
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 100 }],
      rotation_policy: { rotation_period: 'monthly' },
      defaults: { metadata: { team: 'a' } },
      expires_at: '2099-01-01T02:00:00+02:00',
    })
    expect(made.status).to.equal(200)
    expect(made.body.expires_at).to.equal('2099-01-01T00:00:00.000Z')
    expect(made.body.usage_limits).to.include({
      type: 'cost',
      credit_limit: 10,
      current_usage: 0,
      status: 'active',
    })
    expect(made.body.rotation_policy).to.include({ rotation_period: 'monthly', status: 'active' })
    const path = `/v1/api-keys/${made.body.id}`
    const read = await admin.get(path)
    const again = await admin.put(path, { ...read.body, description: 'kept' })
    expect(again.status).to.equal(200)
    const { last_updated_at: _, updated_by: __, ...before } = read.body
    const { last_updated_at: ___, updated_by: ____, ...after } = again.body
    expect(after).to.deep.equal({ ...before, description: 'kept' })
  })

  it('merge defaults one level deep, and replace metadata completely', async () => {
    const made = await serviceKey({ defaults: { metadata: { a: '1', b: '2' } } })
    const path = `/v1/api-keys/${made.body.id}`
    const changed = await admin.put(path, { defaults: { allow_config_override: false } })
    expect(changed.body.defaults).to.deep.include({
      metadata: { a: '1', b: '2' },
      allow_config_override: false,
    })
    const replaced = await admin.patch(path, { defaults: { metadata: { c: '3' } } })
    expect(replaced.body.defaults).to.deep.include({ metadata: { c: '3' }, allow_config_override: false })
  })

  it('can have the usage of their limits reset', async () => {
    const made = await serviceKey({ usage_limits: { type: 'requests', credit_limit: 1 } })
    expect(await callsWith(admin, made.body.key)).to.equal(200)
    expect(await callsWith(admin, made.body.key)).to.equal(412)
    const path = `/v1/api-keys/${made.body.id}`
    expect((await admin.get(path)).body.status).to.equal('exhausted')
    const reset = await admin.put(path, { reset_usage: true })
    expect(reset.body.last_reset_at).to.be.a('string')
    expect(reset.body.usage_limits).to.include({ current_usage: 0, status: 'active' })
    expect(await callsWith(admin, made.body.key)).to.equal(200)
  })

  it('answer 401 expired_api_key after their expiry, and are reactivated by a later date', async () => {
    const made = await serviceKey({ expires_at: '2099-01-01T00:00:00Z' })
    const { documents } = admin.gateway.runtime.store
    const stored = await admin.stored('api_key', String(made.body.id))
    if (stored === null) throw new Error('The key is not stored.')
    const { version: _, ...document } = stored
    const over = { ...document, data: { ...document.data, expires_at: '2020-01-01T00:00:00.000Z' } }
    await documents.commit([{ op: 'put', document: over }])
    const reply = await admin.as(String(made.body.key)).post('/v1/chat/completions', chatBody, toEcho)
    expect([reply.status, reply.error.code]).to.deep.equal([401, 'expired_api_key'])
    const path = `/v1/api-keys/${made.body.id}`
    expect((await admin.get(path)).body.status).to.equal('expired')
    expect((await admin.post(`${path}/rotate`)).status).to.equal(409)
    const revived = await admin.put(path, { expires_at: '2099-01-01T00:00:00Z' })
    expect(revived.body.status).to.equal('active')
    expect(await callsWith(admin, made.body.key)).to.equal(200)
  })

  it('cannot be rotated once they are archived', async () => {
    const { body } = await serviceKey()
    await admin.delete(`/v1/api-keys/${body.id}`)
    const { status, error } = await admin.post(`/v1/api-keys/${body.id}/rotate`)
    expect([status, error.code]).to.deep.equal([409, 'conflict'])
  })

  it('are not listed for an unknown class', async () => {
    for (const type of ['other', 'workspace-service,other']) {
      const { status, error } = await admin.get(`/v1/api-keys?type=${type}`)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_query', 'query/type'])
    }
    expect((await admin.get('/v1/api-keys?type=workspace-service, workspace-user')).status).to.equal(200)
  })

  it('are listed by class, status and user, without classes that the caller cannot list', async () => {
    const { people } = admin
    const workspace = await people.workspace('Listed')
    const user = await people.user('lister@example.com')
    await people.member(workspace, user, 'member')
    const make = (path: string, body: Record<string, unknown>) =>
      admin.post(`/v1/api-keys/${path}`, { workspace_id: workspace, scopes: ['completions.write'], ...body })
    const service = await make('workspace/service', { name: 'service' })
    const own = await make('workspace/user', { name: 'own', user_id: user })
    expect(own.status).to.equal(200)
    const ids = async (management: Management, query = '') =>
      (await management.get(`/v1/api-keys?workspace_id=${workspace}${query}`)).data.map(({ id }) => id)
    expect(await ids(admin)).to.have.members([service.body.id, own.body.id])
    expect(await ids(admin, '&type=workspace-user')).to.deep.equal([own.body.id])
    expect(await ids(admin, `&user_id=${user}`)).to.deep.equal([own.body.id])
    const reader = await people.key({
      type: 'workspace-service',
      workspace,
      scopes: ['workspace_service_api_keys.list'],
    })
    expect(await ids(admin.as(reader)))
      .to.include(service.body.id)
      .and.not.include(own.body.id)
  })
})
