/**
 * `npm run console:shots [FOLDER] [PAGE ...]`: pictures of the console's pages, at three widths, light and dark, empty, in
 * use and with huge data, to look at after a change. They go to FOLDER (default: `shots`), one PNG each.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
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
  ['capacity', '/capacity'],
  ['replays', '/replays'],
  ['new-replay', '/replays/new'],
  ['errors', '/logs?status_code_min=400&group=cause'],
  ...['keys', 'providers', 'configs', 'prompts', 'guardrails', 'policies', 'rate-limits'].map(
    (name) => [name, `/${name}`] as const,
  ),
  ...['workspaces', 'users', 'webhooks', 'exports', 'audit', 'settings'].map(
    (name) => [name, `/${name}`] as const,
  ),
  ...['batches', 'scim', 'mcp-integrations', 'agent-integrations'].map((name) => [name, `/${name}`] as const),
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

/** One page at every width. @param name of the picture, without the width */
async function shootPage(page: Page, url: string, name: string, heading?: string) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await page.goto(url)
    await settled(page, heading)
    // Charts and lists load after the page itself.
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(folder, `${name}-${width}.png`), fullPage: true })
  }
}

async function shoot({ gateway, paths, person }: Shown, state: string, pages: Pages) {
  const url = `${gateway.url}/console`
  const browser = await openBrowser()
  try {
    for (const colorScheme of schemes) {
      const open = () => openPage(browser, { colorScheme, viewport: { width: 1440, height: 900 } })
      const { page } = await open()
      if (isWanted('login') && state !== 'huge')
        await shootPage(page, `${url}/login`, `login-${state}-${colorScheme}`, 'Sign in')
      await signIn(page, gateway)
      for (const [name, path] of [...pages, ...Object.entries(paths)].filter(([name]) => isWanted(name)))
        await shootPage(page, `${url}${path}`, `${name}-${state}-${colorScheme}`)
      await page.context().close()
      if (person === undefined || !isWanted('account-person')) continue
      const { page: own } = await open()
      await own.goto(`${url}/login`)
      await settled(own, 'Sign in')
      await own.getByLabel('E-mail').fill(person.email)
      await own.getByLabel('Password').fill(person.password)
      await own.getByRole('button', { name: 'Sign in', exact: true }).click()
      await settled(own, 'Overview')
      await shootPage(own, `${url}/account`, `account-person-${state}-${colorScheme}`)
      await own.context().close()
    }
  } finally {
    await browser.close()
  }
}

type Pages = readonly (readonly [string, string])[]

interface Shown {
  gateway: TestGateway
  paths: Readonly<Record<string, string>>
  /** Who can sign in with a password. */
  person?: { email: string; password: string }
  stop(): Promise<void>
}

async function openEmpty(): Promise<Shown> {
  const gateway = await startGateway()
  return { gateway, paths: {}, stop: () => gateway.stop() }
}

const scenes: readonly {
  state: string
  pages: Pages
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
    await shoot(scene, state, pages)
  } finally {
    await scene.stop()
  }
}
console.log(`The pictures are in ${folder}.`)
process.exit(0)
