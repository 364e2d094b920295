/** The first page of the console on a slow network, with an empty cache, in a real browser. */
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { needChromium, openBrowser, testMs } from './browser.ts'
import { furnish } from './furnish.ts'
import { type Measured, measurePage, slow4G, slow4GInDevTools } from './measure-page.ts'

const pages = [
  { title: 'the sign-in page', path: '/console/login', isSignedIn: false },
  { title: 'the overview', path: '/console', isSignedIn: true },
  { title: 'the log', path: '/console/logs', isSignedIn: true },
] as const

/**
 * Bounds for the requests and bytes before the largest content, which do not depend on the machine. On slow 4G a
 * kilobyte takes 5 ms, and a request takes one round trip of 150 ms. The time itself also depends on the processor, so
 * it is printed, not tested.
 */
const bounds = { requestsBeforePaint: 6, kilobytesBeforeLargest: 70 }
const boundNames = Object.keys(bounds) as (keyof typeof bounds)[]
const isWithin = (found: Measured) =>
  boundNames.every((name) => found[name] <= bounds[name]) && found.shifts.length === 0

/**
 * The maximum number of loads, of which the best value of each figure counts. A busy processor paints later, when requests
 * that the paint does not need have also begun or ended. So the page is loaded again, each time with twice the latency: bytes
 * and requests stay the same, and processing takes a smaller part of the time. But with a high latency, the overview shows
 * its lower sections before the height of the upper ones is known, which shifts them.
 */
const mostLoads = 4

const best = (one: Measured, other: Measured): Measured => ({
  ...one,
  requestsBeforePaint: Math.min(one.requestsBeforePaint, other.requestsBeforePaint),
  kilobytesBeforeLargest: Math.min(one.kilobytesBeforeLargest, other.kilobytesBeforeLargest),
  shifts: one.shifts.length <= other.shifts.length ? one.shifts : other.shifts,
})

describe('the first page of the console on slow 4G', function () {
  this.timeout(testMs)
  let gateway: TestGateway
  let browser: Browser
  before(async function () {
    needChromium(this)
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    await furnish(gateway)
    browser = await openBrowser()
  })
  after(async () => {
    await gateway?.stop()
  })

  for (const { title, ...asked } of pages) {
    for (const width of [1440, 390]) {
      it(`needs few requests and kilobytes for its largest content, without layout shifts: ${title}, ${width} px`, async () => {
        const measure = (loads: number) => {
          const network = { ...slow4G, latencyMs: slow4G.latencyMs * 2 ** loads }
          return measurePage(browser, gateway, { ...asked, width, network })
        }
        let found = await measure(0)
        say(title, width, found)
        for (let loads = 1; !isWithin(found) && loads < mostLoads; loads += 1)
          found = best(found, await measure(loads))
        for (const name of boundNames)
          expect(found[name], `${name}: ${found.lcpText}`).to.be.at.most(bounds[name])
        expect(found.shifts).to.deep.equal([])
      })
    }
  }

  if (process.env.CONSOLE_FIGURES === '1')
    for (const { title, ...asked } of pages)
      it(`is measured with the throttling of the browser's developer tools: ${title}`, async () =>
        say(title, 1440, await measurePage(browser, gateway, { ...asked, network: slow4GInDevTools })))
})

/** `CONSOLE_FIGURES=1` prints the figures of the guide. */
function say(title: string, width: number, found: Measured): void {
  if (process.env.CONSOLE_FIGURES !== '1') return
  const { firstPaintMs, lcpMs, requestsBeforePaint, kilobytesBeforeLargest } = found
  console.log(
    `${title}, ${width} px: first paint ${Math.round(firstPaintMs)} ms after ${requestsBeforePaint} requests, largest content ${Math.round(lcpMs)} ms after ${Math.round(kilobytesBeforeLargest)} kB`,
  )
}
