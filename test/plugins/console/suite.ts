/** Shared by suites of the console: a gateway and a browser, and a separate, signed-in page for each test. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { needChromium, openBrowser, openPage, settled, startSession, testMs } from './browser.ts'

/** For tests that need only the navigation: the overview takes twice as long to load. */
export const pathOfShortPage = '/labels'

interface Options {
  config?: Record<string, unknown>
  /** Creates objects before the first test. */
  prepare?: (gateway: TestGateway) => Promise<unknown>
  /** Default: signed in with the admin key. */
  isSignedIn?: boolean
  /** The path below /console on which each test starts. By default, it starts on a blank page. */
  startsOn?: string
}

export interface ConsoleSuite {
  readonly gateway: TestGateway
  readonly page: Page
  /** Opens a page by clicking its link in the navigation. */
  open(name: string): Promise<void>
  /** Opens an object by clicking its name in a list of the navigation. */
  openObject(list: string, name: string): Promise<void>
  /** Opens a page by its address below /console. */
  visit(path: string, title: string): Promise<void>
}

/**
 * Registers the hooks of a suite. Its tests fail for script errors and for violations of the page's security policy.
 */
export function useConsole(suite: Mocha.Suite, options: Options = {}): ConsoleSuite {
  const { config = { providers: { echo: { provider: 'echo' } } }, prepare } = options
  const { isSignedIn = true, startsOn } = options
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
    await gateway?.stop()
  })
  suite.beforeEach(async () => {
    const opened = await openPage(browser)
    page = opened.page
    faults = opened.faults
    if (isSignedIn) await startSession(page, gateway)
    if (startsOn !== undefined) await visit(startsOn)
  })
  suite.afterEach(async () => {
    await page?.context().close()
    expect(faults).to.deep.equal([])
  })
  const visit = async (path: string, title?: string) => {
    await page.goto(`${gateway.url}/console${path}`)
    await settled(page, title)
  }
  const open = async (name: string) => {
    if (page.url() === 'about:blank') await visit(pathOfShortPage)
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
    visit,
  }
}
