/** The console of a member, a manager and an admin of a workspace shows exactly what their roles allow. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { createPeople } from '../../support/people.ts'
import { accessibilityFaults, needChromium, openBrowser, openPage, settled, testMs } from './browser.ts'

interface Role {
  role: 'member' | 'manager' | 'admin'
  links: readonly string[]
  /** Links that the role does not see. */
  hidden: readonly string[]
  canCreateConfig: boolean
}

const everybody = [
  'Overview',
  'Logs',
  'Analytics',
  'Playground',
  'Configs',
  'Guardrails',
  'Prompts',
  'Policies',
]

const roles: readonly Role[] = [
  { role: 'member', links: everybody, hidden: ['Audit', 'Settings', 'Exports'], canCreateConfig: false },
  { role: 'manager', links: [...everybody, 'Keys'], hidden: ['Audit', 'Settings'], canCreateConfig: true },
  {
    role: 'admin',
    links: [...everybody, 'Keys', 'Webhooks', 'Exports'],
    hidden: ['Audit', 'Settings'],
    canCreateConfig: true,
  },
]

describe('the console and user permissions', function () {
  this.timeout(testMs)
  let gateway: TestGateway
  let browser: Browser
  before(async function () {
    needChromium(this)
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    browser = await openBrowser()
  })
  after(async () => {
    await gateway?.stop()
  })

  async function openAs(role: Role['role'], work: (page: Page) => Promise<void>) {
    const people = createPeople(() => gateway.runtime.store.documents)
    const { data } = (await (await gateway.get('/v1/workspaces')).json()) as { data: { id: string }[] }
    const user = await people.user(`${role}-${Date.now()}@example.com`)
    await people.member(data[0]?.id ?? '', user, role)
    const { page, faults } = await openPage(browser)
    const value = await people.session(user)
    await page.context().addCookies([{ name: 'gateway_session', value, url: gateway.url }])
    await work(page)
    await page.context().close()
    expect(faults).to.deep.equal([])
  }

  for (const { role, links, hidden, canCreateConfig } of roles) {
    it(`show a ${role} the pages of the role`, () =>
      openAs(role, async (page) => {
        await page.goto(`${gateway.url}/console`)
        await settled(page, 'Overview')
        const nav = page.getByRole('navigation', { name: 'Pages of the console' })
        const names = await nav.getByRole('link').allTextContents()
        for (const name of links) expect(names).to.include(name)
        for (const name of hidden) expect(names).not.to.include(name)
        expect(await page.getByRole('alert').allTextContents()).to.deep.equal([])
        expect(await accessibilityFaults(page)).to.deep.equal([])
        for (const name of links) {
          await nav.getByRole('link', { name, exact: true }).click()
          await settled(page, name)
          expect(await page.getByRole('alert').allTextContents(), name).to.deep.equal([])
        }
        await page.goto(`${gateway.url}/console/configs`)
        await settled(page, 'Configs')
        expect(await page.getByRole('link', { name: 'New config' }).count()).to.equal(canCreateConfig ? 1 : 0)
      }))

    it(`tell a ${role} that settings are not allowed`, () =>
      openAs(role, async (page) => {
        await page.goto(`${gateway.url}/console/settings`)
        await settled(page, 'Settings')
        expect(await page.getByRole('alert').textContent()).to.include('not allowed')
      }))
  }

  it('let a manager create a config after signing in', () =>
    openAs('manager', async (page) => {
      await page.goto(`${gateway.url}/console/configs/new`)
      await settled(page, 'New config')
      await page.getByLabel('Name').fill('of-a-manager')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await settled(page, 'of-a-manager')
    }))

  it('let a member send a request in the playground', () =>
    openAs('member', async (page) => {
      await page.goto(`${gateway.url}/console/playground`)
      await settled(page, 'Playground')
      await page.getByLabel('Model').fill('@echo/any')
      await page.getByLabel('Message').fill('from a member')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('log').getByText('from a member').waitFor()
    }))
})
