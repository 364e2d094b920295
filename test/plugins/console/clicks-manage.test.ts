/** Clicks on the management pages: workspaces, users and their invites, webhooks, exports, audit, settings. */
import { expect } from 'chai'
import { json } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { isInvalid, openPage, settled } from './browser.ts'
import { firstOf, furnish, put, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

const password = 'correct horse battery'

describe('the management pages', function () {
  const suite = useConsole(this, { prepare: furnish })

  it('invite a person, who accepts the link and is signed in', async () => {
    const { page } = suite
    await suite.open('Users')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').fill('grace@example.com')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    const link = new URL(await page.getByLabel('Invite link').inputValue())
    const browser = page.context().browser()
    if (browser === null) throw new Error('The page has no browser.')
    const invited = await openPage(browser)
    await invited.page.goto(suite.gateway.url + link.pathname + link.search)
    await settled(invited.page, 'Accept invite')
    expect(invited.page.url(), 'the token leaves the address').not.to.include('token')
    await invited.page.getByLabel('First name').fill('Grace')
    await invited.page.getByLabel('Password').fill('short')
    await invited.page.getByRole('button', { name: 'Accept invite' }).click()
    await invited.page.getByRole('alert').waitFor()
    await isInvalid(invited.page.getByLabel('Password'))
    await invited.page.getByLabel('Password').fill(password)
    await invited.page.getByRole('button', { name: 'Accept invite' }).click()
    await settled(invited.page, 'Overview')
    await invited.page.getByRole('button', { name: 'Sign out' }).click()
    await settled(invited.page, 'Sign in')
    await invited.page.getByLabel('E-mail').fill('grace@example.com')
    await invited.page.getByLabel('Password').fill(password)
    await invited.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await settled(invited.page, 'Overview')
    expect(invited.faults).to.deep.equal([])
    await invited.page.context().close()
  })

  it('change a user', async () => {
    const { page, gateway } = suite
    await suite.openObject('Users', titles.users)
    await page.getByLabel('Last name').fill('Lovelace')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await firstOf(gateway, `/v1/users?email=${titles.users}`)).to.include({ last_name: 'Lovelace' })
  })

  it('create a workspace in two clicks, add a member, change the role and remove the member', async () => {
    const { page } = suite
    await suite.open('Workspaces')
    await page.getByRole('link', { name: 'New workspace' }).click()
    await settled(page, 'New workspace')
    await page.getByLabel('Name').fill('Beta')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'Beta')
    await page.getByLabel('E-mail', { exact: true }).fill(titles.users)
    const added = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: 'Add member' }).click()
    // Until the API has answered, the row has no id.
    await added
    await settled(page, 'Beta')
    const role = page.getByRole('table', { name: 'Members' }).getByLabel(`Role of ${titles.users}`)
    // A reload would otherwise abort the request.
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
    await role.selectOption('manager')
    await saved
    await page.reload()
    await settled(page, 'Beta')
    await until('the role is shown as saved', async () => (await role.inputValue()) === 'manager')
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Nobody is a member yet.').waitFor()
  })

  describe('with a webhook receiver', () => {
    let receiver: Upstream
    before(async () => {
      receiver = await openUpstream((_request, response) => sendJson(response, 200, {}))
    })
    after(() => receiver?.close())

    it('create a webhook, show its secret once, send a test event and redeliver it', async () => {
      const { page } = suite
      await suite.open('Webhooks')
      await page.getByRole('link', { name: 'New webhook' }).click()
      await settled(page, 'New webhook')
      await page.getByLabel('URL').fill(`${receiver.origin}/hook`)
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      const secret = await page.getByRole('dialog').getByRole('textbox').inputValue()
      expect(secret).to.match(/^whsec_/)
      await page.keyboard.press('Escape')
      await settled(page, `${receiver.origin}/hook`)
      expect(await page.content()).not.to.include(secret)
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('A test event was sent.').waitFor()
      const deliveries = page.getByRole('table', { name: 'Deliveries' })
      await deliveries.getByRole('button', { name: 'Redeliver' }).first().click()
      await page.getByText('Sent again.').waitFor()
      await until('both were delivered', () => receiver.seen.length >= 2)
    })
  })

  it('create an export, start it, and download its file', async () => {
    const { page, gateway } = suite
    await suite.open('Exports')
    await page.getByRole('link', { name: 'New export' }).click()
    await settled(page, 'New export')
    await page.getByLabel('Description').fill('For the auditor')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'For the auditor')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('button', { name: 'Download' }).click()
    const file = page.getByRole('link', { name: /^Download the file/ })
    const response = await fetch(new URL((await file.getAttribute('href')) ?? '', gateway.url))
    expect(response.status).to.equal(200)
    expect(await response.text()).to.include('"ai_model"')
    await page.getByText('Maximum entries').waitFor()
    expect(await page.getByLabel('Maximum entries').count(), 'no field that cannot be saved').to.equal(0)
  })

  it('show who made a change', async () => {
    const { page, gateway } = suite
    await put(gateway, '/v1/configs/two-ways', { name: 'Two ways, renamed' })
    await put(gateway, '/v1/configs/two-ways', { name: titles.configs })
    await suite.open('Audit')
    await page.getByLabel('Kind').fill('config')
    await page.getByLabel('Kind').press('Enter')
    await page.waitForURL(/resource_type=config/)
    await settled(page, 'Audit')
    await page
      .getByRole('row', { name: /update/ })
      .getByRole('button')
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Two ways, renamed').first().waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByLabel('Kind').fill('organisation')
    await page.getByLabel('Kind').press('Enter')
    await page.waitForURL(/resource_type=organisation/)
    const own = page
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: 'gateway', exact: true }) })
    await own.getByRole('button').first().click()
    await dialog.getByText('A change by the gateway itself.').waitFor()
  })

  it('change a security setting, described in words', async () => {
    const { page, gateway } = suite
    await suite.open('Settings')
    const name = 'Only saved configs and stored credentials are allowed in requests'
    await page.getByLabel(name).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const organisation = await json(await gateway.get('/v1/organisation'))
    expect(organisation).to.have.nested.property('settings.security_settings.block_inline_config', true)
    await page.getByLabel(name).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
  })
})
