/** Workspaces and their members (management.md §6). */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('workspaces', () => {
  const api = openManagement({
    workspaces: { declared: { name: 'Declared' } },
    configs: { saved: { retry: { attempts: 1 } } },
  })
  let number = 0
  const create = async (more: object = {}) => {
    const reply = await api.post('/v1/workspaces', { name: `Space ${++number}`, ...more })
    expect(reply.status, reply.text).to.equal(200)
    return reply.body as Record<string, unknown> & { id: string; name: string }
  }
  const person = (role?: 'owner' | 'admin' | 'member') =>
    api.people.user(`person${++number}@example.com`, role)

  it('refuse a name of another active workspace, regardless of case', async () => {
    const { id, name } = await create()
    const second = await api.post('/v1/workspaces', { name: name.toUpperCase() })
    expect([second.status, second.error.param]).to.deep.equal([409, '/name'])
    await api.delete(`/v1/workspaces/${id}`)
    await create({ name })
  })

  it('in the config file are listed, and cannot be changed', async () => {
    const read = await api.get('/v1/workspaces/declared')
    expect(read.body).to.include({ name: 'Declared', source: 'file', owner_id: null })
    expect((await api.get('/v1/workspaces?name=declar')).data.map(({ slug }) => slug)).to.deep.equal([
      'declared',
    ])
    for (const [method, body] of [
      ['PUT', { icon: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      const reply = await api.call(method, '/v1/workspaces/declared', { body })
      expect([reply.status, reply.error.code], method).to.deep.equal([409, 'conflict'])
      expect(reply.error.message).to.include('gateway.json')
    }
    const taken = await api.post('/v1/workspaces', { name: 'Other', slug: 'declared' })
    expect(taken.status).to.equal(409)
    const named = await api.post('/v1/workspaces', { name: 'declared' })
    expect(named.status).to.equal(409)
  })

  it('are found by a part of their name, and by the whole name', async () => {
    const { id } = await create({ name: 'Needle in hay' })
    await create({ name: 'Needle' })
    expect((await api.get('/v1/workspaces?name=needle%20in')).data.map((one) => one.id)).to.deep.equal([id])
    expect((await api.get('/v1/workspaces?exact_name=Needle')).body.total).to.equal(1)
    // The slugs of all of them begin so.
    expect((await api.get('/v1/workspaces?name=ws-')).body.total).to.equal(0)
  })

  it('have limits with usage that can be reset', async () => {
    const { id } = await create({
      usage_limits: { credit_limit: 10, alert_threshold: 5 },
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 3 }],
    })
    const read = await api.get(`/v1/workspaces/${id}`)
    const [limit] = read.body.usage_limits as Record<string, unknown>[]
    expect(limit).to.include({ type: 'cost', credit_limit: 10, current_usage: 0, status: 'active' })
    expect(read.body.last_reset_at).to.equal(null)
    const reset = await api.put(`/v1/workspaces/${id}`, { reset_usage: true })
    expect(reset.body.last_reset_at).to.be.a('string')
    const wrong = await api.put(`/v1/workspaces/${id}`, {
      usage_limits: { credit_limit: 1, alert_threshold: 2 },
    })
    expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/usage_limits/alert_threshold'])
    const cleared = await api.put(`/v1/workspaces/${id}`, { usage_limits: null, rate_limits: [] })
    expect(cleared.body.usage_limits).to.deep.equal([])
  })

  it('validate the references of their defaults', async () => {
    const body = await create({ defaults: { config_id: 'saved' } })
    expect((body.defaults as Record<string, unknown>).config_id).to.equal('saved')
    const wrong = await api.put(`/v1/workspaces/${body.id}`, { defaults: { user_api_key_config: 'none' } })
    expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/defaults/user_api_key_config'])
  })

  it('validate metadata against its schema, and add its defaults', async () => {
    const properties = { team: { type: 'string', enum: ['a', 'b'], default: 'a' } }
    const saved = await api.put('/v1/organisation', {
      settings: { metadata_schema: { workspace: { type: 'object', properties } } },
    })
    expect(saved.status, saved.text).to.equal(200)
    const made = await create()
    expect((made.defaults as Record<string, unknown>).metadata).to.deep.equal({ team: 'a' })
    const wrong = await api.put(`/v1/workspaces/${made.id}`, { defaults: { metadata: { team: 'c' } } })
    expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/defaults/metadata/team'])
    await api.put('/v1/organisation', { settings: { metadata_schema: null } })
  })

  it('override the settings that the organisation allows, and inherit the others', async () => {
    await api.put('/v1/organisation', { settings: { workspace_overrides: ['configs'] } })
    const { id } = await create()
    const own = await api.put(`/v1/workspaces/${id}`, {
      settings: { security_settings: { membersWriteConfigs: true } },
    })
    const effective = own.body.effective_settings as Record<string, Record<string, unknown>>
    expect(effective.security_settings).to.include({ membersWriteConfigs: true, membersWritePrompts: false })
    const refused = await api.put(`/v1/workspaces/${id}`, {
      settings: { security_settings: { membersWritePrompts: true } },
    })
    expect([refused.status, refused.error.param]).to.deep.equal([
      400,
      '/settings/security_settings/membersWritePrompts',
    ])
    const inherited = await api.put(`/v1/workspaces/${id}`, {
      settings: { security_settings: { membersWriteConfigs: null } },
    })
    const after = inherited.body.effective_settings as Record<string, Record<string, unknown>>
    expect(after.security_settings?.membersWriteConfigs).to.equal(false)
    await api.put('/v1/organisation', { settings: { workspace_overrides: null } })
  })

  it('accept their own settings as they were read, even when overriding is no longer allowed', async () => {
    await api.put('/v1/organisation', { settings: { workspace_overrides: ['logs'] } })
    const { id } = await create({ settings: { security_settings: { managersViewLogs: false } } })
    await api.put('/v1/organisation', { settings: { workspace_overrides: [] } })
    const read = await api.get(`/v1/workspaces/${id}`)
    expect((await api.put(`/v1/workspaces/${id}`, read.body)).status).to.equal(200)
    const other = await api.put(`/v1/workspaces/${id}`, {
      settings: { security_settings: { managersViewLogs: true } },
    })
    expect([other.status, other.error.param]).to.deep.equal([
      400,
      '/settings/security_settings/managersViewLogs',
    ])
    await api.put('/v1/organisation', { settings: { workspace_overrides: null } })
  })

  describe('deletion', () => {
    it('requires the correct name when one is given', async () => {
      const { id } = await create()
      const wrong = await api.delete(`/v1/workspaces/${id}`, { name: 'other' })
      expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/name'])
      expect((await api.delete(`/v1/workspaces/${id}?name=other`)).error.param).to.equal('query/name')
      expect((await api.delete(`/v1/workspaces/${id}?force_delete=maybe`)).error.param).to.equal(
        'query/force_delete',
      )
      for (const body of [{ colour: 1 }, []]) {
        expect((await api.delete(`/v1/workspaces/${id}`, body)).status).to.equal(400)
      }
      expect((await api.get(`/v1/workspaces/${id}`)).status).to.equal(200)
    })

    it('is refused for the default workspace', async () => {
      const reply = await api.delete('/v1/workspaces/default', { force_delete: true })
      expect([reply.status, reply.error.code]).to.deep.equal([409, 'conflict'])
    })

    it('is refused while the workspace contains objects, unless forced, and deletes its keys', async () => {
      const { id } = await create()
      const key = await api.people.key({ type: 'workspace-service', workspace: id, scopes: ['configs.list'] })
      const config = await api.post('/v1/configs', {
        name: 'Kept',
        config: { retry: { attempts: 1 } },
        workspace_id: id,
      })
      expect(config.status, config.text).to.equal(200)
      const refused = await api.delete(`/v1/workspaces/${id}`)
      expect(refused.status).to.equal(409)
      expect(refused.error.message).to.include(String(config.body.slug))
      expect((await api.as(key).get('/v1/configs')).status).to.equal(200)
      expect((await api.delete(`/v1/workspaces/${id}`, { force_delete: true })).status).to.equal(200)
      expect((await api.as(key).get('/v1/configs')).status).to.equal(401)
      expect((await api.get(`/v1/configs/${config.body.id}`)).status).to.equal(404)
    })
  })

  describe('archived', () => {
    it('are visible to owners and admins', async () => {
      const user = await person()
      const { id } = await create({ users: [user] })
      const mine = api.as(await api.people.session(user))
      expect((await mine.get('/v1/workspaces')).data.map((one) => one.id)).to.deep.equal([id])
      const refused = await mine.get('/v1/workspaces?status=active,archived')
      expect([refused.status, refused.error.code, refused.error.param]).to.deep.equal([
        403,
        'forbidden',
        'query/status',
      ])
      const admin = api.as(await api.people.session(await person('admin')))
      expect((await admin.get('/v1/workspaces?status=active,archived')).status).to.equal(200)
    })

    it('give their members no permissions until they are restored', async () => {
      const user = await person()
      const { id } = await create({ users: [{ id: user, role: 'admin' }] })
      const mine = api.as(await api.people.session(user))
      expect((await mine.get('/v1/users')).status).to.equal(200)
      await api.delete(`/v1/workspaces/${id}`)
      expect((await mine.get('/v1/users')).status).to.equal(403)
      expect((await api.get(`/v1/users/${user}`)).body.workspace_ids).to.deep.equal([])
      const archived = await api.get(`/v1/workspaces/${id}?status=archived`)
      expect((archived.body.users as { id: string }[]).map((one) => one.id)).to.deep.equal([user])
      const restored = await api.put(`/v1/workspaces/${id}`, { status: 'active' })
      expect(restored.body.status).to.equal('active')
      expect((restored.body.users as { role: string }[])[0]?.role).to.equal('admin')
      expect((await mine.get(`/v1/workspaces/${id}/users/${user}`)).status).to.equal(200)
    })
  })
})

describe('a default workspace in the config file', () => {
  const api = openManagement({ workspaces: { default: { name: 'Main' } } })

  it('replaces the stored one', async () => {
    const list = await api.get('/v1/workspaces')
    expect(list.data.map(({ name, source, is_default }) => [name, source, is_default])).to.deep.equal([
      ['Main', 'file', true],
    ])
    expect(list.body.total).to.equal(1)
    const own = await api.get('/v1/organisation')
    expect((await api.get('/v1/workspaces/default')).body.id).to.equal(own.body.default_workspace_id)
    const user = await api.people.user('joins@example.com')
    const joined = await api.post('/v1/workspaces/default/users', { users: [{ id: user }] })
    expect(joined.status, joined.text).to.equal(200)
  })
})
