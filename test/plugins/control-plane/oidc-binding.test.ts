/** Whom a sign-in by OpenID Connect finds: the subject of the identity provider, not the address that it sends. */
import { expect } from 'chai'
import {
  createBrowser,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts'
import { openManagement } from '../../support/management.ts'

describe('a sign-in by OpenID Connect', () => {
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

  async function settle(oidc: Record<string, unknown>) {
    const reply = await admin.put('/v1/organisation', {
      auth_settings: {
        oidc: { issuer: idp.issuer, client_id: idp.clientId, client_secret: idp.clientSecret, ...oidc },
      },
    })
    expect(reply.status, reply.text).to.equal(200)
  }

  /** The e-mail address and id of the person whose session opens, or the error. */
  async function signIn(account: string, claims: Record<string, unknown>) {
    idp.signIn(account, claims)
    const browser = createBrowser()
    const end = await browser.open(
      `${url}/v1/auth/oidc`,
      ({ origin, pathname }) => origin === url && pathname.startsWith('/console'),
    )
    const token = browser.cookie(url, 'gateway_session')
    if (token === undefined) return { error: JSON.parse(await end.response.text()).error, user: null }
    const { user } = (await admin.as(token).get('/v1/auth/self')).body
    return { error: null, user: user as { id: string; email: string } }
  }

  const verified = (email: string) => ({ email, email_verified: true })

  it('opens no existing account for an address that the provider does not vouch for', async () => {
    const email = 'owner@example.com'
    await admin.people.user(email, 'owner')
    for (const claims of [{ preferred_username: email }, { email }, { email, email_verified: false }])
      expect((await signIn('attacker', claims)).error, JSON.stringify(claims)).to.include({
        code: 'forbidden',
      })
  })

  it('binds an existing account to the first subject with its verified address, and refuses a second one', async () => {
    const email = 'bound@example.com'
    const id = await admin.people.user(email)
    expect((await signIn('first', verified(email))).user?.id).to.equal(id)
    const second = await signIn('second', verified(email))
    expect(second.error).to.include({ code: 'forbidden' })
    const { data } = (await admin.get('/v1/audit-logs?action=login&response_status_code=403')).body as {
      data: { details?: unknown }[]
    }
    expect(data.map(({ details }) => details)).to.deep.include({ method: 'oidc', reason: 'address_taken' })
    expect((await signIn('first', verified(email))).user?.id).to.equal(id)
  })

  it('finds the bound account for any address that the provider sends', async () => {
    const { user } = await signIn('moved', verified('before@example.com'))
    expect(user?.email).to.equal('before@example.com')
    for (const claims of [verified('after@example.com'), { email: 'after@example.com' }, {}])
      expect((await signIn('moved', claims)).user?.id).to.equal(user?.id)
  })

  it('binds again after an administrator has removed the binding', async () => {
    const { user } = await signIn('old', verified('again@example.com'))
    const path = `/v1/users/${user?.id}`
    expect((await admin.get(path)).body.identity_provider).to.deep.equal({
      issuer: idp.issuer,
      subject: 'old',
    })
    expect((await signIn('new', verified('again@example.com'))).error).to.include({ code: 'forbidden' })
    expect((await admin.put(path, { identity_provider: null })).status).to.equal(200)
    expect((await signIn('new', verified('again@example.com'))).user?.id).to.equal(user?.id)
    expect((await admin.put(path, { identity_provider: { issuer: 'x', subject: 'y' } })).status).to.equal(400)
  })

  it('trusts addresses without email_verified where the settings say so, but no denied one', async () => {
    const email = 'entra@example.com'
    const id = await admin.people.user(email)
    await settle({ trust_email: true })
    expect((await signIn('entra', { email, email_verified: false })).error).to.include({ code: 'forbidden' })
    expect((await signIn('entra', { preferred_username: email })).error).to.include({ code: 'forbidden' })
    expect((await signIn('entra', { email })).user?.id).to.equal(id)
    await settle({ trust_email: false })
    expect((await signIn('entra', { email })).user?.id).to.equal(id)
  })

  it('accepts an invite only for a verified address', async () => {
    const email = 'guest@example.com'
    const invite = await admin.post('/v1/users/invites', { email, role: 'admin' })
    expect(invite.status, invite.text).to.be.oneOf([200, 201])
    expect((await signIn('guest', { email })).error).to.include({ code: 'forbidden' })
    expect((await signIn('guest', verified(email))).user).to.deep.include({ email, role: 'admin' })
  })

  it('that another browser completes is refused without locking out the user', async () => {
    for (let count = 0; count < 25; count += 1) {
      const reply = await fetch(`${url}/v1/auth/callback?code=x&state=y`)
      expect(reply.status).to.equal(401)
    }
    expect((await signIn('late', verified('late@example.com'))).user?.email).to.equal('late@example.com')
  })
})
