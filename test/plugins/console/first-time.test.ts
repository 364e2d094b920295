/**
 * A new operator gets from the key that the first start prints to a provider, a key and a logged call, guided only by
 * the pages.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'
import { needChromium, openBrowser, openPage, settled, testMs } from './browser.ts'

const run = promisify(execFile)

describe('a first-time operator', function () {
  this.timeout(2 * testMs)
  let gateway: TestGateway
  let browser: Browser
  let upstream: Upstream
  let printed = ''
  let directory = ''
  before(async function () {
    needChromium(this)
    upstream = await openUpstream()
    directory = await mkdtemp(join(tmpdir(), 'gateway-first-'))
    gateway = await startGateway(
      {},
      {
        environment: { GATEWAY_STORE_URL: 'memory:', GATEWAY_DATA_DIR: directory },
        printKey: (key) => {
          printed = key
        },
      },
    )
    browser = await openBrowser()
  })
  after(async () => {
    await gateway?.stop()
    await upstream?.close()
    if (directory !== '') await rm(directory, { recursive: true, force: true })
  })

  it('gets from the printed admin key to a working provider, a key, and the first logged call', async () => {
    const { page, faults } = await openPage(browser)
    await page.goto(`${gateway.url}/console`)
    await settled(page, 'Sign in')
    await page.getByLabel('API key').fill(printed)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await settled(page, 'Overview')

    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByRole('link', { name: 'Connect a provider' }).click()
    await settled(page, 'New provider')
    await page.getByLabel('Provider', { exact: true }).selectOption('openai')
    await page.getByLabel('API key').fill('sk-of-the-operator-0123456789')
    await page.getByLabel('Custom host').fill(upstream.url)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'openai')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('status').getByText('works', { exact: true }).waitFor()

    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await settled(page, 'Overview')
    await steps.getByText('done').first().waitFor()
    await steps.getByRole('link', { name: 'Create a key' }).click()
    await settled(page, 'Keys')
    await page.getByRole('dialog').getByLabel('Name').fill('first')
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
    const key = await page.getByLabel('Your key').inputValue()
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await settled(page, 'Overview')
    const command = await steps.getByRole('region', { name: 'First request' }).textContent()
    const { stdout } = await run('sh', ['-c', command ?? ''], {
      env: { ...process.env, GATEWAY_KEY: key },
    })
    expect(JSON.parse(stdout)).to.have.nested.property('choices[0].message.content', 'ok')

    await steps.getByRole('link', { name: 'See what became of it' }).click()
    await settled(page, 'Logs')
    const entry = page.getByRole('table', { name: 'Logs' }).getByRole('link')
    // The entry is written after the answer.
    await until('the call is in the log', async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      await settled(page, 'Logs')
      return (await entry.count()) > 0
    })
    await entry.first().click()
    await settled(page, 'Log entry')
    await page.getByRole('list', { name: 'Conversation' }).getByText('ok').first().waitFor()

    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await settled(page, 'Overview')
    await steps.waitFor({ state: 'detached' })
    expect(faults).to.deep.equal([])
    await page.context().close()
  })
})
