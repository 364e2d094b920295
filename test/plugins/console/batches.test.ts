/** A batch in the console: its file is uploaded, it runs, and its output is downloaded. */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { checkLooks, countClicks, settled } from './browser.ts'
import { pathOfShortPage, useConsole } from './suite.ts'

const line = (id: string) =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'any', messages: [{ role: 'user', content: `hello ${id}` }] },
  })

describe('batches in the console', function () {
  const suite = useConsole(this, { startsOn: pathOfShortPage })

  it('run from an uploaded file in three clicks, and return their output', async () => {
    const { page } = suite
    const clicks = await countClicks(page)
    await suite.open('Batches and files')
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'requests.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.from(`${line('a')}\n${line('b')}\n`),
    })
    await page.getByRole('table', { name: 'Files' }).getByText('requests.jsonl').waitFor()
    await page.getByRole('button', { name: 'Start a batch' }).click()
    await page.getByRole('dialog').getByText('requests.jsonl').first().waitFor({ state: 'attached' })
    await page.getByRole('dialog').getByLabel('Provider').selectOption('echo')
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
    const row = page.getByRole('table', { name: 'Batches' }).getByRole('row').nth(1)
    await row.waitFor()
    expect(await clicks()).to.equal(3)
    await until('the batch has its output', async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      await settled(page)
      return (await row.getByRole('button', { name: 'Output' }).count()) > 0
    })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Output' }).click(),
    ])
    const text = await readFile(await download.path(), 'utf8')
    expect(text).to.include('hello a').and.include('hello b')
    await checkLooks(page, 'batches')
  })

  it('list their files, which are deleted after a confirmation', async () => {
    const { page } = suite
    await suite.open('Batches and files')
    const row = page
      .getByRole('table', { name: 'Files' })
      .getByRole('row')
      .filter({ hasText: 'requests.jsonl' })
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await row.waitFor({ state: 'detached' })
  })
})
