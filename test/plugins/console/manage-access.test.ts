/** Access: SCIM tokens and sessions of people. Also versions of partials that are published. */
import { expect } from 'chai'
import { checkLooks, countClicks, settled } from './browser.ts'
import { furnish, maker, put, titles } from './furnish.ts'
import { pathOfShortPage, useConsole } from './suite.ts'

describe('the pages for access', function () {
  const suite = useConsole(this, {
    startsOn: pathOfShortPage,
    async prepare(gateway) {
      await furnish(gateway)
      const make = maker(gateway)
      const partial = await make('/v1/prompts/partials', {
        workspace_id: 'default',
        name: 'Tone',
        slug: 'tone',
        string: 'Be brief.',
      })
      await put(gateway, `/v1/prompts/partials/${String(partial.id)}`, { string: 'Be kind.' })
      const response = await fetch(`${gateway.url}/v1/auth/login`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0',
        },
        body: JSON.stringify({ email: titles.users, password: 'correct horse battery' }),
      })
      expect(response.status).to.equal(200)
    },
  })

  it('create a SCIM token in three clicks, shown once, and revoke it', async () => {
    const { page } = suite
    const clicks = await countClicks(page)
    await suite.open('SCIM')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Directory')
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
    expect(await page.getByLabel('Your token').inputValue()).to.have.length.above(20)
    expect(await clicks()).to.equal(3)
    await page.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('table', { name: 'Tokens' }).getByRole('row').filter({ hasText: 'Directory' })
    await checkLooks(page, 'SCIM')
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('end a session of a person in four clicks', async () => {
    const { page } = suite
    const clicks = await countClicks(page)
    await suite.openObject('Users', titles.users)
    const row = page
      .getByRole('table', { name: 'Sessions' })
      .getByRole('row')
      .filter({ hasText: 'Firefox, Linux' })
    await row.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    expect(await clicks()).to.equal(4)
  })

  it('publish an older version of a partial after showing its changes', async () => {
    const { page } = suite
    await suite.openObject('Partials', 'Tone')
    await page.getByRole('button', { name: 'Version 1', exact: true }).click()
    const difference = page.getByRole('region', { name: 'Difference' })
    expect(await difference.textContent()).to.equal('- Be brief.\n+ Be kind.\n')
    await page.getByLabel('After', { exact: true }).selectOption('Version 1')
    expect(await difference.textContent()).to.equal('  Be brief.\n')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Version 2 is published.').waitFor()
    await settled(page, 'Tone')
  })

  it('select the integration of an MCP server from a list', async () => {
    const { page } = suite
    await suite.visit('/mcp-integrations/new', 'New MCP integration')
    await page.getByLabel('Name').fill('Tools')
    await page.getByLabel('URL').fill('http://127.0.0.1:9/mcp')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'Tools')
    await suite.visit('/mcp-servers/new', 'New MCP server')
    await page.getByLabel('Name').fill('Tools of the shop')
    await page.getByLabel('Integration').selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'Tools of the shop')
  })
})
