/**
 * The page of limits and cost: the used, remaining and forecast amounts, limits that run out this week, and the largest
 * consumers.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { chat, type TestGateway } from '../../support/gateway.ts'
import { checkLooks, countClicks, settled } from './browser.ts'
import { maker } from './furnish.ts'
import { pathOfShortPage, useConsole } from './suite.ts'

const own = { workspace_id: 'default', type: 'workspace-service', scopes: ['completions.write'] }

async function prepare(gateway: TestGateway): Promise<void> {
  const make = maker(gateway)
  const small = await make('/v1/api-keys', {
    ...own,
    name: 'Small shop',
    // It never resets: a monthly limit would not run out on the last evening of a month.
    usage_limits: [{ type: 'requests', credit_limit: 4 }],
  })
  await make('/v1/api-keys', {
    ...own,
    name: 'Large shop',
    usage_limits: [{ type: 'requests', credit_limit: 1000, periodic_reset: 'monthly' }],
  })
  await make('/v1/policies/usage-limits', {
    workspace_id: 'default',
    name: 'Per key',
    conditions: [{ key: 'workspace_id', value: '*' }],
    group_by: [{ key: 'api_key' }],
    type: 'requests',
    credit_limit: 100,
  })
  for (let count = 0; count < 3; count++)
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${String(small.key)}` },
      body: JSON.stringify({ ...chat('counted'), model: '@echo/any' }),
    })
  await gateway.runtime.identities.flush()
}

describe('the page of limits and money', function () {
  const suite = useConsole(this, { prepare, startsOn: pathOfShortPage })

  it('shows in one click the used and remaining part of each limit, and limits that run out this week', async () => {
    const { page } = suite
    // Three of four requests were used within two hours, so the limit runs out before the week ends.
    await page.clock.setFixedTime(Date.now() + 2 * 3_600_000)
    const clicks = await countClicks(page)
    await suite.open('Limits and money')
    const budgets = page.getByRole('table', { name: 'Budgets' })
    for (const text of [
      /^Small shopKey3 of 4 requests1/,
      /^Large shopKey0 of 1,000 requests1,000/,
      /^Per key: Small shopPolicy3 of 100 requests97/,
    ])
      await budgets.getByRole('row').filter({ hasText: text }).waitFor()
    expect(await clicks()).to.equal(1)
    const soon = page.getByRole('table', { name: 'Runs out this week' })
    await soon.getByRole('link', { name: 'Small shop', exact: true }).waitFor()
    expect(await soon.getByRole('link', { name: 'Large shop' }).count()).to.equal(0)
    await checkLooks(page, 'limits and money')
  })

  it('sorts and filters the budgets, and saves them as a file', async () => {
    const { page } = suite
    await suite.visit('/spending', 'Limits and money')
    const budgets = page.getByRole('table', { name: 'Budgets' })
    const first = () => budgets.getByRole('row').nth(1).innerText()
    expect(await first()).to.match(/^Small shop/)
    await page.getByLabel('Kind', { exact: true }).selectOption('Key')
    await page.getByLabel('Sorted by').selectOption('left')
    expect(await first()).to.match(/^Small shop/)
    expect(await budgets.getByRole('row').count()).to.equal(3)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV of these budgets' }).click()
    const text = readFileSync(await (await saved).path(), 'utf8')
    expect(text.split('\n')[0]).to.equal('kind,name,unit,limit,used,left,forecast,runs_out_at,resets_at')
    expect(text).to.include('Key,Small shop,requests,4,3,1,')
  })

  it('shows the largest consumers, and opens the object of a budget', async () => {
    const { page } = suite
    await suite.visit('/spending', 'Limits and money')
    const spenders = page.getByRole('table', { name: 'By key' })
    await spenders
      .getByRole('row')
      .filter({ hasText: /^Small shop3/ })
      .waitFor()
    await spenders.getByRole('button', { name: 'Requests' }).click()
    await page.waitForURL(/sort=requests/)
    await page.getByRole('button', { name: 'CSV of all rows' }).waitFor()
    await page.getByRole('table', { name: 'Budgets' }).getByRole('link', { name: 'Large shop' }).click()
    await settled(page, 'Large shop')
  })
})
