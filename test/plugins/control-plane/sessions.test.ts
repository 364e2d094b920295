/** Signing in and out, and the rights of a session (management contract, sections 1 and 8). */
import { expect } from 'chai'
import { type Management, openManagement } from '../../support/management.ts'

const password = 'correct horse battery'
const toEcho = { 'x-gateway-provider': 'echo' }
const chatBody = { model: 'echo-1', messages: [{ role: 'user', content: 'hello' }] }

describe('a session', () => {
  const admin = openManagement({ workspaces: { declared: { name: 'Declared' } } })
  const login = (body: Record<string, unknown>) => admin.as(null).post('/v1/auth/login', body)

  async function person(
    email: string,
    role = 'member',
  ): Promise<{ session: Management; user: string; token: string; csrf: string }> {
    const invite = await admin.post('/v1/users/invites', {
      email,
      role,
      workspaces: [{ id: 'default', role: 'member' }],
    })
    const token = new URL(String(invite.body.invite_link)).searchParams.get('token')
    const made = await admin.as(null).post('/v1/users/invites/accept', { token, first_name: 'P', password })
    const text = String(made.body.token)
    return {
      session: admin.as(text),
      user: String(made.body.user_id),
      token: text,
      csrf: String(made.body.csrf_token),
    }
  }

  it('begins with e-mail and password, and returns the user', async () => {
    await person('in@example.com')
    const reply = await login({ email: 'In@Example.com', password })
    expect(reply.status).to.equal(200)
    expect(reply.body.token).to.match(/^gws_/)
    const cookie = reply.headers.get('set-cookie') ?? ''
    expect(cookie)
      .to.contain(`gateway_session=${reply.body.token}`)
      .and.contain('HttpOnly')
      .and.contain('SameSite=Lax')
    const lifeMs = Date.parse(String(reply.body.expires_at)) - Date.parse(String(reply.body.created_at))
    expect(lifeMs).to.equal(12 * 3_600_000)
    const self = await admin.as(String(reply.body.token)).get('/v1/auth/self')
    expect(self.body.user).to.include({ email: 'in@example.com' })
    expect(self.body.session).to.include({ id: reply.body.id, current: true })
    const [workspace] = self.body.workspaces as { slug: string; role: string; scopes: string[] }[]
    expect(workspace).to.include({ slug: 'default', role: 'member' })
    expect(workspace?.scopes).to.include('completions.write').and.not.include('configs.create')
  })

  it('includes workspaces of the config file', async () => {
    const { user, session } = await person('declared@example.com')
    await admin.post('/v1/workspaces/declared/users', { users: [{ id: user, role: 'manager' }] })
    const { workspaces } = (await session.get('/v1/auth/self')).body as {
      workspaces: { slug: string; role: string }[]
    }
    expect(workspaces.map(({ slug, role }) => [slug, role])).to.deep.equal([
      ['declared', 'manager'],
      ['default', 'member'],
    ])
  })

  it('cannot begin with a password when the organisation disables that', async () => {
    await person('shut@example.com')
    await admin.put('/v1/organisation', { auth_settings: { password_login: false } })
    expect((await login({ email: 'shut@example.com', password })).status).to.equal(401)
    await admin.put('/v1/organisation', { auth_settings: { password_login: null } })
    expect((await login({ email: 'shut@example.com', password })).status).to.equal(200)
  })

  it('cannot begin for a deactivated user, and ends on deactivation', async () => {
    const { user, session } = await person('paused@example.com')
    await admin.put(`/v1/users/${user}`, { status: 'deactivated' })
    expect((await session.get('/v1/auth/self')).status).to.equal(401)
    expect((await login({ email: 'paused@example.com', password })).status).to.equal(401)
    await admin.put(`/v1/users/${user}`, { status: 'active' })
    expect((await login({ email: 'paused@example.com', password })).status).to.equal(200)
  })

  it('requires exactly one complete kind of credential', async () => {
    for (const [body, param] of [
      [{}, '/email'],
      [{ email: 'in@example.com' }, '/password'],
      [{ email: 'in@example.com', password, api_key: 'x' }, '/api_key'],
      [{ email: null, password: 5 }, '/email'],
    ] as const) {
      const reply = await login(body)
      expect([reply.status, reply.error.code, reply.error.param], reply.text).to.deep.equal([
        400,
        'invalid_body',
        param,
      ])
    }
  })

  it('reports a wrong password and an unknown user in the same way', async () => {
    await person('known@example.com')
    const wrong = await login({ email: 'known@example.com', password: 'not the password' })
    const nobody = await login({ email: 'nobody@example.com', password: 'not the password' })
    expect([wrong.status, wrong.error.code]).to.deep.equal([401, 'invalid_api_key'])
    expect(nobody.error).to.deep.equal(wrong.error)
  })

  it('has the permissions of the key that opened it', async () => {
    const key = await admin.people.key({
      type: 'workspace-service',
      workspace: (await admin.get('/v1/organisation')).body.default_workspace_id as string,
      scopes: ['models.list'],
    })
    const session = admin.as(String((await login({ api_key: key })).body.token))
    expect((await session.get('/v1/models')).status).to.equal(200)
    expect((await session.post('/v1/chat/completions', chatBody, toEcho)).status).to.equal(403)
    expect((await session.get('/v1/auth/self')).body.scopes).to.deep.equal(['models.list'])
    expect((await login({ api_key: 'gw-unknown' })).status).to.equal(401)
  })

  it('can be opened with the admin key', async () => {
    const reply = await login({ api_key: 'test-admin-key-0123456789' })
    expect((await admin.as(String(reply.body.token)).get('/v1/organisation')).status).to.equal(200)
  })

  it('ends at once with logout', async () => {
    const { session, token } = await person('out@example.com')
    expect((await session.post('/v1/auth/logout', { everywhere: true })).status).to.equal(400)
    const foreign = await admin.post('/v1/auth/logout')
    expect([foreign.status, foreign.error.code]).to.deep.equal([403, 'forbidden'])
    expect((await session.post('/v1/auth/logout')).status).to.equal(200)
    const reply = await admin.as(token).get('/v1/auth/self')
    expect([reply.status, reply.error.code]).to.deep.equal([401, 'invalid_api_key'])
  })

  it('ends once for two concurrent logouts, both without an error', async () => {
    const { session } = await person('out-twice@example.com')
    const replies = await Promise.all(Array.from({ length: 5 }, () => session.post('/v1/auth/logout')))
    expect(
      replies.map(({ status }) => status).filter((status) => status !== 200 && status !== 401),
    ).to.deep.equal([])
    expect((await session.get('/v1/auth/self')).status).to.equal(401)
  })

  it('always gets a new token, never one that the browser sent', async () => {
    await person('fixed@example.com')
    const planted = await person('attacker@example.com')
    const cookie = { cookie: `gateway_session=${planted.token}` }
    const reply = await admin
      .as(null)
      .post('/v1/auth/login', { email: 'fixed@example.com', password }, cookie)
    expect(reply.status).to.equal(200)
    expect(reply.body.token).not.to.equal(planted.token)
    const self = await planted.session.get('/v1/auth/self')
    expect((self.body.user as { email: string }).email).to.equal('attacker@example.com')
  })

  it('in a cookie requires the CSRF token on every change', async () => {
    const { token, csrf } = await person('cookie@example.com')
    const browser = admin.as(null)
    const cookie = { cookie: `theme=dark; gateway_session=${token}` }
    expect((await browser.get('/v1/auth/self', cookie)).status).to.equal(200)
    const bare = await browser.post('/v1/auth/logout', {}, cookie)
    expect([bare.status, bare.error.code]).to.deep.equal([403, 'forbidden'])
    expect(
      (await browser.post('/v1/auth/logout', {}, { ...cookie, 'x-gateway-csrf': 'wrong' })).status,
    ).to.equal(403)
    expect(
      (await browser.post('/v1/auth/logout', {}, { ...cookie, 'x-gateway-csrf': csrf })).status,
    ).to.equal(200)
  })

  it('older than max_session_ttl is 401 session_expired at once', async () => {
    const { user, session } = await person('old@example.com')
    const [found] = (await admin.get(`/v1/sessions?user_id=${user}`)).data
    const stored = await admin.stored('session', String(found?.id))
    if (stored === null) throw new Error('The session is not stored.')
    const { version: _, ...document } = stored
    await admin.gateway.runtime.store.documents.commit([
      { op: 'put', document: { ...document, created_at: Date.now() - 1_000_000 } },
    ])
    expect((await session.get('/v1/auth/self')).status).to.equal(200)
    await admin.put('/v1/organisation', { settings: { session_settings: { max_session_ttl: 900 } } })
    const [shown] = (await admin.get(`/v1/sessions?user_id=${user}`)).data
    expect(Date.parse(String(shown?.expires_at)) - Date.parse(String(shown?.created_at))).to.equal(900_000)
    const reply = await session.get('/v1/auth/self')
    expect([reply.status, reply.error.code]).to.deep.equal([401, 'session_expired'])
    await admin.put('/v1/organisation', { settings: { session_settings: { max_session_ttl: null } } })
  })

  it('calls models in the workspace that it specifies', async () => {
    const { session } = await person('caller@example.com')
    const call = (headers: Record<string, string>) =>
      session.post('/v1/chat/completions', chatBody, { ...toEcho, ...headers })
    expect((await call({ 'x-gateway-workspace-id': 'default' })).status).to.equal(200)
    await admin.people.workspace('Foreign')
    for (const name of ['foreign', 'nowhere']) {
      const reply = await call({ 'x-gateway-workspace-id': name })
      expect([reply.status, reply.error.code]).to.deep.equal([404, 'not_found'])
    }
    const unnamed = await call({})
    expect([unnamed.status, unnamed.error.param]).to.deep.equal([400, 'header/x-gateway-workspace-id'])
  })

  it('can be listed and ended by administrators, and by its own user', async () => {
    const one = await person('one@example.com')
    const two = await person('two@example.com')
    expect((await one.session.get('/v1/sessions')).data.map(({ user_id }) => user_id)).to.deep.equal([
      one.user,
    ])
    const [foreign] = (await admin.get(`/v1/sessions?user_id=${two.user}`)).data
    expect(foreign).not.to.have.property('token')
    expect(foreign?.csrf_token).to.equal(null)
    expect((await one.session.delete(`/v1/sessions/${foreign?.id}`)).status).to.equal(403)
    expect((await one.session.delete(`/v1/sessions?user_id=${two.user}`)).status).to.equal(403)
    expect((await admin.delete(`/v1/sessions/${foreign?.id}`)).status).to.equal(200)
    expect((await two.session.get('/v1/auth/self')).status).to.equal(401)
    await login({ email: 'one@example.com', password })
    const ended = await one.session.delete(`/v1/sessions?user_id=${one.user}`)
    expect(ended.body).to.include({ deleted: true, count: 2 })
    expect((await one.session.get('/v1/auth/self')).status).to.equal(401)
  })

  it('stores neither token nor password in plain text', async () => {
    const { user, token } = await person('sealed@example.com')
    const [session] = (await admin.get(`/v1/sessions?user_id=${user}`)).data
    const stored = JSON.stringify([
      await admin.stored('session', String(session?.id)),
      await admin.stored('user', user),
    ])
    expect(stored).not.to.contain(token).and.not.contain(password)
    const audit = JSON.stringify(await admin.audit())
    expect(audit).not.to.contain(token).and.not.contain(password)
  })

  // Last, because it exhausts the attempts of this address.
  it('allows at most twenty failed sign-ins per minute', async () => {
    const tries = await Promise.all(Array.from({ length: 21 }, () => login({ api_key: 'gw-guessed' })))
    const refused = tries.find(({ status }) => status === 429)
    expect(refused?.error.code).to.equal('rate_limit_exceeded')
    expect(Number(refused?.headers.get('retry-after'))).to.be.within(1, 60)
    expect(tries.every(({ status }) => status === 401 || status === 429)).to.equal(true)
  })
})

describe('a session over TLS', () => {
  const admin = openManagement({ public_url: 'https://gateway.example' })

  it('has cookies restricted to TLS', async () => {
    const reply = await admin.as(null).post('/v1/auth/login', { api_key: 'test-admin-key-0123456789' })
    expect(reply.headers.get('set-cookie')).to.match(/; Secure$/)
  })
})
