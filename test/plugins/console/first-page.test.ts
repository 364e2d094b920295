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

/** A machine that is busy with something else is slow: the best of these counts. */
const attempts = 6

const most = { lcpMs: 1000, requests: 6 }

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
    await browser?.close()
    await gateway?.stop()
  })

  for (const { title, ...asked } of pages) {
    for (const width of [1440, 390]) {
      it(`shows its largest content within a second, and nothing moves: ${title}, ${width} px`, async () => {
        const found: Measured[] = []
        while (found.length < attempts && !found.some(({ lcpMs }) => lcpMs <= most.lcpMs))
          found.push(await measurePage(browser, gateway, { ...asked, width, network: slow4G }))
        const best = found.reduce((one, other) => (other.lcpMs < one.lcpMs ? other : one))
        say(title, width, best)
        expect(best.lcpMs, best.lcpText).to.be.at.most(most.lcpMs)
        for (const one of found) {
          expect(one.requestsBeforePaint).to.be.at.most(most.requests)
          expect(one.shifts).to.deep.equal([])
        }
      })
    }
  }

  if (process.env.CONSOLE_FIGURES === '1')
    for (const { title, ...asked } of pages)
      it(`is measured with the throttling of the browser's developer tools: ${title}`, async () =>
        say(title, 1440, await measurePage(browser, gateway, { ...asked, network: slow4GInDevTools })))
})

/** `CONSOLE_FIGURES=1` prints the figures of the guide. */
function say(title: string, width: number, { firstPaintMs, lcpMs, requestsBeforePaint }: Measured): void {
  if (process.env.CONSOLE_FIGURES !== '1') return
  console.log(
    `${title}, ${width} px: first paint ${Math.round(firstPaintMs)} ms, LCP ${Math.round(lcpMs)} ms, ${requestsBeforePaint} requests before the first paint`,
  )
}
