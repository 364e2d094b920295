/** Scopes, events, checks and models are selected from lists that the gateway provides. */
import { expect } from 'chai'
import { checkLooks } from './browser.ts'
import { firstOf, furnish } from './furnish.ts'
import { useConsole } from './suite.ts'

describe('the pickers of the console', function () {
  const suite = useConsole(this, { prepare: furnish })

  it('select the scopes of a key, one by one or a whole family, and remove one', async () => {
    const { page, gateway } = suite
    await suite.visit('/keys?create=1', 'Keys')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('picked')
    const scopes = dialog.getByLabel('Scopes', { exact: true })
    await dialog.getByRole('button', { name: 'Remove models.list' }).click()
    await scopes.selectOption('logs.view')
    await scopes.selectOption({ label: 'All of configs' })
    await checkLooks(page, 'the scopes of a key')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel('Your key').waitFor()
    const { scopes: chosen } = (await firstOf(gateway, '/v1/api-keys?search=picked')) as { scopes: string[] }
    expect(chosen).to.include.members(['completions.write', 'logs.view', 'configs.list', 'configs.delete'])
    expect(chosen).not.to.include('models.list')
  })

  it('select the events of a webhook', async () => {
    const { page, gateway } = suite
    await suite.visit('/webhooks/new', 'New webhook')
    await page.getByLabel('URL').fill('https://example.com/hook')
    await page.getByRole('button', { name: 'Remove all events' }).click()
    await page.getByLabel('Events', { exact: true }).selectOption('breaker.opened')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel('Your secret').waitFor()
    expect(await firstOf(gateway, '/v1/webhooks?page_size=1')).to.deep.include({ events: ['breaker.opened'] })
  })

  it('add a check to a guardrail, with the parameters that it needs', async () => {
    const { page } = suite
    await suite.visit('/guardrails/new', 'New guardrail')
    await page.getByLabel('Add a check').selectOption({ label: 'Regular expression' })
    await page.getByText('Regular expression was added below.').waitFor()
    // A text area, whose value is not a text of the page, is shown until the editor is loaded.
    const editor = page.locator('.cm-content').and(page.getByLabel('Checks', { exact: true }))
    await editor.getByText('default.regexMatch').waitFor()
    await checkLooks(page, 'the checks of a guardrail')
  })

  it('suggest the models of the connected providers', async () => {
    const { page } = suite
    await suite.visit('/prompts/new', 'New prompt')
    const list = await page.getByLabel('Model', { exact: true }).getAttribute('list')
    await page.locator(`datalist[id="${list}"] option`).first().waitFor({ state: 'attached' })
  })
})
