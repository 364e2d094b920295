/**
 * The changes that the console shows before the gateway has answered: how each one is made, and what the page then
 * shows.
 */
import type { Locator, Page } from 'playwright-core'
import { adminKey, type TestGateway } from '../../support/gateway.ts'
import { settled } from './browser.ts'
import { firstOf, furnish, maker, put, titles } from './furnish.ts'

export interface Change {
  title: string
  /** Opens a page below /console with this heading. */
  open: (gateway: TestGateway) => Promise<readonly [path: string, heading: string]>
  /** Makes the change. */
  make: (page: Page) => Promise<unknown>
  /** An element that shows the change, and its text with and without the change. */
  shown: (page: Page) => Locator
  hidden: (page: Page) => Locator
  /** The beginning of the message after a refusal. */
  refused: string
  /** The notice after the change. It contains `Undo` if the change can be undone. */
  done: string
  isUndone: boolean
  /** Whether a refusal reopens the form with the entered values. */
  isDialog?: boolean
}

const own = { workspace_id: 'default' }
const password = 'correct horse battery'
const member = 'ada@example.com'
const group = 'Engineers'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const rowOf = (page: Page, table: string, text: string | RegExp) =>
  page.getByRole('table', { name: table, exact: true }).getByRole('row', { name: text })
/** The table may have no rows, but must be visible. */
const goneFrom = (page: Page, table: string, text: string) =>
  page.getByRole('region', { name: table, exact: true }).filter({ hasNotText: text })
interface OneOptions {
  api: string
  path: string
  heading: string
}

const one = async (gateway: TestGateway, { api, path, heading }: OneOptions) =>
  [`/${path}/${String((await firstOf(gateway, api)).id)}`, heading] as const

/** Creates the objects that the changes need. */
export async function prepare(gateway: TestGateway): Promise<void> {
  await furnish(gateway)
  const make = maker(gateway)
  const template = (text: string) => JSON.stringify([{ role: 'user', content: text }])
  const prompt = { ...own, name: 'Ode', slug: 'ode', model: '@echo/any', parameters: {} }
  await make('/v1/prompts', { ...prompt, string: template('One') })
  await put(gateway, '/v1/prompts/ode', { patch: true, string: template('Two') })
  await make('/v1/users/invites', { email: 'grace@example.com', role: 'member' })
  await make('/v1/workspaces/default/users', { users: [{ email: member, role: 'manager' }] })
  await make('/v1/auth/login', { email: member, password })
  await make('/v1/configs', { ...own, name: 'Spare config', config: { retry: { attempts: 1 } } })
  await make('/v1/configs', { ...own, name: 'Rolled', slug: 'rolled', config: { retry: { attempts: 1 } } })
  await put(gateway, '/v1/configs/rolled', { config: { retry: { attempts: 3 } } })
  const { token } = await make('/v1/scim/tokens', { name: 'Directory' })
  const made = await fetch(`${gateway.url}/v1/scim/v2/Groups`, {
    method: 'POST',
    headers: { 'content-type': 'application/scim+json', authorization: `Bearer ${String(token)}` },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: group,
    }),
  })
  if (!made.ok) throw new Error(await made.text())
  const file = new FormData()
  file.set('purpose', 'batch')
  file.set('file', new Blob(['{}\n']), 'requests.jsonl')
  const headers = { 'x-gateway-api-key': adminKey }
  const uploaded = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: file })
  if (!uploaded.ok) throw new Error(await uploaded.text())
}

