/** The API reference in a browser at two widths: its policy holds, search, code samples and "Try it out" work. */
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { needChromium, openBrowser, openPage } from '../console/browser.ts'

describe('the API reference in a browser', () => {
  let gateway: TestGateway
  let browser: Browser
  before(async function () {
    needChromium(this)
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    browser = await openBrowser()
  })
  after(async () => {
    await gateway?.stop()
  })

  for (const width of [1440, 390]) {
    it(`finds an operation, shows its code, and sends a request, at ${width} pixels`, async () => {
      const { page, faults } = await openPage(browser, { viewport: { width, height: 900 } })
      const elsewhere: string[] = []
      page.on('request', (request) => {
        if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(gateway.url))
          elsewhere.push(request.url())
      })
      await page.goto(`${gateway.url}/docs/reference`)
      await page.getByLabel('Search operations').fill('post chat completions')
      await page.locator('.opblock').first().waitFor()
      await page.locator('.opblock').nth(1).waitFor({ state: 'detached' })
      await page.locator('.opblock-summary-control').click()

      const code = page.locator('.code-samples pre')
      await code.waitFor()
      expect(await code.innerText()).to.include(`curl -X POST '${gateway.url}/v1/chat/completions'`)
      await page.getByRole('button', { name: 'Python' }).click()
      await code.filter({ hasText: 'requests.request(' }).waitFor()

      await page.getByRole('button', { name: 'Authorize' }).click()
      await page.locator('.auth-container input').first().fill(adminKey)
      await page.locator('.auth-btn-wrapper').first().getByRole('button', { name: 'Apply' }).click()
      await page.getByRole('button', { name: 'Close' }).first().click()
      await page.getByRole('button', { name: 'Try it out' }).click()
      await page.getByRole('button', { name: 'Execute' }).click()
      const status = page.locator('.live-responses-table .response-col_status').last()
      await status.filter({ hasText: '200' }).waitFor()
      await page.locator('.live-responses-table').filter({ hasText: 'chat.completion' }).waitFor()

      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width)
      await page.getByLabel('Search operations').fill('no such operation')
      await page.getByText('No operation matches the search.').waitFor()

      expect(elsewhere).to.deep.equal([])
      expect(faults).to.deep.equal([])
      await page.context().close()
    })
  }
})
