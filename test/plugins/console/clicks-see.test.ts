/** Clicks on the pages that show past requests: the log, a trace with its feedback, analytics as a file. */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { settled } from './browser.ts'
import { firstOf, furnish, maker, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

describe('the log and analytics pages', function () {
  const suite = useConsole(this, {
    async prepare(gateway) {
      await furnish(gateway)
      const trace_id = '0af7651916cd43dd8448eb211c80319c'
      await gateway.post('/v1/feedback', { trace_id, value: 7, weight: 0.5, metadata: { by: 'a reader' } })
    },
  })

  it('open the trace of a log entry in one click, with its spans and feedback', async () => {
    const { page } = suite
    await suite.open('Logs')
    await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
    await settled(page, 'Log entry')
    await page.getByRole('link', { name: '0af7651916cd43dd8448eb211c80319c' }).click()
    await settled(page, 'Trace')
    const spans = page.getByRole('table', { name: 'Spans' })
    await spans.getByRole('img').first().waitFor()
    const feedback = page.getByRole('table', { name: 'Feedback' })
    await feedback.getByText('a reader').waitFor()
    const size = page.viewportSize()
    await page.setViewportSize({ width: 1440, height: 900 })
    const [left, right] = [await spans.boundingBox(), await feedback.boundingBox()]
    expect(right?.x, 'the feedback is beside the spans').to.be.greaterThan(
      (left?.x ?? 0) + (left?.width ?? 0),
    )
    if (size !== null) await page.setViewportSize(size)
    await spans.getByRole('link').first().click()
    await settled(page, 'Log entry')
  })

  for (const [label, name, value, parameter] of [
    ['Model', 'ai_model', 'large', 'fill'],
    ['Provider', 'virtual_keys', 'echo', 'fill'],
    ['Metadata', 'metadata', '{"team":"red"}', 'fill'],
    ['Key', 'api_key_ids', '00000000-0000-4000-8000-000000000000', 'fill'],
    ['Status', 'status_code', '500', 'select'],
    ['Cache', 'cache_status', 'HIT', 'select'],
    ['Time range', 'range', '7d', 'select'],
  ] as const) {
    it(`keep the log filter ${label} in the URL, even after a reload`, async () => {
      const { page } = suite
      await suite.open('Logs')
      const field = page.getByLabel(label, { exact: true })
      if (parameter === 'fill') {
        await field.fill(value)
        await field.press('Enter')
      } else await field.selectOption(value)
      await page.waitForURL((url) => url.searchParams.get(name) === value)
      await page.reload()
      await settled(page, 'Logs')
      expect(await field.inputValue()).to.equal(value)
      expect(await page.getByRole('alert').allTextContents()).to.deep.equal([])
    })
  }

  it('filter the log by the name of a key, and show that name again', async () => {
    const { page, gateway } = suite
    const { id } = await firstOf(gateway, `/v1/api-keys?search=${encodeURIComponent(titles.keys)}`)
    await suite.open('Logs')
    const field = page.getByLabel('Key', { exact: true })
    await field.fill('no such key')
    await field.press('Enter')
    await page.getByText('No key has that name.').waitFor()
    await field.fill(titles.keys)
    await field.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('api_key_ids') === id)
    await page.getByText('No request matches.').waitFor()
    await page.reload()
    await settled(page, 'Logs')
    await until('the field has the name', async () => (await field.inputValue()) === titles.keys)
  })

  it('filter the log by a time with a beginning and an end', async () => {
    const { page } = suite
    await suite.open('Logs')
    await page.getByLabel('Time range').selectOption('From … to …')
    await page.waitForURL(/time_of_generation_min=/)
    await page.getByText('1–1 of 1').waitFor()
    await page.getByLabel('To', { exact: true }).fill('2020-01-31T12:00')
    await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00')
    await page.getByLabel('From', { exact: true }).press('Enter')
    await page.getByText('No request matches.').waitFor()
    const local = await page.evaluate("new Date('2020-01-01T00:00').toISOString()")
    expect(new URL(page.url()).searchParams.get('time_of_generation_min')).to.equal(local)
    await page.reload()
    await settled(page, 'Logs')
    expect(await page.getByLabel('From', { exact: true }).inputValue()).to.equal('2020-01-01T00:00')
    await page.getByLabel('Time range').selectOption('Last 24 hours')
    await page.getByText('1–1 of 1').waitFor()
  })

  it('find a request by its text', async () => {
    const { page } = suite
    await suite.open('Logs')
    await page.getByRole('searchbox', { name: 'Search' }).fill('hello from')
    await page.waitForURL(/search=hello/)
    await page.getByText('1–1 of 1').waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it')
    await page.getByText('No request matches.').waitFor()
  })

  it('copy a request as curl', async () => {
    const { page } = suite
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await suite.open('Logs')
    await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
    await settled(page, 'Log entry')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied').first().waitFor()
    const text = await page.evaluate('navigator.clipboard.readText()')
    expect(text).to.match(/^curl .*\/v1\/chat\/completions/)
    expect(text).to.include('hello from the test')
    expect(text).not.to.include('test-admin-key')
  })

  it('show on the overview how much a key with an exhausted limit has used', async () => {
    const { page, gateway } = suite
    const { id, key } = await maker(gateway)('/v1/api-keys', {
      name: 'All used',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['completions.write'],
      usage_limits: [{ type: 'requests', credit_limit: 1, periodic_reset: 'monthly' }],
    })
    await gateway.post('/v1/chat/completions', chat('hello'), {
      'x-gateway-api-key': String(key),
      'x-gateway-provider': 'echo',
    })
    await until('the key is exhausted', async () => {
      const { status } = (await (await gateway.get(`/v1/api-keys/${String(id)}`)).json()) as {
        status: string
      }
      return status === 'exhausted'
    })
    await suite.visit('', 'Overview')
    const row = page.getByRole('table', { name: 'Needs attention' }).getByRole('row', { name: /All used/ })
    await row.getByRole('cell', { name: 'used 1 of 1 requests', exact: true }).waitFor()
  })

  it('show no latency for hours without requests', async () => {
    const { page } = suite
    await suite.visit('', 'Overview')
    const latency = page.getByRole('figure', { name: 'Latency' })
    await latency.getByText('Table').click()
    const cells = latency.getByRole('cell')
    await cells.first().waitFor()
    const texts = await cells.allTextContents()
    expect(texts.filter((text) => text === '–').length).to.be.at.least(3 * 20)
  })

  it('show the numbers of a chart as a table and as CSV', async () => {
    const { page } = suite
    await suite.open('Analytics')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV of the chart' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).to.equal('requests.csv')
    expect(await readFile(await download.path(), 'utf8')).to.match(/^timestamp,/)
    await page.getByRole('figure', { name: 'Requests' }).getByText('Table').click()
    await page.getByRole('figure', { name: 'Requests' }).getByRole('table').waitFor()
  })
})
