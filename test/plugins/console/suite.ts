/** What suites of the console share: a gateway and a browser, and for each test a page of its own that is signed in. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { needChromium, openBrowser, openPage, settled, startSession, testMs } from './browser.ts'

interface Options {
  config?: Record<string, unknown>
  /** Makes what the tests need, before the first of them. */
  prepare?: (gateway: TestGateway) => Promise<unknown>
  /** Default: with the admin key. */
  isSignedIn?: boolean
  /** Each test starts on the overview, instead of on a blank page. */
  startsOnOverview?: boolean
}

export interface ConsoleSuite {
  readonly gateway: TestGateway
  readonly page: Page
  /** By a click on its link in the navigation. */
  open(name: string): Promise<void>
  /** From a list of the navigation, by a click on its name. */
  openObject(list: string, name: string): Promise<void>
  /** By its address, below /console. */
  visit(path: string, title: string): Promise<void>
}

/** Registers the hooks of a suite; its tests fail for an error of a script and for what the page's policy refuses. */
export function useConsole(suite: Mocha.Suite, options: Options = {}): ConsoleSuite {
  const { config = { providers: { echo: { provider: 'echo' } } }, prepare } = options
  const { isSignedIn = true, startsOnOverview = false } = options
  suite.timeout(testMs)
  let gateway: TestGateway
  let browser: Browser
  let page: Page
  let faults: string[] = []
  suite.beforeAll(async function () {
    needChromium(this)
    gateway = await startGateway(config)
    await prepare?.(gateway)
    browser = await openBrowser()
  })
  suite.afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
  })
  suite.beforeEach(async () => {
    const opened = await openPage(browser)
    page = opened.page
    faults = opened.faults
    if (isSignedIn) await startSession(page, gateway)
    if (startsOnOverview) await openOverview()
  })
  suite.afterEach(async () => {
    await page?.context().close()
    expect(faults).to.deep.equal([])
  })
  const openOverview = async () => {
    await page.goto(`${gateway.url}/console`)
    await settled(page)
  }
  const open = async (name: string) => {
    if (page.url() === 'about:blank') await openOverview()
    await page.getByRole('link', { name, exact: true }).click()
    await settled(page, name)
  }
  return {
    get gateway() {
      return gateway
    },
    get page() {
      return page
    },
    open,
    async openObject(list, name) {
      await open(list)
      await page.getByRole('table').getByRole('link', { name, exact: true }).click()
      await settled(page, name)
    },
    async visit(path, title) {
      await page.goto(`${gateway.url}/console${path}`)
      await settled(page, title)
    },
  }
}
