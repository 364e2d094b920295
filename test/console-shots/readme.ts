/**
 * `node test/dist/console-shots/readme.js`: renews the pictures of the README and the console's guide. They are WebP,
 * which only the browser can write here.
 * https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-captureScreenshot
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser, openPage, settled, signIn } from '../plugins/console/browser.ts'
import { openScene } from './scene.ts'

const folder = join(import.meta.dirname, '../../../docs/images')
const viewport = { width: 1440, height: 1200 }
const quality = 80

const scene = await openScene()
const browser = await openBrowser()
const { page } = await openPage(browser, { colorScheme: 'light', viewport })
await signIn(page, scene.gateway)
const session = await page.context().newCDPSession(page)
for (const [name, path] of [
  ['overview', ''],
  ['config', scene.paths.config],
  ['log', scene.paths.log],
] as const) {
  await page.goto(`${scene.gateway.url}/console${path}`)
  await settled(page)
  await page.waitForLoadState('networkidle')
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
  await writeFile(join(folder, `console-${name}.webp`), Buffer.from(data, 'base64'))
}
await browser.close()
await scene.stop()
process.exit(0)
