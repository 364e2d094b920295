/**
 * Limits, conditions and dates are fields of a form. Tests the values that they send and show, and the fields that a
 * refusal marks.
 */
import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { json } from '../../support/gateway.ts'
import { accessibilityFaults, isInvalid, settled } from './browser.ts'
import { firstOf, furnish, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

describe('the form fields for limits and dates', function () {
  const suite = useConsole(this, { prepare: furnish })
  const group = (name: string, within: Locator = suite.page.getByRole('main')) =>
    within.getByRole('group', { name, exact: true })
  const save = async () => {
    await suite.page.getByRole('button', { name: 'Save' }).click()
    await suite.page.getByText('Saved.', { exact: true }).waitFor()
  }
  const readKey = async (name: string) => {
    const { id } = await firstOf(suite.gateway, `/v1/api-keys?search=${encodeURIComponent(name)}`)
    return json(await suite.gateway.get(`/v1/api-keys/${String(id)}`))
  }

  it('create a key with limits and an expiry, which its page shows', async () => {
    const { page } = suite
    await suite.open('Keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Limited')
    await dialog.getByRole('button', { name: 'Add usage limit' }).click()
    const usage = group('Usage limit 1', dialog)
    await usage.getByLabel('Type').selectOption('requests')
    await usage.getByLabel('Credit limit').fill('100')
    await usage.getByLabel('Alert threshold').fill('80')
    await usage.getByLabel('Periodic reset', { exact: true }).selectOption('weekly')
    await dialog.getByRole('button', { name: 'Add rate limit' }).click()
    await group('Rate limit 1', dialog).getByLabel('Unit').selectOption('rps')
    await group('Rate limit 1', dialog).getByLabel('Value').fill('5')
    await dialog.getByLabel('Expires at').fill('2099-01-31T12:30')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel('Your key').waitFor()
    await page.keyboard.press('Escape')
    const made = await readKey('Limited')
    expect(made.usage_limits).to.include({
      type: 'requests',
      credit_limit: 100,
      alert_threshold: 80,
      periodic_reset: 'weekly',
    })
    expect(made.rate_limits).to.deep.equal([{ type: 'requests', unit: 'rps', value: 5 }])
    const local = await page.evaluate("new Date('2099-01-31T12:30').toISOString()")
    expect(made.expires_at).to.equal(local)
    await suite.openObject('Keys', 'Limited')
    expect(await group('Usage limit 1').getByLabel('Credit limit').inputValue()).to.equal('100')
    expect(await page.getByLabel('Expires at').inputValue()).to.equal('2099-01-31T12:30')
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })

  it('change one limit of a key, and remove the other and the expiry', async () => {
    const { page } = suite
    await suite.openObject('Keys', titles.keys)
    await group('Usage limit 1').getByLabel('Periodic reset', { exact: true }).selectOption('')
    await group('Usage limit 1').getByLabel('Periodic reset days').fill('10')
    await page.getByRole('button', { name: 'Add rate limit' }).click()
    await group('Rate limit 1').getByLabel('Value').fill('7')
    await page.getByLabel('Expires at').fill('2099-01-31T12:30')
    await save()
    const changed = await readKey(titles.keys)
    expect(changed.usage_limits).to.include({ credit_limit: 10, periodic_reset_days: 10 })
    expect(changed.rate_limits).to.deep.equal([{ type: 'requests', unit: 'rpm', value: 7 }])
    await page.reload()
    await settled(page, titles.keys)
    await page.getByRole('button', { name: 'Remove rate limit 1' }).click()
    await page.getByLabel('Expires at').fill('')
    await save()
    const taken = await readKey(titles.keys)
    expect(taken.rate_limits ?? []).to.deep.equal([])
    expect(taken.expires_at).to.equal(null)
    expect(taken.usage_limits).to.include({ credit_limit: 10, periodic_reset_days: 10 })
  })

  it('mark the field of a refused limit', async () => {
    const { page } = suite
    await suite.openObject('Keys', titles.keys)
    await page.getByRole('button', { name: 'Add usage limit' }).click()
    await group('Usage limit 2').getByLabel('Type').selectOption('tokens')
    await group('Usage limit 2').getByLabel('Credit limit').fill('-5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    const refused = group('Usage limit 2').getByLabel('Credit limit')
    await isInvalid(refused)
    const first = group('Usage limit 1').getByLabel('Credit limit')
    expect(await first.getAttribute('aria-invalid')).to.equal(null)
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })

  it('report an incomplete date, and send nothing', async () => {
    const { page, gateway } = suite
    await suite.openObject('Keys', titles.keys)
    await page.getByLabel('Expires at').click()
    await page.keyboard.type('01312099')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This is not a date and a time.').waitFor()
    await isInvalid(page.getByLabel('Expires at'))
    const key = await firstOf(gateway, `/v1/api-keys?search=${encodeURIComponent(titles.keys)}`)
    expect(key.expires_at).to.equal(null)
  })

  it('create a policy with conditions of several values and groups', async () => {
    const { page, gateway } = suite
    await suite.visit('/policies/new', 'New usage policy')
    await page.getByLabel('Name').fill('Two models')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await group('Condition 2').getByLabel('Key').fill('model')
    await group('Condition 2').getByLabel('Value').fill('large-2\nsmall-2')
    await group('Condition 2').getByLabel('Excludes').fill('small-2')
    await page.getByRole('button', { name: 'Add group' }).click()
    await group('Group 2').getByLabel('Group by').fill('metadata._user')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'Two models')
    const { id } = await firstOf(gateway, '/v1/policies/usage-limits')
    const policy = await json(await gateway.get(`/v1/policies/usage-limits/${String(id)}`))
    expect(policy).to.deep.include({
      conditions: [
        { key: 'workspace_id', value: '*' },
        { key: 'model', value: ['large-2', 'small-2'], excludes: 'small-2' },
      ],
      group_by: [{ key: 'api_key' }, { key: 'metadata._user' }],
      credit_limit: 10,
      periodic_reset: 'monthly',
    })
    expect(await group('Condition 2').getByLabel('Value').inputValue()).to.equal('large-2\nsmall-2')
  })

  it('mark a condition whose key the API does not support', async () => {
    const { page } = suite
    await suite.visit('/rate-limits/new', 'New rate limit')
    await page.getByLabel('Name').fill('Wrong')
    await group('Condition 1').getByLabel('Key').fill('no_such_key')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await isInvalid(group('Condition 1').getByLabel('Key'))
  })
})
