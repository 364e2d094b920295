/** Opens pages in Debian's Chromium for a gateway of the test, signed in or not, and checks them with axe. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { closeAtEnd } from '../../support/at-end.ts'
import { adminKey, type TestGateway } from '../../support/gateway.ts'

/** The headless shell is preferred, because it needs less than half of the CPU time of the full browser. */
const executables = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const executablePath = executables.find(existsSync)

export const isChromiumInstalled = executablePath !== undefined

/** Skips the suite with a message if Chromium is not installed. */
export function needChromium(context: Mocha.Context): void {
  if (executablePath !== undefined) return
  console.log(`left out: tests in a browser, because there is no ${executables.join(' and no ')}`)
  context.skip()
}

/** With eight busy processes on two cores, a sign-in has taken two minutes. */
const waitMs = 300_000

/** The timeout of a test that waits for a page. */
export const testMs = 2 * waitMs

let browser: Promise<Browser> | null = null

/**
 * Opens the browser that all files of a test process share, because opening one costs more than loading a page. Tests
 * close their contexts.
 */
export function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(`There is no ${executables.join(' and no ')}.`)
  if (browser === null) {
    browser = chromium.launch({ executablePath, args: ['--no-sandbox'] })
    closeAtEnd(async () => (await browser)?.close())
  }
  return browser
}

export interface Opened {
  page: Page
  /** Script errors, and requests that the content security policy refused. */
  faults: string[]
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  // The timeout is for events that never happen, because a busy machine is slow.
  context.setDefaultTimeout(waitMs)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text())
  })
  return { page, faults }
}

/** Waits until the page has loaded its data. */
export async function settled(page: Page, title?: string): Promise<void> {
  if (title !== undefined) await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  await page.locator('main[aria-busy="false"]').waitFor()
}

export async function signIn(
  page: Page,
  gateway: TestGateway,
  { key = adminKey, path = '/console' }: { key?: string; path?: string } = {},
) {
  await page.goto(gateway.url + path)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
  await settled(page)
}

/** Signs in like the form of the console, but without loading a page. */
export async function startSession(page: Page, gateway: TestGateway, key = adminKey): Promise<void> {
  const login = `${gateway.url}/v1/auth/login`
  const response = await page.context().request.post(login, { data: { api_key: key } })
  expect(response.status(), await response.text()).to.equal(200)
}

/**
 * Counts clicks of the pointer. A click that a label forwards to its field has no screen position and is not counted.
 */
const counter =
  'addEventListener("click", (event) => { if (event.isTrusted && event.detail > 0) window.clicks += 1 }, true); window.clicks = 0'

/** @returns a function that returns the number of clicks since, on pages that are not reloaded */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(counter)
  return () => page.evaluate('window.clicks')
}

/** Expands the bodies and headers of a log entry. */
export async function openRaw(page: Page): Promise<void> {
  const raw = page.locator('details.raw')
  if ((await raw.getAttribute('open')) === null) await raw.locator('summary').first().click()
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const everyRule = ['wcag2a', 'wcag2aa']
/** The rules of WCAG 2 A and AA whose result depends on colours. */
const rulesOfColours = ['color-contrast', 'link-in-text-block']

/**
 * Violations of WCAG 2 A and AA, one per line. Axe runs through the debugger, so the page's security policy stays
 * active.
 */
export async function accessibilityFaults(
  page: Page,
  rules: readonly string[] = everyRule,
): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource)
  return page.evaluate(async (runOnly) => {
    interface Result {
      violations: { id: string; nodes: { html: string }[] }[]
    }
    const { axe } = globalThis as typeof globalThis & { axe: { run(options: object): Promise<Result> } }
    const { violations } = await axe.run({
      runOnly,
      // Otherwise, axe would also describe each element without a violation.
      resultTypes: ['violations'],
    })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
    )
  }, rules)
}

/**
 * Checks that axe finds no violation in either colour scheme, which differ in colours only, and that the page fits a phone.
 */
export async function checkLooks(page: Page, what: string): Promise<void> {
  expect(await accessibilityFaults(page), `${what}, light`).to.deep.equal([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await accessibilityFaults(page, rulesOfColours), `${what}, dark`).to.deep.equal([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth'), what).to.be.at.most(390)
  expect(await accessibilityFaults(page), `${what}, 390 px`).to.deep.equal([])
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Waits until the field is marked as invalid. An editor is marked slightly later than the page shows the error. */
export const isInvalid = (field: Locator): Promise<void> =>
  field.and(field.page().locator('[aria-invalid="true"]')).waitFor()
