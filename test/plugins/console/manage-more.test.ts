/** What the management API has, in the console: a credential is replaced, invites are resent and cancelled. */
import { expect } from 'chai'
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
    await settled(page)
    expect((await firstOf(gateway, '/v1/users/invites')).status).to.equal('cancelled')
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })
})
