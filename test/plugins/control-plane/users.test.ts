/** People and invites (management contract, section 7). */
import { expect } from 'chai'
import { type Management, type ManagementReply, openManagement } from '../../support/management.ts'

const password = 'correct horse battery'

const tokenOf = (reply: ManagementReply) =>
  new URL(String(reply.body.invite_link)).searchParams.get('token') ?? ''

describe('users and invites:', () => {
  const admin = openManagement()
  const nobody = () => admin.as(null)
  const invite = (body: Record<string, unknown>, by: Management = admin) =>
    by.post('/v1/users/invites', { role: 'member', ...body })
  const accept = (token: string, more: Record<string, unknown> = {}) =>
    nobody().post('/v1/users/invites/accept', { token, first_name: 'Pat', password, ...more })

  it('an invite creates a user, a membership and a session, once', async () => {
    const workspace = await admin.people.workspace('Invited')
    const made = await invite({
      email: 'Pat@Example.com',
      role: 'ADMIN',
      workspaces: [{ id: 'invited', role: 'Manager' }],
    })
    expect(made.status).to.equal(200)
    expect(made.body).to.deep.include({
      object: 'invite',
      email: 'pat@example.com',
      role: 'admin',
      status: 'pending',
      workspaces: [{ id: workspace, role: 'manager' }],
    })
    const token = tokenOf(made)
    expect(JSON.stringify(await admin.stored('invite', String(made.body.id)))).not.to.contain(token)
    const accepted = await accept(token)
    expect(accepted.status).to.equal(200)
    expect(accepted.body).to.include({ object: 'session', current: true })
    expect(accepted.headers.get('set-cookie')).to.contain('HttpOnly')
    const self = await admin.as(String(accepted.body.token)).get('/v1/auth/self')
    expect(self.body.user).to.deep.include({
      email: 'pat@example.com',
      role: 'admin',
      workspace_ids: [workspace],
    })
    expect((await admin.get(`/v1/users/invites/${made.body.id}`)).body.status).to.equal('accepted')
    const again = await accept(token)
    expect([again.status, again.error.code]).to.deep.equal([401, 'invalid_api_key'])
    expect((await admin.delete(`/v1/users/invites/${made.body.id}`)).status).to.equal(409)
  })

  it('an address has at most one pending invite and one user', async () => {
    const first = await invite({ email: 'once@example.com' })
    expect((await invite({ email: 'ONCE@example.com' })).status).to.equal(409)
    expect((await admin.delete(`/v1/users/invites/${first.body.id}`)).status).to.equal(200)
    expect((await admin.get(`/v1/users/invites/${first.body.id}`)).body.status).to.equal('cancelled')
    expect((await accept(tokenOf(first))).status).to.equal(401)
    const second = await invite({ email: 'once@example.com' })
    await accept(tokenOf(second))
    expect((await invite({ email: 'once@example.com' })).status).to.equal(409)
  })

  it('a resent link replaces the old one', async () => {
    const made = await invite({ email: 'again@example.com' })
    const resent = await admin.post(`/v1/users/invites/${made.body.id}/resend`)
    expect(resent.status).to.equal(200)
    expect((await accept(tokenOf(made))).status).to.equal(401)
    expect((await accept(tokenOf(resent))).status).to.equal(200)
  })

  it('an expired invite does not prevent a new one, even before the expiry is recorded', async () => {
    const old = await invite({ email: 'late@example.com' })
    const stored = await admin.stored('invite', String(old.body.id))
    if (stored === null) throw new Error('The invite is not stored.')
    const expires_at = new Date(Date.now() - 1000).toISOString()
    await admin.gateway.runtime.store.documents.commit([
      { op: 'put', document: { ...stored, data: { ...stored.data, expires_at } } },
    ])
    expect((await accept(tokenOf(old))).status).to.equal(401)
    expect((await admin.delete(`/v1/users/invites/${old.body.id}`)).status).to.equal(409)
    const next = await invite({ email: 'late@example.com' })
    expect(next.status, next.text).to.equal(200)
    expect((await admin.get('/v1/users/invites?status=expired')).data.map(({ id }) => id)).to.deep.equal([
      old.body.id,
    ])
    expect((await accept(tokenOf(next))).status).to.equal(200)
    const again = await admin.post(`/v1/users/invites/${old.body.id}/resend`)
    expect([again.status, again.error.code]).to.deep.equal([409, 'conflict'])
  })

  it('accepting an invite is recorded in the audit log, without token and password', async () => {
    const made = await invite({ email: 'noted@example.com' })
    await nobody().post('/v1/admin/users/invites/accept', {
      token: tokenOf(made),
      first_name: 'Pat',
      password,
    })
    const [record] = await admin.audit(`action=accept&resource_id=${made.body.id}`)
    expect(record).to.include({ resource_type: 'invite', user_type: 'user', response_status_code: 200 })
    expect(record?.changes).to.deep.include({ '/status': ['pending', 'accepted'] })
    expect(record?.request_body).to.deep.equal({ token: '****', first_name: 'Pat', password: '****' })
  })

  for (const { title, body, param, code = 'invalid_body' } of [
    { title: 'an owner', body: { email: 'o@example.com', role: 'owner' }, param: '/role' },
    { title: 'no address', body: { email: 'nowhere' }, param: '/email' },
    {
      title: 'an unknown workspace',
      body: { email: 'w@example.com', workspaces: [{ id: 'nowhere', role: 'member' }] },
      param: '/workspaces/0/id',
    },
    {
      title: 'an unknown scope of the key',
      body: {
        email: 'k@example.com',
        workspaces: [{ id: 'default', role: 'member' }],
        workspace_api_key_details: { scopes: ['audit_logs.list'] },
      },
      param: '/workspace_api_key_details/scopes/0',
      code: 'unknown_scope',
    },
  ]) {
    it(`an invite is refused for ${title}`, async () => {
      const reply = await invite(body)
      expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([400, code, param])
    })
  }

  it('an invite can include a key, whose secret its owner reads', async () => {
    const made = await invite({
      email: 'keyed@example.com',
      workspaces: [{ id: 'default', role: 'member' }],
      workspace_api_key_details: { name: 'first', scopes: ['completions.write'] },
    })
    const accepted = await accept(tokenOf(made))
    const own = admin.as(String(accepted.body.token))
    const [key] = (await own.get('/v1/api-keys')).data
    expect(key).to.deep.include({ name: 'first', creation_mode: 'auto', scopes: ['completions.write'] })
    expect((await own.post(`/v1/api-keys/${key?.id}/reveal`)).body.key).to.be.a('string')
  })

  it('a new member gets a key when the organisation sets it, with a separate setting for the default workspace', async () => {
    const settings = (first: boolean | null, other: boolean | null) =>
      admin.put('/v1/organisation', {
        settings: {
          user_api_key_auto_create: other,
          default_workspace_user_api_key_auto_create: first,
        },
      })
    const workspace = await admin.people.workspace('Automatic')
    await settings(false, true)
    const made = await invite({
      email: 'automatic@example.com',
      workspaces: ['default', workspace].map((id) => ({ id, role: 'member' })),
    })
    const own = admin.as(String((await accept(tokenOf(made))).body.token))
    const keys = (await own.get('/v1/api-keys')).data
    expect(keys.map(({ name, workspace_id }) => [name, workspace_id])).to.deep.equal([
      ['Default key', workspace],
    ])
    expect(keys[0]?.scopes).to.include('completions.write').and.to.include('configs.list')
    expect(keys[0]?.scopes).not.to.include('configs.create')
    await settings(null, null)
  })

  it('a password must have twelve characters', async () => {
    const made = await invite({ email: 'short@example.com' })
    const reply = await accept(tokenOf(made), { password: 'elevenchars' })
    expect([reply.status, reply.error.param]).to.deep.equal([400, '/password'])
    const missing = await accept(tokenOf(made), { password: undefined })
    expect([missing.status, missing.error.param]).to.deep.equal([400, '/password'])
  })

  it('a password is not required with single sign-on', async () => {
    const oidc = { issuer: 'https://id.example', client_id: 'one' }
    await admin.put('/v1/organisation', { auth_settings: { oidc } })
    const either = await accept(tokenOf(await invite({ email: 'either@example.com' })), {
      password: undefined,
    })
    expect(either.status, either.text).to.equal(200)
    await admin.put('/v1/organisation', { auth_settings: { oidc, password_login: false } })
    const made = await invite({ email: 'elsewhere@example.com' })
    const refused = await accept(tokenOf(made))
    expect([refused.status, refused.error.param]).to.deep.equal([400, '/password'])
    expect((await accept(tokenOf(made), { password: undefined })).status).to.equal(200)
    await admin.put('/v1/organisation', { auth_settings: {} })
  })

  it('the key of an invite has only scopes of its creator', async () => {
    const key = await admin.people.key({
      type: 'organisation-service',
      scopes: ['organisation_users.create'],
    })
    const reply = await invite(
      {
        email: 'generous@example.com',
        workspaces: [{ id: 'default', role: 'member' }],
        workspace_api_key_details: { scopes: ['completions.write', 'configs.read'] },
      },
      admin.as(key),
    )
    expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
      403,
      'forbidden',
      '/workspace_api_key_details/scopes/1',
    ])
  })

  it('only addresses in allowed domains can be invited and sign in', async () => {
    const made = await invite({ email: 'early@other.example' })
    await accept(tokenOf(made))
    await admin.put('/v1/organisation', {
      auth_settings: { allowed_domains: [{ domain: 'example.com', allow_subdomains: true }] },
    })
    const refused = await invite({ email: 'late@other.example' })
    expect([refused.status, refused.error.param]).to.deep.equal([400, '/email'])
    expect((await invite({ email: 'sub@eu.example.com' })).status).to.equal(200)
    const login = await nobody().post('/v1/auth/login', { email: 'early@other.example', password })
    expect(login.status).to.equal(401)
    await admin.put('/v1/organisation', { auth_settings: { allowed_domains: [] } })
  })

  describe('owners', () => {
    it('can be added and changed only by owners, and one always remains', async () => {
      const { people } = admin
      const owner = await people.user('owner@example.com', 'owner')
      const second = await people.user('second@example.com')
      const asOwner = admin.as(await people.session(owner))
      const asAdmin = admin.as(await people.session(await people.user('org-admin@example.com', 'admin')))
      const promoted = await asAdmin.put(`/v1/users/${second}`, { role: 'owner' })
      expect([promoted.status, promoted.error.code, promoted.error.param]).to.deep.equal([
        403,
        'forbidden',
        '/role',
      ])
      expect((await asAdmin.put(`/v1/users/${owner}`, { first_name: 'X' })).status).to.equal(403)
      expect((await asOwner.put(`/v1/users/${owner}`, { role: 'member' })).status).to.equal(409)
      expect((await asOwner.put(`/v1/users/${owner}`, { status: 'deactivated' })).status).to.equal(409)
      expect((await asOwner.put(`/v1/users/${second}`, { role: 'Owner' })).body.role).to.equal('owner')
      expect((await asOwner.put(`/v1/users/${owner}`, { role: 'member' })).status).to.equal(200)
      expect((await admin.delete(`/v1/users/${second}`)).status).to.equal(409)
    })
  })

  it('a deleted user loses all memberships, sessions and keys', async () => {
    const { people } = admin
    const workspace = await people.workspace('Left')
    const user = await people.user('gone@example.com')
    await people.member(workspace, user, 'member')
    const session = await people.session(user)
    const key = await people.key({ type: 'workspace-user', workspace, user, scopes: ['models.list'] })
    expect((await admin.as(key).get('/v1/models')).status).to.equal(200)
    expect((await admin.delete(`/v1/users/${user}`)).status).to.equal(200)
    expect((await admin.get(`/v1/users/${user}`)).status).to.equal(404)
    expect((await admin.as(session).get('/v1/auth/self')).status).to.equal(401)
    expect((await admin.as(key).get('/v1/models')).status).to.equal(401)
    expect((await admin.get(`/v1/workspaces/${workspace}/users`)).data).to.have.length(0)
    expect((await invite({ email: 'gone@example.com' })).status).to.equal(200)
  })

  it('users cannot delete themselves', async () => {
    const self = await admin.people.user('self@example.com', 'admin')
    const reply = await admin.as(await admin.people.session(self)).delete(`/v1/users/${self}`)
    expect(reply.status).to.equal(409)
  })

  it('the list can be filtered by role, e-mail and status', async () => {
    const user = await admin.people.user('listed@example.com')
    await admin.put(`/v1/users/${user}`, { status: 'deactivated' })
    expect((await admin.get('/v1/users?email=LISTED@example.com')).data.map(({ id }) => id)).to.deep.equal([
      user,
    ])
    const paused = (await admin.get('/v1/users?status=deactivated&role=member')).data
    expect(paused.map(({ id }) => id)).to.deep.equal([user])
    expect((await admin.get('/v1/admin/users?status=active')).data.map(({ id }) => id)).not.to.include(user)
  })

  it('the list can be filtered by several roles, in any case, and unknown roles are refused', async () => {
    const user = await admin.people.user('roles@example.com', 'admin')
    const found = (await admin.get('/v1/users?role=OWNER,%20Admin&page_size=1000')).data
    expect(found.map(({ id }) => id)).to.include(user)
    for (const path of ['/v1/users', '/v1/users/invites']) {
      const reply = await admin.get(`${path}?role=boss`)
      expect([reply.status, reply.error.code, reply.error.param], path).to.deep.equal([
        400,
        'invalid_query',
        'query/role',
      ])
    }
  })

  it('an e-mail address cannot be changed', async () => {
    const user = await admin.people.user('fixed@example.com')
    const reply = await admin.put(`/v1/users/${user}`, { email: 'other@example.com' })
    expect([reply.status, reply.error.param]).to.deep.equal([400, '/email'])
  })
})
