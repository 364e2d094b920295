/** Further actions of the management API in the console: replacing a credential, resending and cancelling invites. */
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { accessibilityFaults, settled } from './browser.ts'
import { firstOf, maker } from './furnish.ts'
import { useConsole } from './suite.ts'

describe('the management pages', function () {
  const suite = useConsole(this, {
    prepare: async (gateway) => {
      const make = maker(gateway)
      await make('/v1/integrations', {
        workspace_id: 'default',
        name: 'Main provider',
        ai_provider_id: 'openai',
        key: 'sk-test-0123456789',
      })
      await make('/v1/users/invites', { email: 'grace@example.com', role: 'member' })
    },
  })

  it('replace the credential of a provider', async () => {
    const { page, gateway } = suite
    await suite.openObject('Providers', 'Main provider')
    await page.getByRole('button', { name: 'Replace the credential' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the credential' })
    await dialog.getByText('The current key is').waitFor()
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await dialog.getByText('Enter the new key, or another value.').waitFor()
    await dialog.getByLabel('New API key').fill('sk-new-9876543210')
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await firstOf(gateway, '/v1/integrations')).masked_key).to.match(/3210$/)
  })

  it('show one workspace that is selected in the menu', async () => {
    const { page, gateway } = suite
    const make = maker(gateway)
    await make('/v1/workspaces', { name: 'Team B', slug: 'team-b' })
    for (const workspace_id of ['default', 'team-b'])
      await make('/v1/configs', {
        workspace_id,
        name: `Of ${workspace_id}`,
        config: { retry: { attempts: 1 } },
      })
    await suite.visit('/configs', 'Configs')
    const table = page.getByRole('table', { name: 'Configs' })
    await table.getByRole('link', { name: 'Of default', exact: true }).waitFor()
    await page.getByLabel('Show', { exact: true }).selectOption('team-b')
    await table.getByRole('link', { name: 'Of default', exact: true }).waitFor({ state: 'detached' })
    await table.getByRole('link', { name: 'Of team-b', exact: true }).waitFor()
    for (const name of [
      'Overview',
      'Logs',
      'Analytics',
      'Keys',
      'Providers',
      'Users',
      'Exports',
      'Webhooks',
    ]) {
      await suite.open(name)
      expect(await page.getByRole('alert').count(), name).to.equal(0)
    }
  })

  it('create and edit a partial, a label and a collection', async () => {
    const { page, gateway } = suite
    for (const [list, singular, title] of [
      ['partials', 'partial', 'Partials'],
      ['labels', 'label', 'Labels'],
      ['collections', 'collection', 'Collections'],
    ] as const) {
      await suite.open(title)
      await page.getByRole('link', { name: `New ${singular}` }).click()
      await settled(page, `New ${singular}`)
      await page.getByLabel('Name', { exact: true }).fill(`my-${singular}`)
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await settled(page, `my-${singular}`)
      expect(page.url()).to.include(`/console/${list}/`)
    }
    await suite.openObject('Partials', 'my-partial')
    await page.getByLabel('Text', { exact: true }).fill('Changed.')
    await page.getByLabel('Publish this version').selectOption('true')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2, published').waitFor()
    expect(await firstOf(gateway, '/v1/prompts/partials')).to.include({ published_version: 2 })
    for (const title of ['Secret references', 'MCP servers', 'Agents']) {
      await suite.open(title)
      expect(await page.getByRole('alert').count(), title).to.equal(0)
      expect(await accessibilityFaults(page)).to.deep.equal([])
    }
  })

  it('resend an invite with a new link, and cancel it', async () => {
    const { page, gateway } = suite
    await suite.open('Users')
    const table = page.getByRole('table', { name: 'Invites' })
    await table.getByRole('button', { name: 'Resend' }).click()
    expect(await page.getByLabel('Invite link').inputValue()).to.include('token=')
    await page.getByRole('button', { name: 'Done' }).click()
    await table.getByRole('button', { name: 'Cancel invite' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel invite' }).click()
    await table.getByText('cancelled').waitFor()
    // The page shows the new state before the API has answered.
    await until(
      'the invite is cancelled',
      async () => (await firstOf(gateway, '/v1/users/invites')).status === 'cancelled',
    )
    await settled(page)
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })
})
