/** States of pages that an address alone does not show: open dialogs, errors, refusals, an unreachable gateway. */
import type { Page } from 'playwright-core'
import { checkLooks, openPage, settled, signIn } from './browser.ts'
import { furnish, maker, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

interface State {
  title: string
  /** The path below /console. */
  path: string
  heading: string
  /** Brings the page into the state. */
  reach: (page: Page) => Promise<unknown>
}

const press = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click()
const opened = (name: string, dialog: string) => async (page: Page) => {
  await press(name)(page)
  await page.getByRole('dialog', { name: dialog }).waitFor()
}
/** Goes from the list to an object, then on. */
const objectThen = (name: string, next: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await page.getByRole('table').getByRole('link', { name, exact: true }).click()
  await settled(page, name)
  await next(page)
}

const states: readonly State[] = [
  {
    title: 'the palette with results',
    path: '',
    heading: 'Overview',
    async reach(page) {
      await page.keyboard.press('Control+k')
      await page.getByLabel('Page, object or ID').fill('two ways')
      await page.getByRole('dialog').getByRole('button', { name: 'Two ways' }).waitFor()
    },
  },
  {
    title: 'the palette that found nothing',
    path: '',
    heading: 'Overview',
    async reach(page) {
      await page.keyboard.press('Control+k')
      await page.getByLabel('Page, object or ID').fill('qqqqqqqqqqqq')
      await page.getByText('There is nothing with that name or ID.').waitFor()
    },
  },
  {
    title: 'a new key while it is filled in',
    path: '/keys',
    heading: 'Keys',
    reach: opened('Create key', 'Create an API key'),
  },
  {
    title: 'a new key that is refused',
    path: '/keys',
    heading: 'Keys',
    async reach(page) {
      await opened('Create key', 'Create an API key')(page)
      await page.getByRole('dialog').getByLabel('Expires at').fill('2020-01-31T12:00')
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
  },
  { title: 'the question before a key is revoked', path: '/keys', heading: 'Keys', reach: press('Revoke') },
  {
    title: 'the rotation of a key',
    path: '/keys',
    heading: 'Keys',
    reach: objectThen(titles.keys, opened('Rotate', 'Rotate this key')),
  },
  {
    title: 'the price of a model',
    path: '/providers',
    heading: 'Providers',
    reach: objectThen(titles.providers, async (page) => {
      await page
        .getByRole('button', { name: /^Price of/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
    }),
  },
  {
    title: 'the question before a config is deleted',
    path: '/configs',
    heading: 'Configs',
    reach: objectThen(titles.configs, opened('Delete', 'Delete this config?')),
  },
  {
    title: 'the invitation of a person',
    path: '/users',
    heading: 'Users',
    reach: opened('Invite', 'Invite a person'),
  },
  {
    title: 'a change in the audit log',
    path: '/audit',
    heading: 'Audit',
    async reach(page) {
      await page.getByRole('table', { name: 'Audit' }).getByRole('button').first().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    title: 'a note with a way back',
    path: '/rate-limits',
    heading: 'Rate limits',
    reach: objectThen(titles['rate-limits'], async (page) => {
      await press('Delete')(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
    }),
  },
  {
    title: 'a form whose fields are refused',
    path: '/policies/new',
    heading: 'New usage policy',
    async reach(page) {
      await page.getByLabel('Credit limit').fill('-5')
      await press('Create')(page)
      await page.getByRole('alert').waitFor()
    },
  },
  {
    title: 'an object that is not there',
    path: '/configs/no-such-config',
    heading: 'Configs',
    reach: (page) => page.getByRole('alert').waitFor(),
  },
  {
    title: 'a filter that the API refuses',
    path: '/logs?metadata=no-json',
    heading: 'Logs',
    reach: (page) => page.getByRole('alert').waitFor(),
  },
  {
    title: 'a gateway that is away',
    path: '',
    heading: 'Overview',
    async reach(page) {
      await page.route('**/v1/logs?*', (route) => route.abort())
      await page.getByRole('link', { name: 'Logs', exact: true }).click()
      await page.getByRole('button', { name: 'Retry' }).waitFor()
    },
  },
]

describe('the states of console pages', function () {
  const suite = useConsole(this, { prepare: furnish })

  for (const { title, path, heading, reach } of states) {
    it(`have no accessibility violation in either colour scheme, and fit a phone: ${title}`, async () => {
      const { page } = suite
      await suite.visit(path, heading)
      await reach(page)
      await checkLooks(page, title)
    })
  }

  it('have no accessibility violation, and fit a phone, when the page is not allowed', async () => {
    const { page, gateway } = suite
    const made = await maker(gateway)('/v1/api-keys', {
      name: 'logs alone',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['logs.list'],
    })
    const browser = page.context().browser()
    if (browser === null) throw new Error('The page has no browser.')
    const other = await openPage(browser)
    await signIn(other.page, gateway, { key: String(made.key), path: '/console/keys' })
    await other.page.getByText('You are not allowed to see this page').waitFor()
    await checkLooks(other.page, 'not allowed')
    await other.page.context().close()
  })
})
