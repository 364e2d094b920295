/** Hot reload of `npm run console:dev` misses no change of a file, and replaces styles in place. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { needChromium, openBrowser, openPage, testMs } from './browser.ts'

interface DevFiles {
  readonly version: string
  built(outputs: readonly { path: string; contents: string }[]): void
  send(name: string, response: ServerResponse): void
  listen(known: string, response: ServerResponse): void
}

const consoleFolder = new URL('../../../../plugins/console/', import.meta.url)

/** A script that shows a text and listens like the console's page. */
async function scriptOf(text: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { listen } from './dev-reload.js'
        document.body.append(${JSON.stringify(text)})
        listen('/events', import.meta.url)`,
      resolveDir: consoleFolder.pathname,
    },
    bundle: true,
    format: 'esm',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

describe('hot reload of the console', function () {
  this.timeout(testMs)
  let files: DevFiles
  let server: Server
  let browser: Browser
  let page: Page
  let url: string
  const put = async (text: string, color = 'rgb(1, 1, 1)') =>
    files.built([
      { path: '/out/script.js', contents: await scriptOf(text) },
      { path: '/out/style.css', contents: `body { color: ${color} }` },
    ])
  before(async function () {
    needChromium(this)
    const { devFiles } = (await import(new URL('dev-files.js', consoleFolder).href)) as {
      devFiles: () => DevFiles
    }
    files = devFiles()
    server = createServer((request, response) => {
      const [path = '', query = ''] = (request.url ?? '').split('?', 2)
      if (path === '/events') files.listen(String(request.headers['last-event-id'] ?? query), response)
      else if (path !== '/') files.send(path.slice(1), response)
      else {
        response.setHeader('content-type', 'text/html')
        response.end(
          `<link rel="stylesheet" href="/style.css"><input><body></body>
          <script type="module" src="/script.js?${files.version}"></script>`,
        )
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    browser = await openBrowser()
  })
  after(async () => {
    server?.closeAllConnections()
    server?.close()
  })
  beforeEach(async () => {
    await put('one')
    ;({ page } = await openPage(browser))
  })
  afterEach(() => page?.context().close())

  /** Opens the page and waits until it listens. */
  async function openListening(): Promise<void> {
    const listening = page.waitForResponse((response) => response.url().includes('/events'))
    await page.goto(url)
    await listening
    await page.getByText('one').waitFor()
  }

  /** Holds the first request for an address until it is released. */
  async function hold(address: string) {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(
      address,
      async (route) => {
        await released
        await route.continue()
      },
      { times: 1 },
    )
    return { asked: page.waitForRequest(address), release }
  }

  it('loads the page again after a change', async () => {
    await openListening()
    await put('two')
    await page.getByText('two').waitFor()
  })

  it('loads the page again after a change between its script and its first event', async () => {
    const events = await hold('**/events?*')
    await page.goto(url)
    await events.asked
    await page.getByText('one').waitFor()
    await put('two')
    events.release()
    await page.getByText('two').waitFor()
  })

  it('shows the newest build after a change between the page and its script', async () => {
    const script = await hold('**/script.js?*')
    await page.goto(url, { waitUntil: 'commit' })
    await script.asked
    await put('two')
    const listening = page.waitForRequest(`**/events?${files.version}`)
    script.release()
    await listening
    await page.getByText('two').waitFor()
  })

  it('replaces styles in place, and keeps typed text', async () => {
    await openListening()
    await page.locator('input').fill('typed')
    await put('one', 'rgb(2, 2, 2)')
    await page.waitForFunction("getComputedStyle(document.body).color === 'rgb(2, 2, 2)'")
    await page.waitForFunction("document.querySelector('input').value === 'typed'")
  })
})
