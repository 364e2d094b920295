/** What a user does before an answer has arrived is neither lost nor sent incomplete. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { adminKey } from '../../support/gateway.ts'
import { settled } from './browser.ts'
import { firstOf, furnish, maker, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

interface Form {
  title: string
  /** The path below /console. */
  path: string
  heading: string
  fill: (page: Page) => Promise<unknown>
  /** Waits for the page after the form was sent. */
  isSent: (page: Page) => Promise<unknown>
}

const name = 'Entered early'
const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true })

const forms: readonly Form[] = [
  {
    title: 'a provider',
    path: '/providers/new',
    heading: 'New provider',
    fill: (page) => page.getByLabel('API key').fill('sk-test-0123456789'),
    isSent: (page) => settled(page, name),
  },
  {
    title: 'a config',
    path: '/configs/new',
    heading: 'New config',
    fill: (page) => page.getByLabel('Config', { exact: true }).fill('{"retry": {"attempts": 1}}'),
    isSent: (page) => settled(page, name),
  },
  {
    title: 'a key',
    path: '/keys?create=1',
    heading: 'Keys',
    fill: (page) => page.getByRole('dialog').waitFor(),
    isSent: (page) => page.getByLabel('Your key').waitFor(),
  },
]

/** Holds the answers to requests for an address. Returns a function that lets them through. */
async function hold(page: Page, address: string | RegExp): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(address, async (route) => {
    const response = await route.fetch()
    await released
    await route.fulfill({ response })
  })
  return release
}

/** The bodies of the writes of a page. */
function writesOf(page: Page): unknown[] {
  const found: unknown[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET' && !/dry-run|validate/.test(request.url()))
      found.push(request.postDataJSON())
  })
  return found
}

describe('a late answer to the console', function () {
  const suite = useConsole(this, { prepare: furnish })

  for (const { title, path, heading, fill, isSent } of forms)
    it(`with the workspaces holds back a form that needs one: ${title}`, async () => {
      const { page } = suite
      const release = await hold(page, '**/v1/workspaces?*')
      const sent = writesOf(page)
      await suite.visit(path, heading)
      await fill(page)
      await page.getByLabel('Name', { exact: true }).fill(name)
      await page.getByLabel('Name', { exact: true }).press('Enter')
      release()
      await button(page, 'Create').click()
      await isSent(page)
      expect(sent).to.have.lengthOf(1)
      expect(sent[0]).to.include({ name, workspace_id: 'default' })
    })

  it('with the saved settings does not keep them from being saved again', async () => {
    const { page } = suite
    await suite.visit('/settings', 'Settings')
    let isSaved = false
    await page.route('**/v1/organisation', async (route) => {
      if (route.request().method() === 'PUT') isSaved = true
      else if (isSaved) return
      await route.continue()
    })
    const name = page.getByLabel('Name', { exact: true })
    for (const text of ['One', 'Two']) {
      await name.fill(text)
      await button(page, 'Save').click()
      await page.getByText('Saved.', { exact: true }).waitFor()
    }
  })

  it('with the members of a workspace is not shown as an empty list', async () => {
    const { page } = suite
    const release = await hold(page, '**/v1/workspaces/*/users?*')
    await suite.visit('/workspaces/default', 'Default')
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    expect(await page.getByText('Nobody is a member yet.').count()).to.equal(0)
    release()
    await page.getByText('Nobody is a member yet.').waitFor()
  })

  it('with a new member keeps the member from being removed before', async () => {
    const { page } = suite
    await suite.visit('/workspaces/default', 'Default')
    await page.getByText('Nobody is a member yet.').waitFor()
    const answer = await hold(page, '**/v1/workspaces/*/users')
    await page.getByLabel('E-mail', { exact: true }).fill(titles.users)
    await button(page, 'Add member').click()
    const remove = page.getByRole('table', { name: 'Members' }).getByRole('button', { name: 'Remove' })
    await remove.waitFor()
    expect(await remove.isDisabled()).to.equal(true)
    answer()
    await remove.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText(`${titles.users} was removed.`).waitFor()
  })

  it('with the names of versions does not create a name that exists', async () => {
    const { page } = suite
    const release = await hold(page, '**/v1/labels?*')
    const sent = writesOf(page)
    await suite.visit('/prompts/greeting?name=1', titles.prompts)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('staging')
    await dialog.getByLabel('Name', { exact: true }).press('Enter')
    release()
    await button(page, 'Name it').click()
    await page.getByText('Version 1 is named staging.').waitFor()
    expect(sent).to.deep.equal([{ labels: ['staging'] }])
  })

  it('with the name of a key keeps another name that was typed in the meantime', async () => {
    const { page, gateway } = suite
    const { id } = await firstOf(gateway, `/v1/api-keys?search=${encodeURIComponent(titles.keys)}`)
    const other = await maker(gateway)('/v1/api-keys', {
      name: 'Other shop',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['completions.write'],
    })
    const release = await hold(page, '**/v1/api-keys?ids=*')
    const answered = page.waitForResponse(/api-keys\?ids=/)
    await suite.visit(`/logs?api_key_ids=${String(id)}`, 'Logs')
    const field = page.getByLabel('Key', { exact: true })
    await field.fill('Other shop')
    release()
    await (await answered).finished()
    await field.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('api_key_ids') === String(other.id))
  })

  it('with the ways to sign in does not offer to sign in twice', async () => {
    const { page, gateway } = suite
    await page.context().clearCookies()
    const release = await hold(page, '**/v1/auth/methods')
    const signIn = await hold(page, '**/v1/auth/login')
    const answered = page.waitForResponse('**/v1/auth/methods')
    await page.goto(`${gateway.url}/console/login`)
    await page.getByLabel('API key').fill(adminKey)
    await button(page, 'Sign in').click()
    release()
    await (await answered).finished()
    expect(await button(page, 'Sign in').isDisabled()).to.equal(true)
    signIn()
    await settled(page, 'Overview')
  })

  it('is not needed for the title and the focus of a page: both change with its heading', async () => {
    const { page } = suite
    await suite.visit('/configs', 'Configs')
    const [title, focused] = await page.evaluate<[string, string]>(`new Promise((resolve) => {
      new MutationObserver(() => {
        if (document.querySelector('h1')?.textContent === 'New config')
          resolve([document.title, document.activeElement.textContent])
      }).observe(document, { childList: true, characterData: true, subtree: true })
      document.querySelector('main a[href$="/configs/new"]').click()
    })`)
    expect(title).to.equal('New config · Console')
    expect(focused).to.equal('New config')
  })

  for (const [keys, dialog] of [
    ["key: 'k', ctrlKey: true", 'Go to'],
    ["key: '?'", 'Keys'],
  ] as const)
    it(`is not needed for a shortcut that is pressed as soon as the page is shown: ${dialog}`, async () => {
      const { page, gateway } = suite
      await page.addInitScript(`new MutationObserver((_, observer) => {
        if (document.querySelector('nav') === null) return
        observer.disconnect()
        document.body.dispatchEvent(new KeyboardEvent('keydown', { ${keys}, bubbles: true }))
      }).observe(document, { childList: true, subtree: true })`)
      await page.goto(`${gateway.url}/console`)
      await page.getByRole('dialog', { name: dialog }).waitFor()
    })

  it('is not needed to remove the token of an invite from the address', async () => {
    const { page, gateway } = suite
    await page.addInitScript('requestAnimationFrame = () => 0; setTimeout = () => 0')
    await page.goto(`${gateway.url}/console/accept-invite?token=secret`)
    await settled(page, 'Accept invite')
    expect(page.url()).not.to.include('secret')
  })
})
