/** Fourteen common tasks in the console, from the overview to their effect, with their clicks. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { chat } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { countClicks, settled } from './browser.ts'
import { firstOf, furnish, maker, put, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

interface Task {
  title: string
  clicks: number
  /** Ends when the effect is visible. */
  go: (page: Page) => Promise<unknown>
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).first().click()
  await settled(page, name)
}

async function openObject(page: Page, list: string, name: string): Promise<void> {
  await open(page, list)
  await page.getByRole('table').getByRole('link', { name, exact: true }).click()
  await settled(page, name)
}

async function openEntry(page: Page, status: number): Promise<void> {
  await open(page, 'Logs')
  await page
    .getByRole('table', { name: 'Logs' })
    .getByRole('row', { name: new RegExp(` ${status} `) })
    .first()
    .getByRole('link')
    .click()
  await settled(page, 'Log entry')
}

async function publish(page: Page, action: 'Publish' | 'Roll back', version: number): Promise<void> {
  await openObject(page, 'Prompts', titles.prompts)
  await page.getByRole('table', { name: 'Versions' }).getByRole('button', { name: action }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`All test cases pass on version ${version} (1).`).waitFor()
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await page.getByText(`Version ${version} is published.`).waitFor()
}

let leakedKey = ''

const tasks: readonly Task[] = [
  {
    title: 'find out why a request was refused',
    clicks: 2,
    async go(page) {
      await openEntry(page, 446)
      await page
        .getByRole('region', { name: 'What happened' })
        .getByText(/denied/i)
        .first()
        .waitFor()
    },
  },
  {
    title: 'see what fails, by cause, and since when',
    clicks: 2,
    async go(page) {
      await open(page, 'Logs')
      await page.getByLabel('Status').selectOption({ label: 'All errors' })
      await button(page, 'By cause').click()
      await page.getByRole('table', { name: 'Errors by cause' }).getByRole('link').first().waitFor()
    },
  },
  {
    title: 'send a logged request again',
    clicks: 4,
    async go(page) {
      await openEntry(page, 200)
      await button(page, 'To playground').click()
      await settled(page, 'Playground')
      await button(page, 'Send').click()
      await page.getByRole('log').getByText('hello from the test').waitFor()
    },
  },
  {
    title: 'compare a logged request on two models',
    clicks: 5,
    async go(page) {
      await openEntry(page, 200)
      await button(page, 'To playground').click()
      await settled(page, 'Playground')
      await button(page, 'Compare two').click()
      await page.getByRole('group', { name: 'Target 2' }).getByLabel('Model').fill('@echo/other')
      await button(page, 'Send').click()
      for (const answer of ['Answer 1', 'Answer 2'])
        await page.getByRole('log', { name: answer }).getByText('hello from the test').waitFor()
    },
  },
  {
    title: 'keep a logged request as a test case',
    clicks: 4,
    async go(page) {
      await openEntry(page, 200)
      await button(page, 'Save as test case').click()
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('From the log')
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText(/Saved as the first test case/).waitFor()
    },
  },
  {
    title: 'add a target to a config by hand',
    clicks: 4,
    async go(page) {
      await openObject(page, 'Configs', titles.configs)
      await button(page, 'Add a target to the config').click()
      const node = page.getByRole('region', { name: /^Settings of / })
      await node.getByLabel('Provider').selectOption('echo')
      await node.getByLabel('Model').fill('third')
      await button(page, 'Save').click()
      await page.getByText('Saved.', { exact: true }).waitFor()
    },
  },
  {
    title: 'try the draft of a config on the last hour',
    clicks: 3,
    async go(page) {
      await openObject(page, 'Configs', titles.configs)
      await button(page, 'Try on the last hour').click()
      await page.getByRole('table', { name: 'Where they would go' }).getByText('@echo').first().waitFor()
    },
  },
  {
    title: 'publish a version of a prompt whose test cases pass',
    clicks: 4,
    go: (page) => publish(page, 'Publish', 2),
  },
  {
    title: 'roll a prompt back',
    clicks: 4,
    go: (page) => publish(page, 'Roll back', 1),
  },
  {
    title: 'see what runs out this week',
    clicks: 1,
    async go(page) {
      await open(page, 'Limits and money')
      await page.getByRole('table', { name: 'Budgets' }).getByText(titles.keys).first().waitFor()
    },
  },
  {
    title: 'save who spends as a file',
    clicks: 2,
    async go(page) {
      await open(page, 'Limits and money')
      const file = page.waitForEvent('download')
      await button(page, 'CSV of all rows').click()
      expect((await file).suggestedFilename()).to.equal('by-api_key.csv')
    },
  },
  {
    title: 'find a leaked key by its text, and revoke it',
    clicks: 3,
    async go(page) {
      await open(page, 'Keys')
      await page.getByRole('searchbox').fill(leakedKey)
      await until('only that key is listed', async () =>
        (await page.getByRole('table', { name: 'Keys' }).getByRole('link').count()) === 1 ? true : undefined,
      )
      await button(page, 'Revoke').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('Leaked was revoked.').waitFor()
    },
  },
  {
    title: 'replace the credential of a provider',
    clicks: 4,
    async go(page) {
      await openObject(page, 'Providers', titles.providers)
      await button(page, 'Replace the credential').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('New API key').fill('sk-new-9876543210')
      await dialog.getByRole('button', { name: 'Replace' }).click()
      await dialog.waitFor({ state: 'detached' })
    },
  },
  {
    title: 'replay logged requests against another config',
    clicks: 3,
    async go(page) {
      await open(page, 'Replays')
      await page.getByRole('link', { name: 'New replay', exact: true }).click()
      await settled(page, 'New replay')
      await page.getByLabel('Name', { exact: true }).fill('Before the change')
      await page.getByLabel('Saved config').selectOption('two-ways')
      await button(page, 'Start').click()
      await settled(page, 'Before the change')
    },
  },
]

describe('fourteen common tasks in the console', function () {
  const suite = useConsole(this, {
    startsOn: '',
    async prepare(gateway) {
      await furnish(gateway)
      await gateway.post(
        '/v1/chat/completions',
        { ...chat('my password'), model: '@echo/any' },
        { 'x-gateway-config': 'two-ways' },
      )
      await put(gateway, '/v1/prompts/greeting', {
        patch: true,
        string: JSON.stringify([{ role: 'user', content: 'Greet {{name}} warmly.' }]),
        test_cases: [
          { name: 'Ann', variables: { name: 'Ann' }, expected: [{ type: 'contains', value: 'Ann' }] },
        ],
      })
      const made = await maker(gateway)('/v1/api-keys', {
        workspace_id: 'default',
        name: 'Leaked',
        type: 'workspace-service',
        scopes: ['completions.write'],
      })
      leakedKey = String(made.key)
      await firstOf(gateway, '/v1/logs?status_code=446')
    },
  })

  it('number fourteen', () => {
    expect(tasks).to.have.lengthOf(14)
  })

  for (const { title, clicks, go } of tasks)
    it(`${title}: ${clicks === 1 ? 'one click' : `${clicks} clicks`}`, async () => {
      const { page } = suite
      const counted = await countClicks(page)
      await go(page)
      expect(await counted()).to.equal(clicks)
    })
})
