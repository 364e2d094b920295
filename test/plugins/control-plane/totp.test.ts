/** A second factor for people with a password: POST /auth/totp/enroll, /confirm, and sign-in with it. */
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { Secret, TOTP } from 'otpauth'
import { openManagement } from '../../support/management.ts'

const password = 'correct horse battery'

const periodMs = 30_000

describe('a second factor', () => {
  const admin = openManagement()
  // In the middle of a period: no period may end between a code and the request that sends it.
  let clock: Clock & { uninstall(): void }
  before(() => {
    const now = (Math.floor(Date.now() / periodMs) + 0.5) * periodMs
    clock = install({ now, toFake: ['Date'] })
  })
  after(() => clock.uninstall())
  const nobody = () => admin.as(null)
  const login = (email: string, more: Record<string, unknown> = {}) =>
    nobody().post('/v1/auth/login', { email, password, ...more })

  /** A person with a password, and their session. */
  async function person(email: string): Promise<string> {
    const made = await admin.post('/v1/users/invites', { email, role: 'member' })
    const token = new URL(String(made.body.invite_link)).searchParams.get('token')
    const accepted = await nobody().post('/v1/users/invites/accept', { token, first_name: 'Pat', password })
    return String(accepted.body.token)
  }
  /** Codes of the periods around now, of which each works once. */
  const codeOf = (secret: string, period = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + period * periodMs })

  async function enrolled(email: string) {
    const session = await person(email)
    const made = await admin.as(session).post('/v1/auth/totp/enroll')
    expect(made.status, made.text).to.equal(200)
    const secret = String(made.body.secret)
    const confirmed = await admin.as(session).post('/v1/auth/totp/confirm', { code: codeOf(secret, -1) })
    expect(confirmed.status, confirmed.text).to.equal(200)
    return { session, secret, recovery: made.body.recovery_codes as string[], shown: made }
  }

  it('is shown once, and stored encrypted', async () => {
    const { secret, recovery, shown } = await enrolled('shown@example.com')
    expect(shown.headers.get('cache-control')).to.equal('no-store')
    expect(shown.body.otpauth_url).to.match(/^otpauth:\/\/totp\/gateway:shown%40example\.com\?/)
    expect(recovery).to.have.lengthOf(10)
    const id = String((await admin.get('/v1/users?email=shown@example.com')).data[0]?.id)
    const stored = JSON.stringify(await admin.stored('user', id))
    const read = (await admin.get(`/v1/users/${id}`)).text
    const audit = JSON.stringify(await admin.audit('resource_type=totp'))
    for (const text of [secret, ...recovery]) {
      for (const place of [stored, read, audit]) expect(place).not.to.contain(text)
    }
  })

  it('leaves no codes of failed sign-ins in the audit log', async () => {
    const email = 'failed@example.com'
    const { secret, recovery } = await enrolled(email)
    const sent = [codeOf(secret, 1), recovery[0] ?? '', recovery[1] ?? '']
    await login(email, { password: 'a wrong password', totp: sent[0] })
    await login(email, { password: 'a wrong password', totp: sent[1] })
    await login(email, { password: 'a wrong password', recovery_code: sent[2] })
    await nobody().post('/v1/auth/login', { email, password, totp: Number(sent[0]) })
    const audit = JSON.stringify(await admin.audit('action=login'))
    for (const text of sent) expect(audit).not.to.contain(text)
  })

  it('is required at sign-in, and each code works once', async () => {
    const email = 'asked@example.com'
    const { secret } = await enrolled(email)
    const without = await login(email)
    expect([without.status, without.error.code]).to.deep.equal([401, 'totp_required'])
    const code = codeOf(secret)
    const good = await login(email, { totp: code })
    expect(good.status, good.text).to.equal(200)
    const again = await login(email, { totp: code })
    expect([again.status, again.error.code]).to.deep.equal([401, 'invalid_api_key'])
    const wrong = await login(email, { totp: '000000', password: 'not the password' })
    expect([wrong.status, wrong.error.code]).to.deep.equal([401, 'invalid_api_key'])
  })

  it('is not requested before the password is correct', async () => {
    const email = 'unknown-password@example.com'
    await enrolled(email)
    const reply = await login(email, { password: 'not the password' })
    expect([reply.status, reply.error.code]).to.deep.equal([401, 'invalid_api_key'])
  })

  it('can be replaced by each recovery code once, even for two concurrent sign-ins', async () => {
    const email = 'recovery@example.com'
    const { recovery } = await enrolled(email)
    const [first = '', second = ''] = recovery
    expect((await login(email, { totp: first.toUpperCase() })).status).to.equal(200)
    expect((await login(email, { totp: first })).status).to.equal(401)
    const both = await Promise.all([1, 2].map(() => login(email, { recovery_code: second })))
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 401])
  })

  it('is not active before it is confirmed', async () => {
    const email = 'unconfirmed@example.com'
    const session = await person(email)
    await admin.as(session).post('/v1/auth/totp/enroll')
    const wrong = await admin.as(session).post('/v1/auth/totp/confirm', { code: '000000' })
    expect([wrong.status, wrong.error.param]).to.deep.equal([401, '/code'])
    expect((await login(email)).status).to.equal(200)
  })

  it('can be removed', async () => {
    const email = 'given-up@example.com'
    const { session } = await enrolled(email)
    expect((await admin.as(session).post('/v1/auth/totp/enroll')).status).to.equal(409)
    expect((await admin.as(session).delete('/v1/auth/totp')).body).to.include({
      object: 'totp',
      deleted: true,
    })
    expect((await login(email)).status).to.equal(200)
    expect((await admin.as(session).delete('/v1/auth/totp')).status).to.equal(404)
  })

  it('is only for users with a password', async () => {
    const user = await admin.people.user('without-password@example.com')
    const reply = await admin.as(await admin.people.session(user)).post('/v1/auth/totp/enroll')
    expect([reply.status, reply.error.code]).to.deep.equal([409, 'conflict'])
    expect((await admin.post('/v1/auth/totp/enroll')).status).to.equal(403)
  })

  it('refuses the 21st wrong code in a minute without checking it', async () => {
    const email = 'guessed@example.com'
    const { secret } = await enrolled(email)
    for (let count = 0; count < 20; count += 1) {
      expect((await login(email, { totp: '000000' })).status).to.equal(401)
    }
    const late = await login(email, { totp: codeOf(secret, 1) })
    expect([late.status, late.error.code]).to.deep.equal([429, 'rate_limit_exceeded'])
  })
})
