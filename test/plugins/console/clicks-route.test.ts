/** Clicks on the pages that determine how requests are routed and limited: prompts, policies, keys. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { isInvalid, settled } from './browser.ts'
import { furnish, maker, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

describe('the routing and limits pages', function () {
  const suite = useConsole(this, { prepare: furnish })

  it('edit a prompt, publish the new version, and roll it back', async () => {
    const { page, gateway } = suite
    const published = async () => {
      const { published_version: version } = (await (await gateway.get('/v1/prompts/greeting')).json()) as {
        published_version: number
      }
      return version
    }
    await suite.openObject('Prompts', titles.prompts)
    await page.getByLabel('Template').fill('[{"role": "user", "content": "Greet {{name}} twice."}]')
    await page.getByLabel('What changed').fill('Twice')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const versions = page.getByRole('table', { name: 'Versions' })
    await versions.getByRole('button', { name: 'Version 1', exact: true }).click()
    const difference = page.getByRole('region', { name: 'Difference' })
    await difference.getByText('+ ', { exact: false }).filter({ hasText: 'twice' }).waitFor()
    await versions.getByRole('row', { name: /Twice/ }).getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 2 is published.').waitFor()
    expect(await published()).to.equal(2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    expect(await published()).to.equal(1)
  })

  it('compare a version with the newest one, even if that is saved later', async () => {
    const { page } = suite
    await suite.openObject('Prompts', titles.prompts)
    const versions = page.getByRole('table', { name: 'Versions' })
    await versions.getByRole('button', { name: 'Version 1', exact: true }).click()
    await page.getByRole('heading', { name: 'Version 1 compared with the newest' }).waitFor()
    await page.getByLabel('Template').fill('[{"role": "user", "content": "Greet {{name}} twice."}]')
    await page.getByRole('button', { name: 'Save' }).click()
    const difference = page.getByRole('region', { name: 'Difference' })
    await difference.getByText('twice').waitFor()
    await page.getByLabel('After').selectOption('Version 1')
    await difference.getByText('twice').waitFor({ state: 'detached' })
    await page.getByLabel('After').selectOption('Version 2')
    await page.getByLabel('Template').fill('[{"role": "user", "content": "Greet {{name}} thrice."}]')
    await page.getByRole('button', { name: 'Save' }).click()
    await difference.getByText('thrice').waitFor()
  })

  it('create a usage policy, show who is near its limit, and reset a group', async () => {
    const { page, gateway } = suite
    await suite.open('Policies')
    await page.getByRole('link', { name: 'New usage policy' }).click()
    await settled(page, 'New usage policy')
    await page.getByLabel('Name').fill('Ten requests')
    await page.getByLabel('Type').selectOption('requests')
    await page.getByLabel('Credit limit').fill('10')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'Ten requests')
    const key = await maker(gateway)('/v1/api-keys', {
      name: 'counted',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['completions.write'],
    })
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${String(key.key)}` },
      body: JSON.stringify({ ...chat('counted'), model: '@echo/any' }),
    })
    await gateway.runtime.identities.flush()
    await page.reload()
    await settled(page, 'Ten requests')
    const groups = page.getByRole('table', { name: 'Use by group' })
    await groups.getByText('1 of 10').waitFor()
    await groups.getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await groups.getByText('0 of 10').waitFor()
  })

  it('show an error of a policy at its field', async () => {
    const { page } = suite
    await suite.visit('/policies/new', 'New usage policy')
    await page.getByLabel('Credit limit').fill('-5')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await isInvalid(page.getByLabel('Credit limit'))
  })

  it('create a rate limit in two clicks', async () => {
    const { page } = suite
    await suite.open('Rate limits')
    await page.getByRole('link', { name: 'New rate limit' }).click()
    await settled(page, 'New rate limit')
    await page.getByLabel('Name').fill('Slowly')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'Slowly')
  })

  it('create a guardrail with a check from the list, and show an error at its line', async () => {
    const { page } = suite
    await suite.visit('/guardrails/new', 'New guardrail')
    await page.getByLabel('Name').fill('No numbers')
    const checks = page.getByLabel('Checks', { exact: true })
    await checks.fill('[\n  {"id": "default.no-such-check", "parameters": {}}\n]')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('list', { name: 'Faults of Checks' }).getByText('Line 2').waitFor()
    await checks.fill('[{"id": "default.regexMatch", "parameters": {"rule": "[0-9]", "not": true}}]')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'No numbers')
  })

  it("show the fields in a provider's schema, and mark missing ones", async () => {
    const { page } = suite
    await suite.open('Providers')
    await page.getByRole('link', { name: 'New provider' }).click()
    await settled(page, 'New provider')
    const provider = page.getByLabel('Provider', { exact: true })
    await provider.selectOption('echo')
    expect(await page.getByLabel('API key').count(), 'echo takes no key').to.equal(0)
    await provider.selectOption('azure-openai')
    await page.getByLabel('Azure resource name').waitFor()
    await provider.selectOption('bedrock')
    await page.getByLabel('AWS auth type').selectOption('accessKey')
    expect(await page.getByLabel('AWS secret access key').getAttribute('type')).to.equal('password')
    await page.getByLabel('AWS region').fill('No such region')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await isInvalid(page.getByLabel('AWS region'))
    await page.getByLabel('AWS region').fill('eu-central-1')
    await page.getByLabel('AWS access key ID').fill('AKIA0123456789')
    await page.getByLabel('AWS secret access key').fill('a secret of the test')
    await page.getByLabel('Name').fill('Cloud')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'Cloud')
  })

  it('show the used part of a key’s limit', async () => {
    const { page } = suite
    await suite.openObject('Keys', titles.keys)
    await page.getByRole('meter', { name: /Used \$0\.00 of \$10\.00/ }).waitFor()
  })
})