export const changes: readonly Change[] = [
  {
    title: 'a model that is turned off',
    open: (gateway) =>
      one(gateway, { api: '/v1/providers?search=main', path: 'providers', heading: titles.providers }),
    make: (page) =>
      page
        .getByRole('checkbox', { name: /is on$/ })
        .first()
        .click(),
    shown: (page) => page.getByRole('checkbox', { name: /is on$/, checked: false }).first(),
    hidden: (page) =>
      page
        .getByRole('checkbox', { name: /is on$/ })
        .first()
        .and(page.locator(':checked')),
    refused: 'was not turned off:',
    done: 'was turned off.',
    isUndone: true,
  },
  {
    title: 'the price of a model',
    open: (gateway) =>
      one(gateway, { api: '/v1/providers?search=main', path: 'providers', heading: titles.providers }),
    async make(page) {
      await page
        .getByRole('button', { name: /^Price of/ })
        .first()
        .click()
      await page.getByRole('dialog').getByLabel('Input', { exact: true }).fill('7.5')
      await inDialog(page, 'Save')
    },
    shown: (page) => page.getByText('input $7.50 per million tokens'),
    hidden: (page) =>
      page
        .getByRole('button', { name: /^Price of/ })
        .first()
        .filter({ hasText: 'list price' }),
    refused: 'was not saved:',
    done: 'The price of',
    isUndone: true,
    isDialog: true,
  },
  {
    title: 'the role of a member',
    open: async () => ['/workspaces/default', 'Default'],
    make: (page) => page.getByLabel(`Role of ${member}`).selectOption('admin'),
    shown: (page) => rowOf(page, 'Members', member).locator('select:has(option[value="admin"]:checked)'),
    hidden: (page) => rowOf(page, 'Members', member).locator('select:has(option[value="manager"]:checked)'),
    refused: `The role of ${member} was not changed:`,
    done: `${member} is now admin.`,
    isUndone: true,
  },
  {
    title: 'a member who is removed',
    open: async () => ['/workspaces/default', 'Default'],
    async make(page) {
      await rowOf(page, 'Members', member).getByRole('button', { name: 'Remove' }).click()
      await inDialog(page, 'Remove')
    },
    shown: (page) => goneFrom(page, 'Members', member),
    hidden: (page) => rowOf(page, 'Members', member),
    refused: `${member} was not removed:`,
    done: `${member} was removed.`,
    isUndone: true,
  },
  {
    title: 'the published version of a prompt',
    open: (gateway) => one(gateway, { api: '/v1/prompts?search=ode', path: 'prompts', heading: 'Ode' }),
    make: (page) =>
      rowOf(page, 'Versions', /Version 2/)
        .getByRole('button', { name: 'Publish' })
        .click(),
    shown: (page) => rowOf(page, 'Versions', /Version 2/).getByText('published', { exact: true }),
    hidden: (page) => rowOf(page, 'Versions', /Version 1/).getByText('published', { exact: true }),
    refused: 'Version 2 was not published:',
    done: 'Version 2 is published.',
    isUndone: true,
  },
  {
    title: 'the name of a version',
    open: (gateway) => one(gateway, { api: '/v1/prompts?search=ode', path: 'prompts', heading: 'Ode' }),
    async make(page) {
      await button(page, 'Name version 1').click()
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('staging')
      await inDialog(page, 'Name it')
    },
    shown: (page) => rowOf(page, 'Versions', /Version 1/).getByText('staging'),
    hidden: (page) => rowOf(page, 'Versions', /Version 1/).filter({ hasNotText: 'staging' }),
    refused: 'Version 1 was not named:',
    done: 'Version 1 is named staging.',
    isUndone: true,
    isDialog: true,
  },
  {
    title: 'test cases of a prompt',
    open: (gateway) => one(gateway, { api: '/v1/prompts?search=ode', path: 'prompts', heading: 'Ode' }),
    async make(page) {
      if (!(await button(page, 'Save test cases').isVisible())) await button(page, 'Add test case').click()
      const text = page.getByRole('group', { name: 'Expectation 1' }).getByLabel('Text')
      if (await text.isVisible()) await text.fill('hello')
      await button(page, 'Save test cases').click()
    },
    shown: (page) =>
      page
        .locator('section', { has: page.getByRole('heading', { name: 'Test cases' }) })
        .filter({ hasNotText: 'Save test cases' })
        .filter({ hasText: 'Case 1' }),
    hidden: (page) => button(page, 'Save test cases').or(page.getByText('There are no test cases yet.')),
    refused: 'The test cases were not saved:',
    done: 'The test cases were saved.',
    isUndone: true,
  },
  {
    title: 'the fields of a config',
    open: (gateway) =>
      one(gateway, { api: '/v1/configs?search=two', path: 'configs', heading: titles.configs }),
    async make(page) {
      await page.getByLabel('Name', { exact: true }).fill('Three ways')
      await button(page, 'Save').click()
    },
    shown: (page) => page.getByRole('heading', { level: 1, name: 'Three ways' }),
    hidden: (page) => page.getByRole('heading', { level: 1, name: titles.configs }),
    refused: 'Three ways was not saved:',
    done: 'Three ways was saved.',
    isUndone: true,
  },
  {
    title: 'the settings',
    open: async () => ['/settings', 'Settings'],
    async make(page) {
      await page.getByLabel('Members may change configs').setChecked(true)
      await button(page, 'Save').click()
    },
    shown: (page) => page.getByLabel('Members may change configs').and(page.locator(':checked')),
    hidden: (page) => page.getByLabel('Members may change configs'),
    refused: 'The settings were not saved:',
    done: 'The settings were saved.',
    isUndone: true,
  },
  {
    title: 'a config that is deleted',
    open: (gateway) =>
      one(gateway, { api: '/v1/configs?search=spare', path: 'configs', heading: 'Spare config' }),
    async make(page) {
      if ((await page.getByRole('heading', { level: 1 }).innerText()) === 'Configs') {
        await page.getByRole('link', { name: 'Spare config', exact: true }).click()
        await settled(page, 'Spare config')
      }
      await button(page, 'Delete').click()
      await inDialog(page, 'Delete')
    },
    shown: (page) => goneFrom(page, 'Configs', 'Spare config'),
    hidden: (page) =>
      page
        .getByRole('link', { name: 'Spare config', exact: true })
        .or(page.getByRole('heading', { name: 'Spare config' })),
    refused: 'Spare config was not deleted:',
    done: 'Spare config was deleted.',
    isUndone: true,
  },
  {
    title: 'a key that is revoked',
    open: async () => ['/keys', 'Keys'],
    async make(page) {
      await rowOf(page, 'Keys', titles.keys).getByRole('button', { name: 'Revoke' }).click()
      await inDialog(page, 'Revoke')
    },
    shown: (page) => goneFrom(page, 'Keys', titles.keys),
    hidden: (page) => rowOf(page, 'Keys', titles.keys).or(page.getByRole('heading', { name: titles.keys })),
    refused: `${titles.keys} was not revoked:`,
    done: `${titles.keys} was revoked.`,
    isUndone: true,
  },
  {
    title: 'an earlier version of a config that is made live',
    open: (gateway) => one(gateway, { api: '/v1/configs?search=rolled', path: 'configs', heading: 'Rolled' }),
    async make(page) {
      await rowOf(page, 'Versions', /Version 1/)
        .getByRole('button', { name: 'Roll back' })
        .click()
      await inDialog(page, 'Roll back')
    },
    shown: (page) => rowOf(page, 'Versions', /Version [13]/).getByText('live', { exact: true }),
    hidden: (page) => rowOf(page, 'Versions', /Version [24]/).getByText('live', { exact: true }),
    refused: 'Version 1 was not made live:',
    done: 'The content of version 1 is active again.',
    isUndone: true,
  },
  {
    title: 'the role of a group',
    open: async () => ['/scim', 'SCIM'],
    async make(page) {
      await rowOf(page, 'Groups', group).getByRole('button', { name: 'Give a role' }).click()
      await page.getByRole('dialog').getByLabel('Workspace').selectOption({ label: 'Default (default)' })
      await inDialog(page, 'Give the role')
    },
    shown: (page) => rowOf(page, 'Groups', group).getByText(/member in/),
    hidden: (page) => rowOf(page, 'Groups', group).getByText('none', { exact: true }),
    refused: 'The role was not given:',
    done: `The members of ${group} have the role member.`,
    isUndone: true,
    isDialog: true,
  },
  {
    title: 'a token that is revoked',
    open: async () => ['/scim', 'SCIM'],
    async make(page) {
      await rowOf(page, 'Tokens', 'Directory').getByRole('button', { name: 'Revoke' }).click()
      await inDialog(page, 'Revoke')
    },
    shown: (page) => goneFrom(page, 'Tokens', 'Directory'),
    hidden: (page) => rowOf(page, 'Tokens', 'Directory'),
    refused: 'Directory was not revoked:',
    done: 'Directory was revoked.',
    isUndone: false,
  },
  {
    title: 'an invite that is cancelled',
    open: async () => ['/users', 'Users'],
    async make(page) {
      await rowOf(page, 'Invites', /grace/).getByRole('button', { name: 'Cancel invite' }).click()
      await inDialog(page, 'Cancel invite')
    },
    shown: (page) => rowOf(page, 'Invites', /grace/).getByText('cancelled'),
    hidden: (page) => rowOf(page, 'Invites', /grace/).getByText('pending'),
    refused: 'The invite of grace@example.com was not cancelled:',
    done: 'The invite of grace@example.com was cancelled.',
    isUndone: false,
  },
  {
    title: 'the sessions of a person that are ended',
    open: (gateway) => one(gateway, { api: `/v1/users?email=${member}`, path: 'users', heading: member }),
    async make(page) {
      await button(page, 'End all').click()
      await inDialog(page, 'End all')
    },
    shown: (page) => page.getByText('Not signed in anywhere.'),
    hidden: (page) => button(page, 'End all'),
    refused: 'The sessions were not ended:',
    done: 'sessions were ended.',
    isUndone: false,
  },
  {
    title: 'a file that is deleted',
    open: async () => ['/batches', 'Batches and files'],
    async make(page) {
      await rowOf(page, 'Files', 'requests.jsonl').getByRole('button', { name: 'Delete' }).click()
      await inDialog(page, 'Delete')
    },
    shown: (page) => goneFrom(page, 'Files', 'requests.jsonl'),
    hidden: (page) => rowOf(page, 'Files', 'requests.jsonl'),
    refused: 'requests.jsonl was not deleted:',
    done: 'requests.jsonl was deleted.',
    isUndone: false,
  },
]
