/** Finding the cause of a failure: errors by cause, marks in the list, saved views, and keyboard shortcuts. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { checkLooks, countClicks, settled } from './browser.ts'
import { useConsole } from './suite.ts'

describe('finding out why a request failed', function () {
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream((request, response) => {
      const model = String(request.json?.model)
      if (model === 'overloaded') sendJson(response, 503, { error: { message: 'The model is overloaded.' } })
      else sendJson(response, 200, chatAnswer('Paris.', { model }))
    })
  })
  after(() => upstream.close())
  const suite = useConsole(this, {
    async prepare(gateway) {
      const target = (model: string) => ({
        provider: 'openai',
        api_key: 'sk-test-0123456789',
        custom_host: `${upstream.origin}/v1`,
        override_params: { model },
      })
      const balanced = {
        strategy: { mode: 'loadbalance' },
        targets: [
          { ...target('overloaded'), weight: 0 },
          { ...target('large'), weight: 1 },
        ],
      }
      const configs = [
        // The second of two shares is not a fallback.
        { strategy: { mode: 'fallback' }, targets: [balanced, target('overloaded')] },
        target('overloaded'),
        target('overloaded'),
        { strategy: { mode: 'fallback' }, targets: [target('overloaded'), target('large')] },
      ]
      for (const config of configs)
        await (
          await gateway.post('/v1/chat/completions', chat('Which city?'), {
            'x-gateway-config': JSON.stringify(config),
          })
        ).text()
      await gateway.runtime.logs.flush()
    },
  })

  it('takes two clicks from the overview to the conversation of a request, with its cause first', async () => {
    const { page } = suite
    await suite.visit('', 'Overview')
    const clicks = await countClicks(page)
    await suite.open('Logs')
    const row = page.getByRole('table', { name: 'Logs' }).getByRole('row').filter({ hasText: 'fallback' })
    await row.getByRole('link').click()
    await settled(page, 'Log entry')
    expect(await clicks()).to.equal(2)
    const happened = page.getByRole('region', { name: 'What happened' })
    await happened.getByText(/Fell back to openai\/large, because openai\/overloaded returned 503/).waitFor()
    const conversation = page.getByRole('list', { name: 'Conversation' })
    expect(await conversation.getByRole('listitem').allTextContents()).to.deep.equal([
      'UserWhich city?',
      'AssistantParis.',
    ])
    await checkLooks(page, 'log entry')
  })

  it('groups errors by their cause, with first and last seen, and opens the requests of one', async () => {
    const { page } = suite
    await suite.open('Logs')
    await page.getByLabel('Status').selectOption('All errors')
    await page.getByRole('button', { name: 'By cause' }).click()
    const row = page.getByRole('table', { name: 'Errors by cause' }).getByRole('row').nth(1)
    await row.getByText('openai/overloaded returned 503 (service unavailable)').waitFor()
    expect(await row.getByRole('cell').nth(2).textContent()).to.equal('2')
    await checkLooks(page, 'errors by cause')
    await row.getByRole('link').click()
    await page.getByText('1–2 of 2').waitFor()
  })

  it('sorts the log by cost, the highest first, with the order in the address', async () => {
    const { page } = suite
    await suite.open('Logs')
    const table = page.getByRole('table', { name: 'Logs' })
    await table.getByRole('button', { name: 'Cost' }).click()
    await table.locator('th[aria-sort="descending"]', { hasText: 'Cost' }).waitFor()
    await page.waitForURL(/sort=cost/)
    await settled(page)
    const costs = await table.getByRole('row').locator('td:nth-child(7)').allTextContents()
    const known = costs.filter((cost) => cost.startsWith('$')).map((cost) => Number(cost.slice(1)))
    expect(known.length).to.be.greaterThan(1)
    expect(known).to.deep.equal([...known].sort((one, other) => other - one))
  })

  it('keeps the filters of the log as a view with a name', async () => {
    const { page } = suite
    await suite.visit('/logs?status_code=503', 'Logs')
    await page.getByRole('button', { name: 'Save this view' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Overloaded')
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await suite.visit('/logs', 'Logs')
    await page.getByRole('link', { name: 'Overloaded' }).click()
    await page.getByText('1–2 of 2').waitFor()
    expect(await page.getByLabel('Status').inputValue()).to.equal('503')
    await page.getByRole('button', { name: 'Forget this view' }).click()
    await page.getByRole('link', { name: 'Overloaded' }).waitFor({ state: 'detached' })
  })

  it('shows the selected columns, which the address and a view keep', async () => {
    const { page } = suite
    await suite.open('Logs')
    const head = async () =>
      (await page.getByRole('table', { name: 'Logs' }).locator('thead').innerText()).trim()
    expect(await head()).not.to.include('Metadata')
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Metadata' }).check()
    await page.getByRole('checkbox', { name: 'Endpoint' }).uncheck()
    expect(await head()).to.include('Metadata')
    expect(await head()).not.to.include('Endpoint')
    await page.reload()
    await settled(page, 'Logs')
    expect(await head()).to.include('Metadata')
    await checkLooks(page, 'the columns of the log')
  })

  it('lists the shortcuts with ?, and focuses the search with /', async () => {
    const { page } = suite
    await suite.open('Logs')
    await page.keyboard.press('?')
    await page
      .getByRole('dialog', { name: 'Keys' })
      .getByText('Finds pages, objects and log entries')
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('no such text')
    await page.waitForURL(/search=no/)
    expect(await page.getByRole('searchbox').inputValue()).to.equal('no such text')
  })
})
