/**
 * Measures how soon a page of the console shows its largest content on a slow network, and which elements move while it
 * loads.
 */
import type { Browser, Page } from 'playwright-core'
import type { TestGateway } from '../../support/gateway.ts'
import { openPage, signIn } from './browser.ts'

/**
 * Slow 4G as defined by Lighthouse: https://github.com/GoogleChrome/lighthouse/blob/main/core/config/constants.js Each
 * request waits for one round trip. Connection setup is not included, because Chromium does not slow it down.
 */
export const slow4G = { latencyMs: 150, downKbps: 1638.4, upKbps: 675 }

/**
 * The values of Lighthouse's throttling in the browser, which multiplies the latency by 3.75 for round trips that it
 * does not see.
 */
export const slow4GInDevTools = { latencyMs: 562.5, downKbps: 1474.56, upKbps: 675 }

export interface Measured {
  firstPaintMs: number
  /** The largest contentful paint. */
  lcpMs: number
  lcpText: string
  /** The number of requests before the first paint, including the page itself. */
  requestsBeforePaint: number
  /** Kilobytes transferred before the largest content, including headers. */
  kilobytesBeforeLargest: number
  /** Layout shifts before any input, each with the elements that moved. */
  shifts: { value: number; moved: string }[]
}

const observe = `
  window.measured = { lcp: null, shifts: [] }
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.measured.lcp = { at: one.startTime, text: (one.element?.textContent ?? '').slice(0, 60) } })
    .observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.measured.shifts.push({ value: one.value, moved: one.sources.map(({ node }) => (node?.className ?? '') + ' ' + (node?.textContent ?? '').slice(0, 40)).join(' | ') }) })
    .observe({ type: 'layout-shift', buffered: true })`

const read = `(() => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity
  const largest = window.measured.lcp?.at ?? Infinity
  const requests = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  return {
    firstPaintMs: paint,
    lcpMs: largest,
    lcpText: window.measured.lcp?.text ?? '',
    requestsBeforePaint: requests.filter((one) => one.startTime < paint).length,
    kilobytesBeforeLargest: requests.reduce((sum, one) => sum + (one.responseEnd <= largest ? one.transferSize : 0), 0) / 1000,
    shifts: window.measured.shifts,
  }
})()`

interface Asked {
  /** The path in the console. */
  path: string
  isSignedIn: boolean
  network: typeof slow4G
  width?: number
}

const bytesPerSecond = (kbps: number) => (kbps * 1024) / 8

async function throttle(page: Page, { latencyMs, downKbps, upKbps }: typeof slow4G): Promise<void> {
  const debuggerSession = await page.context().newCDPSession(page)
  await debuggerSession.send('Network.enable')
  await debuggerSession.send('Network.clearBrowserCache')
  await debuggerSession.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond(downKbps),
    uploadThroughput: bytesPerSecond(upKbps),
  })
}

/** Loads a page with an empty cache, until nothing more is loaded. */
export async function measurePage(browser: Browser, gateway: TestGateway, asked: Asked): Promise<Measured> {
  const { width = 1440 } = asked
  const { page } = await openPage(browser, { viewport: { width, height: width === 390 ? 844 : 900 } })
  try {
    if (asked.isSignedIn) await signIn(page, gateway)
    await page.goto('about:blank')
    await throttle(page, asked.network)
    await page.addInitScript(observe)
    await page.goto(gateway.url + asked.path)
    await page.locator('main[aria-busy="false"]').waitFor()
    await page.waitForLoadState('networkidle')
    return await page.evaluate(read)
  } finally {
    await page.context().close()
  }
}
