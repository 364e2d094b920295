/**
 * The number of clicks from the overview to each task, counted in the browser, is at most the number that the design
 * allows.
 */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { countClicks, settled } from './browser.ts'
import { furnish, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

interface Work {
  title: string
  /** The maximum number of clicks. */
  clicks: number
  /** Goes to the page of the task. */
  go: (page: Page) => Promise<unknown>
}

const follow = async (page: Page, name: string) => {
  await page.getByRole('link', { name, exact: true }).first().click()
}
const to = (name: string) => async (page: Page) => {
  await follow(page, name)
  await settled(page, name)
}
/** Goes from a list in the navigation to one of its objects. */
const toObject = (list: string, name: string, seen: string) => async (page: Page) => {
  await to(list)(page)
  await page.getByRole('table').getByRole('link', { name, exact: true }).click()
  await settled(page, name)
  await page.getByText(seen, { exact: true }).first().waitFor()
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const works: readonly Work[] = [
  {
    title: 'what today was and what needs attention',
    clicks: 0,
    async go(page) {
      for (const name of ['Requests', 'Errors', 'Cost', 'p95 latency'])
        await page.getByRole('term').filter({ hasText: name }).first().waitFor()
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    },
  },
  { title: 'the log', clicks: 1, go: to('Logs') },
  {
    title: 'an entry of the log',
    clicks: 2,
    async go(page) {
      await to('Logs')(page)
      await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
      await settled(page, 'Log entry')
    },
  },
  {
    title: 'the trace of an entry',
    clicks: 3,
    async go(page) {
      await to('Logs')(page)
      await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
      await settled(page, 'Log entry')
      await page.getByRole('link', { name: '0af7651916cd43dd8448eb211c80319c' }).click()
      await settled(page, 'Trace')
    },
  },
  { title: 'analytics', clicks: 1, go: to('Analytics') },
  {
    title: 'analytics by provider',
    clicks: 2,
    async go(page) {
      await to('Analytics')(page)
      await page.getByLabel('Group by').selectOption('provider')
      await page.getByRole('table', { name: 'By provider' }).getByText('echo').first().waitFor()
    },
  },
  { title: 'what is left of each limit, and who spends', clicks: 1, go: to('Limits and money') },
  {
    title: 'a new key',
    clicks: 3,
    async go(page) {
      await to('Keys')(page)
      await button(page, 'Create key').click()
      await page.getByRole('dialog').getByLabel('Name').fill('counted clicks')
      await button(page, 'Create').click()
      await page.getByLabel('Your key').waitFor()
    },
  },
  {
    title: 'a key that is revoked',
    clicks: 3,
    async go(page) {
      await to('Keys')(page)
      await button(page, 'Revoke').first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  },
  {
    title: 'a key with its limits and its use',
    clicks: 2,
    async go(page) {
      await to('Keys')(page)
      await page.getByRole('table').getByRole('link', { name: titles.keys, exact: true }).click()
      await settled(page, titles.keys)
      await page.getByRole('meter').waitFor()
      await page.getByRole('group', { name: 'Usage limit 1' }).waitFor()
    },
  },
  {
    title: 'the rotation of a key with its overlap',
    clicks: 3,
    async go(page) {
      await to('Keys')(page)
      await page.getByRole('table').getByRole('link', { name: titles.keys, exact: true }).click()
      await settled(page, titles.keys)
      await button(page, 'Rotate').click()
      await page.getByRole('dialog').getByLabel('Overlap').waitFor()
    },
  },
  {
    title: 'a provider that is connected',
    clicks: 3,
    async go(page) {
      await to('Providers')(page)
      await follow(page, 'New provider')
      await settled(page, 'New provider')
      await page.getByLabel('Provider', { exact: true }).selectOption('openai')
      await page.getByLabel('Name').fill('Counted')
      await page.getByLabel('API key').fill('sk-test-0123456789')
      await button(page, 'Create').click()
      await settled(page, 'Counted')
    },
  },
  {
    title: 'the test of a provider',
    clicks: 3,
    async go(page) {
      await toObject('Providers', titles.providers, 'Models')(page)
      await button(page, 'Test').click()
      await page
        .getByRole('status')
        .getByText(/works|does not work/)
        .waitFor()
    },
  },
  {
    title: 'a model that is turned off',
    clicks: 3,
    async go(page) {
      await toObject('Providers', titles.providers, 'Models')(page)
      await page
        .getByRole('checkbox', { name: / is on$/ })
        .first()
        .click()
      await page.getByText(/was turned off/).waitFor()
    },
  },
  {
    title: 'the price of a model',
    clicks: 3,
    async go(page) {
      await toObject('Providers', titles.providers, 'Models')(page)
      await page
        .getByRole('button', { name: /^Price of / })
        .first()
        .click()
      await page.getByRole('dialog').getByLabel('Input', { exact: true }).waitFor()
    },
  },
  { title: 'the editor of a config', clicks: 2, go: toObject('Configs', titles.configs, 'Versions') },
  { title: 'a prompt with its versions', clicks: 2, go: toObject('Prompts', titles.prompts, 'Versions') },
  {
    title: 'a guardrail to try on a text',
    clicks: 2,
    go: toObject('Guardrails', titles.guardrails, 'Try it on a text'),
  },
  {
    title: 'who is near the limit of a policy',
    clicks: 2,
    go: toObject('Policies', titles.policies, 'Use by group'),
  },
  {
    title: 'the fields of a rate limit',
    clicks: 2,
    async go(page) {
      await to('Rate limits')(page)
      await page.getByRole('table').getByRole('link', { name: titles['rate-limits'], exact: true }).click()
      await settled(page, titles['rate-limits'])
      await page.getByLabel('Unit').waitFor()
    },
  },
  { title: 'the playground', clicks: 1, go: to('Playground') },
  { title: 'the members of a workspace', clicks: 2, go: toObject('Workspaces', 'Default', 'Members') },
  {
    title: 'the invitation of a person',
    clicks: 2,
    async go(page) {
      await to('Users')(page)
      await button(page, 'Invite').click()
      await page.getByRole('dialog').getByLabel('E-mail').waitFor()
    },
  },
  {
    title: 'a person with their role',
    clicks: 2,
    async go(page) {
      await to('Users')(page)
      await page.getByRole('table').getByRole('link', { name: titles.users, exact: true }).click()
      await settled(page, titles.users)
      await page.getByLabel('Role').waitFor()
    },
  },
  {
    title: 'the deliveries of a webhook',
    clicks: 2,
    go: toObject('Webhooks', titles.webhooks, 'Deliveries'),
  },
  { title: 'an export to start', clicks: 2, go: toObject('Exports', titles.exports, 'Start') },
  {
    title: 'who changed what, with the difference',
    clicks: 2,
    async go(page) {
      await to('Audit')(page)
      await page.getByRole('table', { name: 'Audit' }).getByRole('button').first().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    title: 'a security switch',
    clicks: 2,
    async go(page) {
      await to('Settings')(page)
      await page.getByLabel('Members may change configs').click()
    },
  },
]

describe('the number of clicks from the overview to', function () {
  const suite = useConsole(this, { prepare: furnish, startsOn: '' })

  for (const { title, clicks, go } of works) {
    it(`${title} is at most ${clicks}`, async () => {
      const { page } = suite
      const counted = await countClicks(page)
      await go(page)
      expect(await counted()).to.be.at.most(clicks)
      expect(await counted(), 'counted at all').to.be.at.least(Math.min(clicks, 1))
    })
  }
})
