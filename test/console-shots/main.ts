/**
 * `npm run console:shots [FOLDER] [PAGE ...]`: pictures of the console's pages, at three widths, light and dark, empty, in
 * use and with huge data, to look at after a change. They go to FOLDER (default: `shots`), one PNG each.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser, openPage, settled, signIn } from '../plugins/console/browser.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { openHugeScene } from './huge-scene.ts'
import { openScene } from './scene.ts'

const widths = [1440, 1024, 390] as const
const schemes = ['light', 'dark'] as const

const lists = [
  ['overview', ''],
  ['logs', '/logs'],
  ['analytics', '/analytics'],
  ['playground', '/playground'],
  ...['keys', 'providers', 'configs', 'prompts', 'guardrails', 'policies', 'rate-limits'].map(
    (name) => [name, `/${name}`] as const,
  ),
  ...['workspaces', 'users', 'webhooks', 'exports', 'audit', 'settings'].map(
    (name) => [name, `/${name}`] as const,
  ),
  ['new-provider', '/providers/new'],
  ['new-config', '/configs/new'],
  ['new-policy', '/policies/new'],
  ['new-export', '/exports/new'],
  ['create-key', '/keys?create=1'],
  ['account', '/account'],
] as const

const hugeLists = [
  ['huge-keys', '/keys'],
  ['huge-logs', '/logs?range=all'],
] as const

const [folder = 'shots', ...wanted] = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

async function shoot(gateway: TestGateway, state: string, pages: readonly (readonly [string, string])[]) {
  const browser = await openBrowser()
  try {
    for (const colorScheme of schemes) {
      const { page } = await openPage(browser, { colorScheme, viewport: { width: 1440, height: 900 } })
      if (isWanted('login')) {
        await page.goto(`${gateway.url}/console/login`)
        await settled(page, 'Sign in')
        await page.screenshot({ path: join(folder, `login-${state}-${colorScheme}.png`) })
      }
      await signIn(page, gateway)
      for (const [name, path] of pages.filter(([name]) => isWanted(name))) {
        for (const width of widths) {
          await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
          await page.goto(`${gateway.url}/console${path}`)
          await settled(page)
          // Charts and lists of a page load beside it.
          await page.waitForLoadState('networkidle')
          await page.screenshot({
            path: join(folder, `${name}-${state}-${colorScheme}-${width}.png`),
            fullPage: true,
          })
        }
      }
      await page.context().close()
    }
  } finally {
    await browser.close()
  }
}

interface Shown {
  gateway: TestGateway
  paths: Readonly<Record<string, string>>
  stop(): Promise<void>
}

async function openEmpty(): Promise<Shown> {
  const gateway = await startGateway()
  return { gateway, paths: {}, stop: () => gateway.stop() }
}

const scenes: readonly {
  state: string
  pages: typeof lists | typeof hugeLists
  open: () => Promise<Shown>
}[] = [
  { state: 'empty', pages: lists, open: openEmpty },
  { state: 'used', pages: lists, open: openScene },
  { state: 'huge', pages: hugeLists, open: openHugeScene },
]

/** The pages of the largest scene have names of their own. */
const isOfScene = (name: string, state: string) => name.startsWith('huge-') === (state === 'huge')

await mkdir(folder, { recursive: true })
for (const { state, pages, open } of scenes) {
  if (wanted.length > 0 && !wanted.some((name) => isOfScene(name, state))) continue
  const scene = await open()
  try {
    await shoot(scene.gateway, state, [...pages, ...Object.entries(scene.paths)])
  } finally {
    await scene.stop()
  }
}
console.log(`The pictures are in ${folder}.`)
process.exit(0)
