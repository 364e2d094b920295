/** Sign-in by OpenID Connect (management contract, section 8). */
import { expect } from 'chai'
import {
  createBrowser,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts'
import { openManagement } from '../../support/management.ts'

describe('OpenID Connect sign-in', () => {
  const admin = openManagement()
  let idp: IdentityProvider
  let url = ''

  before(async () => {
    const { gateway } = admin
    url = gateway.url
    await gateway.writeConfig({ public_url: url })
    await gateway.reload()
    idp = await startIdentityProvider(url)
    await settle({})
  })
  after(() => idp.close())

  const settle = async (more: Record<string, unknown>, oidc: Record<string, unknown> = {}) => {
    const reply = await admin.put('/v1/organisation', {
      auth_settings: {
        oidc: {
          issuer: idp.issuer,
          client_id: idp.clientId,
          client_secret: idp.clientSecret,
          role_claim: 'realm.roles',
          ...oidc,
        },
        ...more,
      },
    })
    expect(reply.status, reply.text).to.equal(200)
  }
  const isConsole = ({ origin, pathname }: URL) => origin === url && pathname.startsWith('/console')
  const start = (query = '') => `${url}/v1/auth/oidc${query}`

  /** Signs a user in with a separate browser, and returns the result. */
  async function signIn(account: string | null, claims: Record<string, unknown> = {}, query = '') {
    idp.signIn(account, claims)
    const browser = createBrowser()
    const end = await browser.open(start(query), isConsole)
    const token = browser.cookie(url, 'gateway_session')
    const text = end.location === null ? await end.response.text() : ''
    return { ...end, browser, token, text }
  }
  const self = async (token: string | undefined) => (await admin.as(token ?? '').get('/v1/auth/self')).body

  it('creates a user at the first sign-in, with the role of the claim, and finds that user the next time', async () => {
    const claims = {
      email: 'Ada@Example.com',
      email_verified: true,
      given_name: 'Ada',
      family_name: 'Lovelace',
      realm: { roles: ['viewer', 'Admin'] },
    }
    const first = await signIn('ada', claims, '?organisation=default&return_to=/console/keys%3Fnew=1')
    expect(first.location, first.text).to.equal('/console/keys?new=1')
    const { user, session } = await self(first.token)
    expect(user).to.deep.include({
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Lovelace',
      role: 'admin',
    })
    const second = await signIn('ada', { ...claims, realm: {} })
    expect(second.location).to.equal('/console')
    const again = await self(second.token)
    expect((again.user as { id: string }).id).to.equal((user as { id: string }).id)
    expect((again.session as { id: string }).id).not.to.equal((session as { id: string }).id)
    expect((again.user as { role: string }).role).to.equal('admin')
  })

  it('lists the ways to sign in', async () => {
    const reply = await admin.as(null).get('/v1/auth/methods')
    expect(reply.status).to.equal(200)
    expect(reply.body).to.deep.equal({
      password: true,
      oidc: [{ name: 'Default organisation', url: `${url}/v1/auth/oidc?organisation=default` }],
      api_key: true,
    })
    await settle({ password_login: false })
    expect((await admin.as(null).get('/v1/auth/methods')).body.password).to.equal(false)
    await settle({ password_login: true })
  })

  it('uses code, PKCE, state and nonce, and keeps its state in an encrypted cookie', async () => {
    const response = await fetch(start(), { redirect: 'manual' })
    expect(response.status).to.equal(302)
    const sent = new URL(response.headers.get('location') ?? '')
    expect(sent.origin).to.equal(idp.issuer)
    expect(Object.fromEntries(sent.searchParams)).to.include({
      response_type: 'code',
      client_id: idp.clientId,
      redirect_uri: `${url}/v1/auth/callback`,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(sent.searchParams.get(name)?.length ?? 0, name).to.be.at.least(43)
    }
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).to.match(/^gateway_sign_in=[\w-]+; Path=\/v1\/auth; Max-Age=600; HttpOnly; SameSite=Lax$/)
    expect(cookie).not.to.contain(sent.searchParams.get('nonce') ?? '')
  })

  it('accepts a pending invite, with its role and its workspaces', async () => {
    const workspace = await admin.people.workspace('By invite')
    const invite = await admin.post('/v1/users/invites', {
      email: 'invited@example.com',
      role: 'admin',
      workspaces: [{ id: workspace, role: 'manager' }],
    })
    await settle({ disable_auto_provision_user: true })
    const { token, text } = await signIn('invited', {
      email: 'invited@example.com',
      email_verified: true,
      name: 'In Vited',
    })
    const { user } = await self(token)
    expect(user, text).to.deep.include({
      role: 'admin',
      first_name: 'In',
      last_name: 'Vited',
      workspace_ids: [workspace],
    })
    expect((await admin.get(`/v1/users/invites/${invite.body.id}`)).body.status).to.equal('accepted')
    const stranger = await signIn('stranger', { email: 'stranger@example.com' })
    expect([stranger.response.status, stranger.token]).to.deep.equal([403, undefined])
    await settle({ disable_auto_provision_user: false })
  })

  describe('is refused', () => {
    const cases: [string, Record<string, unknown>, () => Promise<unknown>][] = [
      [
        'to an unverified address',
        { email: 'unverified@example.com', email_verified: false },
        async () => undefined,
      ],
      ['without an address', { name: 'Nobody' }, async () => undefined],
      [
        'to a domain that is not allowed',
        { email: 'x@elsewhere.example' },
        () => settle({ allowed_domains: [{ domain: 'example.com' }] }),
      ],
      [
        'to a deactivated person',
        { email: 'off@example.com' },
        async () => {
          const id = await admin.people.user('off@example.com')
          await admin.put(`/v1/users/${id}`, { status: 'deactivated' })
        },
      ],
    ]
    for (const [title, claims, prepare] of cases) {
      it(title, async () => {
        await prepare()
        const { response, token, text } = await signIn('somebody', claims)
        expect([response.status, JSON.parse(text).error.code, token]).to.deep.equal([
          403,
          'forbidden',
          undefined,
        ])
        await settle({ allowed_domains: [] })
      })
    }

    it('when the identity provider refuses', async () => {
      const { response, text } = await signIn(null)
      expect(response.status).to.equal(401)
      expect(JSON.parse(text).error).to.include({ code: 'invalid_api_key' })
      expect(text).to.contain('access_denied: Not today.')
    })

    describe('in a browser, with a redirect to the sign-in page and the reason', () => {
      const reasons: [string, string, Record<string, unknown> | null, () => Promise<unknown>][] = [
        ['access_denied', 'a refusal', null, async () => undefined],
        ['email_unverified', 'an unverified address', { email_verified: false }, async () => undefined],
        ['email_missing', 'no address', { email: undefined }, async () => undefined],
        [
          'domain_not_allowed',
          'a domain that is not allowed',
          { email: 'x@elsewhere.example' },
          () => settle({ allowed_domains: [{ domain: 'example.com' }] }),
        ],
        [
          'invite_needed',
          'a stranger',
          { email: 'nobody@example.com' },
          () => settle({ disable_auto_provision_user: true }),
        ],
        [
          'not_allowed',
          'a deactivated person',
          { email: 'off-too@example.com' },
          async () => {
            const id = await admin.people.user('off-too@example.com')
            await admin.put(`/v1/users/${id}`, { status: 'deactivated' })
          },
        ],
        ['provider_refused', 'a wrong client secret', {}, () => settle({}, { client_secret: 'another one' })],
      ]
      for (const [reason, title, claims, prepare] of reasons) {
        it(`${reason} for ${title}`, async () => {
          await prepare()
          idp.signIn(
            claims === null ? null : 'somebody',
            claims === null ? {} : { email: 'somebody@example.com', ...claims },
          )
          const browser = createBrowser({ accept: 'text/html,application/xhtml+xml' })
          const end = await browser.open(start('?return_to=/console/keys'), isConsole)
          await settle({ allowed_domains: [], disable_auto_provision_user: false })
          expect(end.location).to.equal(`/console/login?error=${reason}&return_to=%2Fconsole%2Fkeys`)
          expect(browser.cookie(url, 'gateway_session')).to.equal(undefined)
        })
      }

      it('expired for a sign-in that began in another browser', async () => {
        const browser = createBrowser({ accept: 'text/html' })
        const end = await browser.open(`${url}/v1/auth/callback?code=x&state=y`, isConsole)
        expect(end.location).to.equal('/console/login?error=expired')
      })

      it('switched_off when the organisation has no single sign-on', async () => {
        const browser = createBrowser({ accept: 'text/html' })
        const end = await browser.open(start('?organisation=nowhere'), isConsole)
        expect(end.location).to.equal('/console/login?error=switched_off&return_to=%2Fconsole')
      })
    })

    it('for another state, in another browser, and a second time', async () => {
      idp.signIn('replay', { email: 'replay@example.com' })
      const browser = createBrowser()
      const isCallback = ({ pathname, origin }: URL) => origin === url && pathname === '/v1/auth/callback'
      const { location } = await browser.open(start(), isCallback)
      const callback = new URL(location ?? '')
      const forged = new URL(callback)
      forged.searchParams.set('state', 'forged')
      expect((await browser.open(forged.href)).response.status).to.equal(401)
      expect((await createBrowser().open(callback.href)).response.status).to.equal(401)
      const other = createBrowser()
      await other.open(start(), ({ origin }) => origin === idp.issuer)
      expect((await other.open(callback.href)).response.status).to.equal(401)
      expect((await browser.open(callback.href, isConsole)).location).to.equal('/console')
      expect((await browser.open(callback.href, isConsole)).response.status).to.equal(401)
    })

    it('with a modified cookie', async () => {
      const browser = createBrowser()
      await browser.open(start(), ({ origin }) => origin === idp.issuer)
      browser.setCookie(url, 'gateway_sign_in', 'bm90IHNlYWxlZA')
      expect((await browser.open(`${url}/v1/auth/callback?code=x&state=y`)).response.status).to.equal(401)
    })

    it("when the organisation's client has changed", async () => {
      await settle({}, { client_secret: 'another secret' })
      const { response, text } = await signIn('ada', { email: 'ada@example.com' })
      expect([response.status, JSON.parse(text).error.code]).to.deep.equal([401, 'invalid_api_key'])
      expect(text).not.to.contain('another secret')
      await settle({})
    })
  })

  for (const path of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'console',
    '/%0a',
    '/a\tb',
  ]) {
    it(`does not redirect to ${JSON.stringify(path)}`, async () => {
      const written = path === '/%0a' ? '%2F%0A%2Fevil.example' : encodeURIComponent(path)
      const reply = await admin.as(null).get(`/v1/auth/oidc?return_to=${written}`)
      expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
        400,
        'invalid_query',
        'query/return_to',
      ])
    })
  }

  it('refuses an unknown organisation, and one without an identity provider', async () => {
    const other = await admin.post('/v1/organisations', { name: 'No sign-on', owner_email: 'o@no.example' })
    for (const name of ['nowhere', String(other.body.slug)]) {
      const reply = await admin.as(null).get(`/v1/auth/oidc?organisation=${name}`)
      expect([reply.status, reply.error.param]).to.deep.equal([404, 'query/organisation'])
    }
  })

  it('reports an identity provider that is unavailable', async () => {
    const reply = await admin.put('/v1/organisation', {
      auth_settings: { oidc: { issuer: 'http://127.0.0.1:9', client_secret: 'x' } },
    })
    expect(reply.status, reply.text).to.equal(200)
    const begun = await admin.as(null).get('/v1/auth/oidc')
    expect([begun.status, begun.error.code]).to.deep.equal([503, 'dependency_unavailable'])
    await settle({})
  })

  describe('ends sessions by back-channel logout:', () => {
    const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const claims = (more: Record<string, unknown> = {}) => ({
      iss: idp.issuer,
      aud: idp.clientId,
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 120,
      jti: crypto.randomUUID(),
      events: event,
      ...more,
    })
    const send = (token: string) =>
      fetch(`${url}/v1/auth/backchannel-logout`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: token }),
      })
    const isIn = async (token: string | undefined) =>
      (await admin.as(token ?? '').get('/v1/auth/self')).status === 200

    it('all sessions of a subject, and no others', async () => {
      const gone = await signIn('gone', { email: 'gone@example.com' })
      const too = await signIn('gone', { email: 'gone@example.com' })
      const stays = await signIn('stays', { email: 'stays@example.com' })
      const token = await idp.sign(claims({ sub: 'gone' }), { typ: 'logout+jwt' })
      const response = await send(token)
      expect([response.status, response.headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
      expect([await isIn(gone.token), await isIn(too.token), await isIn(stays.token)]).to.deep.equal([
        false,
        false,
        true,
      ])
      expect((await send(token)).status, 'a second time').to.equal(400)
      const [record] = await admin.audit('action=logout')
      expect(record).to.deep.include({ resource_type: 'session', user_type: 'system' })
    })

    it('the one session of a sid', async () => {
      const first = await signIn('two', { email: 'two@example.com', sid: 'session-1' })
      const second = await signIn('two', { email: 'two@example.com', sid: 'session-2' })
      const token = await idp.sign(claims({ sub: 'two', sid: 'session-1' }))
      expect((await send(token)).status).to.equal(200)
      expect([await isIn(first.token), await isIn(second.token)]).to.deep.equal([false, true])
    })

    const refusals: [string, () => Promise<string>][] = [
      [
        'a token of another key',
        async () => `${(await idp.sign(claims({ sub: 'ada' }))).slice(0, -20)}${'A'.repeat(20)}`,
      ],
      ['a token for another client', () => idp.sign(claims({ sub: 'ada', aud: 'other' }))],
      ['a token of another issuer', () => idp.sign(claims({ sub: 'ada', iss: 'https://other.example' }))],
      [
        'a token that is too old',
        () => idp.sign(claims({ sub: 'ada', iat: Math.floor(Date.now() / 1000) - 3600 })),
      ],
      ['an ID token', () => idp.sign({ ...claims({ sub: 'ada', nonce: 'x' }) })],
      ['a token without the event', () => idp.sign(claims({ sub: 'ada', events: {} }))],
      ['a token without a subject', () => idp.sign(claims())],
      ['something else', async () => 'no token'],
    ]
    for (const [title, make] of refusals) {
      it(`${title} is refused`, async () => {
        const { token } = await signIn('ada', { email: 'ada@example.com' })
        const response = await send(await make())
        expect(response.status).to.equal(400)
        expect(await isIn(token)).to.equal(true)
      })
    }
  })
})
