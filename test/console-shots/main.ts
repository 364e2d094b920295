/**
 * `npm run console:shots [FOLDER] [PAGE ...]`: takes screenshots of the console's pages for a review after changes: at
 * three widths, light and dark, empty, in use, with huge data, while they load (`slow`) and when the API fails
 * (`failing`). Each is a PNG in FOLDER (default: `shots`). `SHOTS_STATES=slow,failing` takes only those states.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
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
  ['spending', '/spending'],
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
  ...['batches', 'scim', 'mcp-integrations', 'mcp-servers', 'agent-integrations', 'agent-servers'].map(
    (name) => [name, `/${name}`] as const,
  ),
  ...['partials', 'labels', 'collections', 'secret-references'].map((name) => [name, `/${name}`] as const),
  ['new-prompt', '/prompts/new'],
  ['new-guardrail', '/guardrails/new'],
  ['not-found', '/kyes'],
  ['new-provider', '/providers/new'],
  ['new-config', '/configs/new'],
  ['new-policy', '/policies/new'],
  ['new-export', '/exports/new'],
  ['create-key', '/keys?create=1'],
  ['account', '/account'],
  ['gallery', '/gallery'],
] as const

const hugeLists = [
  ['huge-keys', '/keys'],
  ['huge-logs', '/logs?range=all'],
] as const

const [folder = 'shots', ...wanted] = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

interface ShootPageOptions {
  url: string
  name: string
  heading?: string
}

/** Takes one page at every width. @param name name of the picture without the width */
async function shootPage(page: Page, { url, name, heading }: ShootPageOptions) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await page.goto(url)
    await settled(page, heading)
    // Charts and lists load after the page itself.
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(folder, `${name}-${width}.png`), fullPage: true })
  }
}

/** Handlers for all requests of a page except the one for its session. */
const troubles = {
  slow: async () => undefined,
  failing: (route: Route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({
        error: {
          message: 'The store cannot be reached. Retry in a moment.',
          type: 'server_error',
          code: 'store_unavailable',
        },
      }),
    }),
} satisfies Record<string, (route: Route) => Promise<void>>

type Trouble = keyof typeof troubles

const isTrouble = (state: string): state is Trouble => Object.hasOwn(troubles, state)

/** Like `shootPage`, for a page whose data never arrives. */
async function shootTrouble(page: Page, { url, name }: Pick<ShootPageOptions, 'url' | 'name'>) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await page.goto(url)
    await page.locator('.shell main h1').waitFor()
    await page.waitForTimeout(300)
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
      if (isWanted('login') && ['empty', 'used'].includes(state))
        await shootPage(page, {
          url: `${url}/login`,
          name: `login-${state}-${colorScheme}`,
          heading: 'Sign in',
        })
      await signIn(page, gateway)
      if (isTrouble(state)) await page.route(/\/v1\/(?!auth\/)/, troubles[state])
      const shootOne = isTrouble(state) ? shootTrouble : shootPage
      for (const [name, path] of [...pages, ...Object.entries(paths)].filter(([name]) => isWanted(name)))
        await shootOne(page, { url: `${url}${path}`, name: `${name}-${state}-${colorScheme}` })
      await page.context().close()
      if (isTrouble(state) || person === undefined || !isWanted('account-person')) continue
      const { page: own } = await open()
      await own.goto(`${url}/login`)
      await settled(own, 'Sign in')
      await own.getByLabel('E-mail').fill(person.email)
      await own.getByLabel('Password').fill(person.password)
      await own.getByRole('button', { name: 'Sign in', exact: true }).click()
      await settled(own, 'Overview')
      await shootPage(own, { url: `${url}/account`, name: `account-person-${state}-${colorScheme}` })
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
  /** A person who can sign in with a password. */
  person?: { email: string; password: string }
  stop(): Promise<void>
}

async function openEmpty(): Promise<Shown> {
  const gateway = await startGateway()
  return { gateway, paths: {}, stop: () => gateway.stop() }
}

const scenes: readonly {
  states: readonly string[]
  pages: Pages
  open: () => Promise<Shown>
}[] = [
  { states: ['empty'], pages: lists, open: openEmpty },
  { states: ['used', 'slow', 'failing'], pages: lists, open: openScene },
  { states: ['huge'], pages: hugeLists, open: openHugeScene },
]

const wantedStates = process.env.SHOTS_STATES?.split(',') ?? scenes.flatMap(({ states }) => states)

/** Pages of the largest scene have separate names. */
const isOfScene = (name: string, states: readonly string[]) =>
  name.startsWith('huge-') === states.includes('huge')

await mkdir(folder, { recursive: true })
for (const { states, pages, open } of scenes) {
  const taken = states.filter((state) => wantedStates.includes(state))
  if (taken.length === 0) continue
  if (wanted.length > 0 && !wanted.some((name) => isOfScene(name, states))) continue
  const scene = await open()
  try {
    for (const state of taken) await shoot(scene, state, pages)
  } finally {
    await scene.stop()
  }
}
console.log(`The pictures are in ${folder}.`)
process.exit(0)
