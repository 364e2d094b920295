/** A leaked key can be found by its text or its mask. A new key is shown once on every page that creates one. */
import { expect } from 'chai'
import { settled } from './browser.ts'
import { maker } from './furnish.ts'
import { useConsole } from './suite.ts'

describe('finding a key', function () {
  const suite = useConsole(this)

  it('works by its text, which the gateway does not receive, and by its mask', async () => {
    const { page, gateway } = suite
    const make = maker(gateway)
    const own = { workspace_id: 'default', type: 'workspace-service', scopes: ['completions.write'] }
    const leaked = String((await make('/v1/api-keys', { ...own, name: 'Leaked' })).key)
    await make('/v1/api-keys', { ...own, name: 'Other' })
    await suite.open('Keys')
    const table = page.getByRole('table', { name: 'Keys' })
    await table.getByRole('link', { name: 'Other', exact: true }).waitFor()
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await page.getByLabel('Search', { exact: true }).fill(leaked)
    await table.getByRole('link', { name: 'Other', exact: true }).waitFor({ state: 'detached' })
    await table.getByRole('link', { name: 'Leaked', exact: true }).waitFor()
    expect(urls.join(' ') + page.url()).not.to.include(leaked)
    const mask = `${leaked.slice(0, 3)}****${leaked.slice(-4)}`
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).to.equal(mask)
    expect(await table.textContent()).to.include(mask)
    await suite.visit('/keys', 'Keys')
    await page.getByLabel('Search', { exact: true }).fill(mask)
    await table.getByRole('link', { name: 'Other', exact: true }).waitFor({ state: 'detached' })
    await table.getByRole('link', { name: 'Leaked', exact: true }).click()
    await settled(page, 'Leaked')
    await page.getByText(mask, { exact: true }).waitFor()
  })

  it('shows a key that was created on a separate page only once', async () => {
    const { page } = suite
    await suite.visit('/keys/new', 'New API key')
    await page.getByLabel('Name', { exact: true }).fill('From the page')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const key = await page.getByLabel('Your key').inputValue()
    expect(key.length).to.be.at.least(40)
    await page.getByRole('button', { name: 'Done' }).click()
    await settled(page, 'From the page')
    expect(await page.content()).not.to.include(key)
  })
})
