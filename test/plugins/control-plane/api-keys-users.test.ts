/** User keys (management contract, sections 3, 5 and 10): their owners, and the organisation's settings for them. */
import { expect } from 'chai'
import { type Management, openManagement } from '../../support/management.ts'

const toEcho = { 'x-gateway-provider': 'echo' }
const chatBody = { model: 'echo-1', messages: [{ role: 'user', content: 'hello' }] }
const callsWith = async (management: Management, key: unknown) =>
  (await management.as(String(key)).post('/v1/chat/completions', chatBody, toEcho)).status

describe('API keys of users', () => {
  const admin = openManagement()
  let workspace = ''
  let member = ''
  let other = ''
  let manager: Management
  let own: Management

  before(async () => {
    const { people } = admin
    workspace = await people.workspace('Persons')
    member = await people.user('member@example.com')
    other = await people.user('other@example.com')
    const boss = await people.user('manager@example.com')
    await people.member(workspace, member, 'member')
    await people.member(workspace, other, 'member')
    await people.member(workspace, boss, 'manager')
    own = admin.as(await people.session(member))
    manager = admin.as(await people.session(boss))
  })

  afterEach(() =>
    admin.put('/v1/organisation', {
      settings: {
        user_api_key_ttl: null,
        user_api_key_limit: null,
        user_api_key_rotation_period: null,
        user_api_key_auto_create: null,
        security_settings: { membersWriteApiKeys: null },
      },
    }),
  )

  const settings = async (values: Record<string, unknown>) => {
    const reply = await admin.put('/v1/organisation', { settings: values })
    expect(reply.status).to.equal(200)
  }

  const make = (management: Management, body: Record<string, unknown> = {}) =>
    management.post('/v1/api-keys/workspace/user', {
      name: 'mine',
      workspace_id: workspace,
      scopes: ['completions.write'],
      ...body,
    })

  it('require a user who is a member', async () => {
    const none = await make(admin)
    expect([none.status, none.error.param]).to.deep.equal([400, '/user_id'])
    const stranger = await admin.people.user('stranger@example.com')
    const refused = await make(admin, { user_id: stranger })
    expect([refused.status, refused.error.param]).to.deep.equal([400, '/user_id'])
    expect((await make(admin, { user_id: member })).body).to.include({
      type: 'workspace-user',
      user_id: member,
    })
  })

  it('can be created by members only when the organisation allows it', async () => {
    expect((await make(own)).status).to.equal(403)
    await settings({ security_settings: { membersWriteApiKeys: true } })
    const made = await make(own)
    expect(made.body).to.include({ user_id: member, creation_mode: 'ui' })
    const refused = await make(own, { user_id: other })
    expect([refused.status, refused.error.code, refused.error.param]).to.deep.equal([
      403,
      'forbidden',
      '/user_id',
    ])
  })

  it('are visible to their user and to managers, not to other members', async () => {
    const made = await make(admin, { user_id: member })
    const path = `/v1/api-keys/${made.body.id}`
    expect((await own.get(path)).status).to.equal(200)
    expect((await manager.get(path)).status).to.equal(200)
    const stranger = admin.as(await admin.people.session(other))
    expect((await stranger.get(path)).status).to.equal(403)
    expect((await stranger.get('/v1/api-keys')).data.map(({ id }) => id)).not.to.include(made.body.id)
  })

  it('have at most the current permissions of their user', async () => {
    const made = await make(admin, { user_id: member, scopes: ['completions.write', 'configs.create'] })
    const key = admin.as(String(made.body.key))
    const config = { name: 'c', config: { provider: 'echo' } }
    const refused = await key.post('/v1/configs', config)
    expect([refused.status, refused.error.code]).to.deep.equal([403, 'missing_scope'])
    await admin.put(`/v1/workspaces/${workspace}/users/${member}`, { role: 'admin' })
    expect((await key.post('/v1/configs', config)).status).to.equal(200)
    await admin.put(`/v1/workspaces/${workspace}/users/${member}`, { role: 'member' })
    expect((await key.post('/v1/configs', config)).status).to.equal(403)
  })

  it('are refused while their user is deactivated', async () => {
    const person = await admin.people.user('paused@example.com')
    await admin.people.member(workspace, person, 'member')
    const made = await make(admin, { user_id: person })
    expect(await callsWith(admin, made.body.key)).to.equal(200)
    await admin.put(`/v1/users/${person}`, { status: 'deactivated' })
    expect(await callsWith(admin, made.body.key)).to.equal(401)
    await admin.put(`/v1/users/${person}`, { status: 'active' })
    expect(await callsWith(admin, made.body.key)).to.equal(200)
  })

  it('live at most as long as user_api_key_ttl allows', async () => {
    await settings({ user_api_key_ttl: 7200 })
    const made = await make(admin, { user_id: member })
    const lifeMs = Date.parse(String(made.body.expires_at)) - Date.parse(String(made.body.created_at))
    expect(lifeMs).to.equal(7_200_000)
    const longer = await make(admin, { user_id: member, expires_at: '2099-01-01T00:00:00Z' })
    expect([longer.status, longer.error.param]).to.deep.equal([400, '/expires_at'])
    const service = await admin.post('/v1/api-keys/workspace/service', {
      name: 's',
      workspace_id: workspace,
      scopes: ['models.list'],
    })
    expect(service.body.expires_at).to.equal(null)
  })

  it('are limited in number by user_api_key_limit', async () => {
    const person = await admin.people.user('collector@example.com')
    await admin.people.member(workspace, person, 'member')
    await settings({ user_api_key_limit: 1 })
    const first = await make(admin, { user_id: person })
    expect(first.status).to.equal(200)
    expect((await make(admin, { user_id: person })).status).to.equal(409)
    await admin.delete(`/v1/api-keys/${first.body.id}`)
    expect((await make(admin, { user_id: person })).status).to.equal(200)
    expect((await admin.put(`/v1/api-keys/${first.body.id}`, { status: 'active' })).status).to.equal(409)
  })

  it('do not exceed that limit when many are created concurrently', async () => {
    const person = await admin.people.user('hasty@example.com')
    await admin.people.member(workspace, person, 'member')
    await settings({ user_api_key_limit: 3 })
    const made = await Promise.all(Array.from({ length: 8 }, () => make(admin, { user_id: person })))
    const statuses = made.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([200, 200, 200, 409, 409, 409, 409, 409])
  })

  it('count again when a later expiry date reactivates them', async () => {
    const person = await admin.people.user('reviver@example.com')
    await admin.people.member(workspace, person, 'member')
    const old = await make(admin, { user_id: person })
    const { version: _, ...stored } = (await admin.stored('api_key', String(old.body.id))) ?? {}
    const data = { ...(stored as { data: object }).data, expires_at: '2020-01-01T00:00:00.000Z' }
    await admin.gateway.runtime.store.documents.commit([
      { op: 'put', document: { ...stored, status: 'expired', data } as never },
    ])
    await settings({ user_api_key_limit: 1 })
    const second = await make(admin, { user_id: person })
    expect(second.status, second.text).to.equal(200)
    const revive = () => admin.put(`/v1/api-keys/${old.body.id}`, { expires_at: '2099-01-01T00:00:00Z' })
    expect((await revive()).status).to.equal(409)
    await admin.delete(`/v1/api-keys/${second.body.id}`)
    expect((await revive()).status).to.equal(200)
    expect((await admin.put(`/v1/api-keys/${old.body.id}`, { name: 'changed' })).status).to.equal(200)
  })

  it('do not exceed that limit in concurrent updates with version conditions', async () => {
    const person = await admin.people.user('careful@example.com')
    await admin.people.member(workspace, person, 'member')
    await settings({ user_api_key_limit: 6 })
    const made = await Promise.all(Array.from({ length: 6 }, () => make(admin, { user_id: person })))
    const paths = made.map(({ body }) => `/v1/api-keys/${body.id}`)
    const tags = new Map<string, string>()
    for (const path of paths) {
      await admin.delete(path)
      tags.set(path, (await admin.get(`${path}?status=archived`)).headers.get('etag') ?? '')
    }
    const restored = await Promise.all(
      paths.map((path) => admin.put(path, { status: 'active' }, { 'if-match': tags.get(path) ?? '' })),
    )
    expect(restored.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200])
    const [path = ''] = paths
    const stale = await admin.put(path, { name: 'later' }, { 'if-match': tags.get(path) ?? '' })
    expect([stale.status, stale.error.param]).to.deep.equal([412, 'header/if-match'])
  })

  it('do not exceed that limit when one is created manually and another automatically', async () => {
    await settings({ user_api_key_limit: 1, user_api_key_auto_create: true })
    // Admins may have keys in a workspace before they join it.
    const person = await admin.people.user('racer@example.com', 'admin')
    const { documents } = admin.gateway.runtime.store
    const { commit } = documents
    const byHand: number[] = []
    documents.commit = async (writes) => {
      const isJoin = writes.some((write) => write.op === 'put' && write.document.kind === 'member')
      if (isJoin && byHand.length === 0) {
        documents.commit = commit
        byHand.push((await make(admin, { user_id: person })).status)
      }
      return commit.call(documents, writes)
    }
    const joined = await admin.post(`/v1/workspaces/${workspace}/users`, { users: [{ id: person }] })
    documents.commit = commit
    expect([joined.status, ...byHand], joined.text).to.deep.equal([200, 200])
    expect((await admin.get(`/v1/api-keys?user_id=${person}`)).body.total).to.equal(1)
  })

  it('are rotated at the enforced interval', async () => {
    const before = await make(admin, { user_id: member })
    expect(before.body.rotation_policy).to.equal(null)
    await settings({ user_api_key_rotation_period: 'weekly' })
    const path = `/v1/api-keys/${before.body.id}`
    expect((await admin.get(path)).body.rotation_policy).to.include({ rotation_period: 'weekly' })
    const made = await make(admin, { user_id: member })
    expect(made.body.rotation_policy).to.include({ rotation_period: 'weekly', status: 'active' })
    for (const rotation_policy of [
      { rotation_period: 'monthly' },
      { next_rotation_at: '2099-01-01T00:00:00Z' },
      null,
    ]) {
      const reply = await admin.put(path, { rotation_policy })
      expect([reply.status, reply.error.param]).to.deep.equal([400, '/rotation_policy/rotation_period'])
    }
    const longer = await admin.put(path, { rotation_policy: { key_transition_period_ms: 3_600_000 } })
    expect(longer.body.rotation_policy).to.include({ key_transition_period_ms: 3_600_000 })
  })

  it('are created for new members, and their secret can be read once by the owner', async () => {
    await settings({ user_api_key_auto_create: true })
    const person = await admin.people.user('joiner@example.com')
    const joined = await admin.post(`/v1/workspaces/${workspace}/users`, { users: [{ id: person }] })
    expect(joined.status).to.equal(200)
    const self = admin.as(await admin.people.session(person))
    const [key] = (await self.get('/v1/api-keys')).data
    expect(key).to.include({ name: 'Default key', creation_mode: 'auto', user_id: person })
    const revealed = await self.post(`/v1/api-keys/${key?.id}/reveal`)
    expect(revealed.status).to.equal(200)
    expect(await callsWith(admin, revealed.body.key)).to.equal(200)
    expect((await self.post(`/v1/api-keys/${key?.id}/reveal`)).status).to.equal(404)
    const stored = JSON.stringify(await admin.stored('api_key', String(key?.id)))
    expect(stored).not.to.contain(String(revealed.body.key))
  })

  it("use the workspace's default config for user keys by default", async () => {
    const made = await make(admin, { user_id: member })
    const bare = () => admin.as(String(made.body.key)).post('/v1/chat/completions', chatBody)
    expect((await bare()).error.code).to.equal('no_provider')
    await admin.post('/v1/configs', {
      name: 'u',
      slug: 'cfg-user',
      workspace_id: workspace,
      config: { provider: 'echo' },
    })
    const changed = await admin.put(`/v1/workspaces/${workspace}`, {
      defaults: { user_api_key_config: 'cfg-user' },
    })
    expect(changed.status, changed.text).to.equal(200)
    expect((await bare()).status).to.equal(200)
    await admin.put(`/v1/workspaces/${workspace}`, { defaults: { user_api_key_config: null } })
  })

  it('end when their user leaves the workspace', async () => {
    const person = await admin.people.user('leaver@example.com')
    await admin.people.member(workspace, person, 'member')
    const made = await make(admin, { user_id: person })
    expect(await callsWith(admin, made.body.key)).to.equal(200)
    await admin.delete(`/v1/workspaces/${workspace}/users/${person}`)
    expect(await callsWith(admin, made.body.key)).to.equal(401)
  })

  it("must match the organisation's metadata schema", async () => {
    await settings({
      metadata_schema: {
        api_key: {
          type: 'object',
          properties: {
            team: { type: 'string', enum: ['red', 'blue'] },
            stage: { type: 'string', default: 'dev' },
          },
          required: ['team'],
        },
      },
    })
    const refused = await make(admin, { user_id: member, defaults: { metadata: { team: 'green' } } })
    expect([refused.status, refused.error.param]).to.deep.equal([400, '/defaults/metadata/team'])
    const made = await make(admin, { user_id: member, defaults: { metadata: { team: 'red' } } })
    expect(made.body.defaults).to.deep.include({ metadata: { team: 'red', stage: 'dev' } })
    await settings({ metadata_schema: { api_key: null } })
  })
})
