/**
 * Every page of the console: its landmarks for screen readers and tests, axe in both colour schemes, and a width of 390
 * px.
 */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { checkLooks, needChromium, openBrowser, openPage, settled, signIn, testMs } from './browser.ts'
import { furnish } from './furnish.ts'

const signedOut = [
  ['/login', 'Sign in'],
  ['/accept-invite?token=abc', 'Accept invite'],
] as const

describe('every page of the console', function () {
  this.timeout(testMs)
  let gateway: TestGateway
  let browser: Browser
  let page: Page
  let faults: string[]
  before(async function () {
    needChromium(this)
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
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

  /** Waits until data that the page loads in addition to its list has also arrived. */
  async function still(): Promise<void> {
    await page.waitForLoadState('networkidle')
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
  }

  async function checkFrame(title: string, path: string): Promise<void> {
    expect(await page.locator('h1').allTextContents(), path).to.deep.equal([title])
    expect(await page.title(), path).to.include(title)
    expect(await page.locator('main').count(), path).to.equal(1)
    expect(await page.getByRole('alert').allTextContents(), path).to.deep.equal([])
  }

  for (const [path, title] of signedOut) {
    it(`${path} works before a sign-in`, async () => {
      await page.goto(`${gateway.url}/console${path}`)
      await settled(page, title)
      await checkFrame(title, path)
      await checkLooks(page, path)
    })
  }

  it('has its layout and no accessibility violation, and fits a phone', async function () {
    this.timeout(10 * testMs)
    const pages = await furnish(gateway)
    await signIn(page, gateway)
    for (const { path, title, current } of pages) {
      await page.goto(`${gateway.url}/console${path}`)
      await settled(page, title)
      await still()
      await checkFrame(title, path)
      expect(await page.locator('nav a[aria-current="page"]').allTextContents(), path).to.deep.equal(
        current === null ? [] : [current],
      )
      expect(await page.locator('a').first().textContent(), path).to.equal('Skip to content')
      expect(
        await page
          .locator('main table')
          .filter({ hasNot: page.locator('th') })
          .count(),
        path,
      ).to.equal(0)
      await checkLooks(page, path)
    }
  })

  it('shows the link of the current page, on a phone and in a low window', async () => {
    await signIn(page, gateway)
    for (const size of [
      { width: 390, height: 800 },
      { width: 1440, height: 320 },
    ]) {
      await page.setViewportSize(size)
      await page.goto(`${gateway.url}/console/settings`)
      await settled(page, 'Settings')
      const box = await page.locator('nav a[aria-current="page"]').boundingBox()
      if (box === null) throw new Error('The link has no position.')
      expect(box.x, `left at ${size.width} px`).to.be.at.least(0)
      expect(box.x + box.width, `right at ${size.width} px`).to.be.at.most(size.width + 1)
      expect(box.y, `top at ${size.width} px`).to.be.at.least(0)
      expect(box.y + box.height, `bottom at ${size.width} px`).to.be.at.most(size.height + 1)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('skips to its content with the first key press', async () => {
    await signIn(page, gateway)
    await page.reload()
    await settled(page, 'Overview')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).to.equal('main')
  })
})
