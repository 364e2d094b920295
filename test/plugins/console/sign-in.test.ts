/** Signing in as a person, with a second factor that was set up in the console, or through an identity provider. */
import { expect } from 'chai'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { accessibilityFaults, checkLooks, isInvalid, settled } from './browser.ts'
import { maker, put } from './furnish.ts'
import { useConsole } from './suite.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'
const periodMs = 30_000

describe('signing in to the console', function () {
  const suite = useConsole(this, {
    isSignedIn: false,
    async prepare(gateway) {
      const invite = await maker(gateway)('/v1/users/invites', { email, role: 'member' })
      const token = new URL(String(invite.invite_link)).searchParams.get('token')
      await maker(gateway)('/v1/users/invites/accept', { token, first_name: 'Ada', password })
    },
  })
  /** A code of this period. Codes of the periods around the current one are valid, each of them once. */
  const codeOf = (secret: string, period: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + period * periodMs })
  const enter = async (page: Page) => {
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await settled(page, 'Sign in')
  }

  it('supports setting up a second factor, its code, a recovery code, and its removal', async () => {
    const { page } = suite
    await suite.visit('/login', 'Sign in')
    await enter(page)
    await settled(page, 'Overview')
    await page.getByRole('link', { name: email }).click()
    await settled(page, 'Account')
    await page.getByRole('button', { name: 'Set up a second factor' }).click()
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    const secret = await page.getByLabel('Secret').inputValue()
    const codes = await page
      .getByRole('list', { name: 'Recovery codes' })
      .getByRole('listitem')
      .allTextContents()
    expect(codes).to.have.lengthOf(10)
    await checkLooks(page, 'a second factor that is set up')
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('alert').waitFor()
    await isInvalid(page.getByLabel('Code', { exact: true }))
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 0))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('It is on').waitFor()
    await checkLooks(page, 'the account of a person')
    const shown = await page.content()
    for (const text of [secret, ...codes]) expect(shown, 'shown once').not.to.include(text)

    await signOut(page)
    await enter(page)
    await page.getByLabel('Code').fill(codeOf(secret, 1))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await settled(page, 'Account')

    await signOut(page)
    await enter(page)
    await page.getByLabel('Code').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await settled(page, 'Account')
    await page.getByRole('button', { name: 'Remove the second factor' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    // The page shows that it is off before the API has answered.
    await page.getByText('The second factor was removed.').waitFor()
    await page.getByRole('button', { name: 'Set up a second factor' }).waitFor()

    await signOut(page)
    await enter(page)
    await settled(page, 'Account')
  })

  it('reports a wrong password, and signs no one in', async () => {
    const { page } = suite
    await suite.visit('/login', 'Sign in')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await isInvalid(page.getByLabel('Password'))
    expect(new URL(page.url()).pathname).to.equal('/console/login')
  })

  it('offers no second factor for an API key', async () => {
    const { page, gateway } = suite
    await suite.visit('/account', 'Sign in')
    await page.getByLabel('API key').fill('test-admin-key-0123456789')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await settled(page, 'Account')
    await page.getByText('You are signed in with an API key.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'completions write' }).waitFor()
    expect(page.url()).to.equal(`${gateway.url}/console/account`)
  })

  describe('with an identity provider', () => {
    let idp: IdentityProvider
    before(async function () {
      if (suite.gateway === undefined) this.skip()
      const { gateway } = suite
      await gateway.writeConfig({ providers: { echo: { provider: 'echo' } }, public_url: gateway.url })
      await gateway.reload()
      idp = await startIdentityProvider(gateway.url)
      const oidc = { issuer: idp.issuer, client_id: idp.clientId, client_secret: idp.clientSecret }
      await put(gateway, '/v1/organisation', { auth_settings: { oidc } })
    })
    after(() => idp?.close())

    it('signs a person in, and returns to the requested page', async () => {
      const { page, gateway } = suite
      idp.signIn('grace', { email: 'grace@example.com', email_verified: true, given_name: 'Grace' })
      await suite.visit('/logs?status_code=500', 'Sign in')
      await page.getByRole('link', { name: 'Sign in with Default organisation' }).click()
      await settled(page, 'Logs')
      expect(page.url()).to.equal(`${gateway.url}/console/logs?status_code=500`)
      await page.getByRole('link', { name: 'grace@example.com' }).waitFor()
    })

    it('explains why the identity provider refused, and continues to the requested page afterwards', async () => {
      const { page, gateway } = suite
      idp.signIn(null)
      await suite.visit('/logs?status_code=500', 'Sign in')
      await page.getByRole('link', { name: 'Sign in with Default organisation' }).click()
      await page.getByRole('alert').getByText('Your identity provider refused the sign-in.').waitFor()
      await settled(page, 'Sign in')
      expect(await page.content()).not.to.include('Not today')
      expect(await accessibilityFaults(page)).to.deep.equal([])
      idp.signIn('hopper', { email: 'hopper@example.com', email_verified: true })
      await page.getByRole('link', { name: 'Sign in with Default organisation' }).click()
      await settled(page, 'Logs')
      expect(page.url()).to.equal(`${gateway.url}/console/logs?status_code=500`)
    })

    it('shows no text from the URL', async () => {
      const { page } = suite
      await suite.visit('/login?error=Call%20this%20number', 'Sign in')
      await page.getByRole('alert').getByText('The sign-in failed.').waitFor()
      expect(await page.locator('main').textContent()).not.to.include('Call this number')
    })
  })
})
