/**
 * Behaviour of every page: the return to a page after a sign-in, errors with a retry, dialogs, Back and reload, rights.
 */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { settled, signIn } from './browser.ts'
import { furnish, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

const lists = [
  ['keys', 'Keys', '/v1/api-keys'],
  ['providers', 'Providers', '/v1/providers'],
  ['configs', 'Configs', '/v1/configs'],
  ['prompts', 'Prompts', '/v1/prompts'],
  ['guardrails', 'Guardrails', '/v1/guardrails'],
  ['policies', 'Policies', '/v1/policies/usage-limits'],
  ['rate-limits', 'Rate limits', '/v1/policies/rate-limits'],
  ['workspaces', 'Workspaces', '/v1/workspaces'],
  ['users', 'Users', '/v1/users'],
  ['webhooks', 'Webhooks', '/v1/webhooks'],
  ['exports', 'Exports', '/v1/logs/exports'],
  ['audit', 'Audit', '/v1/audit-logs'],
  ['logs', 'Logs', '/v1/logs'],
] as const

/** Whether a request is the query of the page. The menu lists all workspaces by name. */
const isOfPage = (url: URL, path: string): boolean =>
  url.pathname === path && url.searchParams.get('sort') !== 'name'

/** Answers the next request for a path with 503 and lets later ones through. */
async function failOnce(page: Page, path: string): Promise<void> {
  await page.route(
    (url) => isOfPage(url, path),
    (route) =>
      route.fulfill({
        status: 503,
        json: {
          error: { message: 'The store cannot be reached.', type: 'server_error', code: 'unavailable' },
        },
      }),
    { times: 1 },
  )
}

describe('the shared behaviour of console pages', function () {
  const suite = useConsole(this, { prepare: furnish })

  for (const [path, title, api] of lists) {
    it(`${title}: one query, a table, Retry after a 503, and a return after sign-in`, async () => {
      const { page, gateway } = suite
      await failOnce(page, api)
      const asked: string[] = []
      page.on('request', (request) => {
        if (isOfPage(new URL(request.url()), api)) asked.push(request.url())
      })
      await suite.visit(`/${path}`, title)
      expect(await page.getByRole('alert').textContent()).to.include('The store cannot be reached.')
      await page.getByRole('button', { name: 'Retry' }).click()
      const table = page.getByRole('table', { name: title })
      await table.waitFor()
      expect(await page.getByRole('alert').count()).to.equal(0)
      expect(asked, 'one query, and the retry').to.have.lengthOf(2)
      const first = table.locator('tbody tr').first().locator('td').first()
      expect(await first.locator('a, button').count(), 'the first cell opens the object').to.equal(1)

      const here = `/console/${path}?status=active`
      await page.goto(gateway.url + here)
      await settled(page, title)
      await page.context().clearCookies()
      await page.reload()
      await settled(page, 'Sign in')
      expect(new URL(page.url()).searchParams.get('return_to')).to.equal(here)
    })
  }

  it('includes a navigation that is as high as the longest page and visible at its end', async () => {
    const { page } = suite
    await suite.visit('/settings', 'Settings')
    await page.setViewportSize({ width: 1440, height: 500 })
    const [header, whole] = (await page.evaluate(
      "[document.querySelector('header').getBoundingClientRect().height, document.documentElement.scrollHeight]",
    )) as [number, number]
    expect(whole).to.be.above(500)
    expect(Math.round(header)).to.equal(whole)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    const top = await page.evaluate("document.querySelector('.sidebar').getBoundingClientRect().top")
    // The page's height may be a fraction of a pixel.
    expect(top).to.be.within(-1, 1)
  })

  it('explains why a new sign-in is needed, and returns afterwards', async () => {
    const { page, gateway } = suite
    await suite.open('Keys')
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Configs', exact: true }).click()
    await settled(page, 'Sign in')
    expect(await page.getByRole('alert').textContent()).to.include('Your session has ended.')
    await page.getByLabel('API key').fill('test-admin-key-0123456789')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await settled(page, 'Configs')
    expect(page.url()).to.equal(`${gateway.url}/console/configs`)
  })

  it('keeps the focus in a dialog, closes it on Escape, and restores the focus', async () => {
    const { page } = suite
    await suite.open('Keys')
    const opener = page.getByRole('button', { name: 'Create key' })
    await opener.click()
    const dialog = page.getByRole('dialog', { name: 'Create an API key' })
    await dialog.waitFor()
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let count = 0; count < 20; count += 1) {
        await page.keyboard.press(key)
        const isInside = await page.evaluate('document.activeElement.closest("dialog") !== null')
        expect(isInside, `${count + 1} times ${key}`).to.equal(true)
      }
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await opener.evaluate((element) => element === element.ownerDocument.activeElement)).to.equal(true)
  })

  it('keeps search, status and page after Back and reload', async () => {
    const { page } = suite
    await suite.open('Configs')
    await page.getByLabel('Status').selectOption('archived')
    await page.waitForURL(/status=archived/)
    await page.getByText('There is no config yet.').waitFor()
    await page.reload()
    await settled(page, 'Configs')
    expect(await page.getByLabel('Status').inputValue()).to.equal('archived')
    await page.goBack()
    await page.getByRole('link', { name: titles.configs, exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('two')
    await page.waitForURL(/search=two/)
    await page.reload()
    await settled(page, 'Configs')
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).to.equal('two')
  })

  for (const [title, statuses] of [
    ['Keys', ['Active', 'Exhausted', 'Expired', 'Archived']],
    ['Configs', ['Active', 'Archived']],
    ['Users', ['Active', 'Deactivated', 'Archived']],
    ['Exports', []],
  ] as const) {
    it(`${title}: filters by the statuses that the API has`, async () => {
      const { page } = suite
      await suite.open(title)
      const options = page.getByLabel('Status', { exact: true }).getByRole('option')
      const found = await options.allTextContents()
      expect(found.slice(1)).to.deep.equal(statuses)
      for (const status of statuses) {
        await page.getByLabel('Status', { exact: true }).selectOption(status)
        await page.waitForURL(/status=/)
        await settled(page, title)
        expect(await page.getByRole('alert').count(), status).to.equal(0)
      }
    })
  }

  it('marks rows from the config file with "file", and lets no one save them', async () => {
    const { page } = suite
    await suite.open('Providers')
    const row = page.getByRole('row', { name: /echo/ })
    await row.getByRole('cell', { name: 'file', exact: true }).waitFor()
    await row.getByRole('link').first().click()
    await settled(page, 'echo')
    await page.getByText('The config file declares this provider').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(0)
  })

  it('includes a name and a table for every chart', async () => {
    const { page } = suite
    await suite.visit('', 'Overview')
    const figures = page.getByRole('figure')
    await figures.nth(5).waitFor()
    for (const figure of await figures.all()) {
      expect(await figure.getAttribute('aria-labelledby')).not.to.equal(null)
      await figure.locator('table').first().waitFor({ state: 'attached' })
    }
  })

  it('asks for confirmation before a key is revoked, from its list in three clicks', async () => {
    const { page, gateway } = suite
    await gateway.post('/v1/api-keys', {
      name: 'to revoke',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['completions.write'],
    })
    await suite.open('Keys')
    await page
      .getByRole('row', { name: /to revoke/ })
      .getByRole('button', { name: 'Revoke' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('link', { name: 'to revoke' }).waitFor({ state: 'detached' })
  })

  it('refuses a page without the permission, whatever URL is entered', async () => {
    const { page, gateway } = suite
    const made = await gateway.post('/v1/api-keys', {
      name: 'models only',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['models.list'],
    })
    const { key } = (await made.json()) as { key: string }
    await page.context().clearCookies()
    await signIn(page, gateway, { key })
    for (const [path, title] of lists) {
      await suite.visit(`/${path}`, title)
      expect(await page.getByRole('alert').textContent(), path).to.include('not allowed')
      expect(await page.getByRole('link', { name: title, exact: true }).count(), path).to.equal(0)
    }
  })
})
