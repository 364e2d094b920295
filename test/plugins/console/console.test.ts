/** The console in a browser, operated through its accessible names. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import {
  accessibilityFaults,
  isInvalid,
  needChromium,
  openBrowser,
  openPage,
  settled,
  signIn,
  testMs,
} from './browser.ts'
import { firstOf } from './furnish.ts'

const pages = [
  ['', 'Overview'],
  ['/logs', 'Logs'],
  ['/analytics', 'Analytics'],
  ['/playground', 'Playground'],
  ['/keys', 'Keys'],
  ['/providers', 'Providers'],
  ['/providers/new', 'New provider'],
  ['/configs', 'Configs'],
  ['/configs/new', 'New config'],
  ['/guardrails', 'Guardrails'],
  ['/guardrails/new', 'New guardrail'],
  ['/policies', 'Policies'],
  ['/workspaces', 'Workspaces'],
  ['/workspaces/default', 'Default'],
  ['/users', 'Users'],
  ['/exports', 'Exports'],
  ['/audit', 'Audit'],
  ['/settings', 'Settings'],
] as const

describe('the console in a browser', function () {
  this.timeout(testMs)
  let gateway: TestGateway
  let browser: Browser
  let page: Page
  let faults: string[]
  before(async function () {
    needChromium(this)
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    await gateway.post('/v1/chat/completions', { ...chat('hello from the test'), model: '@echo/any' })
    browser = await openBrowser()
  })
  after(async () => {
    await gateway?.stop()
  })
  beforeEach(async () => {
    const opened = await openPage(browser)
    page = opened.page
    faults = opened.faults
  })
  afterEach(async () => {
    await page?.context().close()
    expect(faults).to.deep.equal([])
  })

  it('asks for a sign-in, returns to the requested page, and signs out', async () => {
    await page.goto(`${gateway.url}/console/logs?status_code=500`)
    await settled(page, 'Sign in')
    expect(new URL(page.url()).searchParams.get('return_to')).to.equal('/console/logs?status_code=500')
    await page.getByLabel('API key').fill('wrong')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('API key').fill('test-admin-key-0123456789')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await settled(page, 'Logs')
    expect(page.url()).to.equal(`${gateway.url}/console/logs?status_code=500`)
    expect(await page.getByLabel('Status').inputValue()).to.equal('500')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await settled(page, 'Sign in')
  })

  it('stores neither key nor token in storage, URL or document', async () => {
    await signIn(page, gateway)
    const kept = await page.evaluate(
      'JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.documentElement.outerHTML + location.href',
    )
    expect(kept).not.to.include('test-admin-key')
    expect(kept).not.to.match(/gws_|csrf/)
  })

  it('opens the overview when return_to is a foreign URL', async () => {
    for (const path of ['https://example.com/', '//example.com/console', '/v1/logs', '/console/../docs']) {
      await page.context().clearCookies()
      await signIn(page, gateway, { path: `/console/login?return_to=${encodeURIComponent(path)}` })
      expect(page.url(), path).to.equal(`${gateway.url}/console`)
    }
  })

  it('creates a key in three clicks, shows it once, rotates and revokes it', async () => {
    await signIn(page, gateway)
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('for-the-shop')
    await dialog.getByLabel('Workspace').selectOption('default')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    const key = await page.getByLabel('Your key').inputValue()
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).to.equal(200)
    await page.keyboard.press('Escape')
    await page.getByLabel('Your key').waitFor({ state: 'detached' })
    expect(await page.content()).not.to.include(key)
    await page.getByRole('link', { name: 'for-the-shop' }).click()
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    expect(await page.getByLabel('Your key').inputValue()).not.to.equal(key)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page
      .getByRole('row', { name: /for-the-shop/ })
      .getByRole('button', { name: 'Revoke' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('link', { name: 'for-the-shop' }).waitFor({ state: 'detached' })
    // The list is shown without the key before the API has answered.
    await page.getByText('for-the-shop was revoked.').waitFor()
    const refused = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect(refused.status).to.equal(401)
  })

  it('marks errors of a config at their lines, and saves it once they are fixed', async () => {
    await signIn(page, gateway, { path: '/console/configs/new' })
    await page.getByLabel('Name').fill('with-faults')
    await page.getByLabel('Workspace').selectOption('default')
    await page.getByLabel('Config', { exact: true }).fill('{\n  "retry": {\n    "attempts": "many"\n  }\n}')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await isInvalid(page.getByLabel('Config', { exact: true }))
    await page.getByRole('button', { name: 'Line 3' }).first().waitFor()
    await page.getByLabel('Config', { exact: true }).fill('{"retry": {"attempts": 2}}')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'with-faults')
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('The config is valid.').waitFor()
  })

  it('streams an answer in the playground, and finds it in the logs', async () => {
    await signIn(page, gateway)
    await page.getByRole('link', { name: 'Playground' }).click()
    await settled(page, 'Playground')
    await page.getByLabel('Model').fill('@echo/any')
    await page.getByLabel('Message').fill('hello <b>there</b>')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('hello <b>there</b>').waitFor()
    // The entry is written after the answer.
    await firstOf(gateway, '/v1/logs?search=there')
    await page.getByRole('link', { name: 'Logs', exact: true }).click()
    await settled(page, 'Logs')
    await page.getByRole('table').getByRole('link').first().click()
    await settled(page, 'Log entry')
    await page.getByRole('list', { name: 'Conversation' }).getByText('hello <b>there</b>').first().waitFor()
  })

  it('shows "not allowed" when a key lacks the permission, and hides the link', async () => {
    const made = await gateway.post('/v1/api-keys', {
      name: 'logs-only',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['logs.list', 'logs.view'],
    })
    const { key } = (await made.json()) as { key: string }
    await signIn(page, gateway, { key, path: '/console/keys' })
    await settled(page, 'Keys')
    expect(await page.getByRole('alert').textContent()).to.include('not allowed')
    expect(await page.getByRole('link', { name: 'Keys', exact: true }).count()).to.equal(0)
    await page.getByRole('link', { name: 'Logs', exact: true }).click()
    await settled(page, 'Logs')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no accessibility violation on any page of a new gateway, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme })
      await signIn(page, gateway)
      for (const [path, title] of pages) {
        await page.goto(`${gateway.url}/console${path}`)
        await settled(page, title)
        expect(await accessibilityFaults(page), path).to.deep.equal([])
        expect(await page.title(), path).to.include(title)
        expect(await page.getByRole('alert').allTextContents(), path).to.deep.equal([])
      }
    })
  }
})
