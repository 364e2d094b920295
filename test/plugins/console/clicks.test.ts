/** The clicks from the overview that the work on each page takes, in a console with requests in its log. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import {
  accessibilityFaults,
  needChromium,
  openBrowser,
  openPage,
  settled,
  signIn,
  testMs,
} from './browser.ts'

type Made = Record<string, string>

describe('the main pages of the console', function () {
  this.timeout(testMs)
  let gateway: TestGateway
  let browser: Browser
  let page: Page
  let faults: string[]
  const make = async (path: string, body: unknown) => {
    const response = await gateway.post(path, body)
    const made = (await response.json()) as Made
    expect(response.status, JSON.stringify(made)).to.equal(200)
    return made
  }
  before(async function () {
    needChromium(this)
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    await make('/v1/configs', {
      name: 'Two ways',
      slug: 'two-ways',
      workspace_id: 'default',
      config: {
        strategy: { mode: 'loadbalance' },
        targets: [
          { provider: '@echo', weight: 3, override_params: { model: 'large' } },
          { provider: '@echo', weight: 1, override_params: { model: 'small' } },
        ],
      },
    })
    await make('/v1/guardrails', {
      name: 'No passwords',
      workspace_id: 'default',
      checks: [{ id: 'default.contains', parameters: { words: ['password'], operator: 'none' } }],
      actions: { deny: true },
    })
    await make('/v1/prompts', {
      name: 'Greeting',
      slug: 'greeting',
      workspace_id: 'default',
      model: '@echo/any',
      string: JSON.stringify([{ role: 'user', content: 'Greet {{name}}.' }]),
      parameters: {},
    })
    await make('/v1/api-keys', {
      name: 'ends-soon',
      type: 'workspace-service',
      workspace_id: 'default',
      scopes: ['completions.write'],
      expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString(),
    })
    for (const model of ['@echo/large', '@echo/small'])
      await gateway.post('/v1/chat/completions', { ...chat('hello from the test'), model })
    await until('both requests are in the log', async () => {
      const { total } = (await (await gateway.get('/v1/logs')).json()) as { total: number }
      return total === 2
    })
    browser = await openBrowser()
  })
  after(async () => {
    await gateway?.stop()
  })
  beforeEach(async () => {
    const opened = await openPage(browser)
    page = opened.page
    faults = opened.faults
    await signIn(page, gateway)
  })
  afterEach(async () => {
    await page?.context().close()
    expect(faults).to.deep.equal([])
  })
  const open = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).click()
    await settled(page, name)
  }
  const openObject = async (list: string, name: string) => {
    await open(list)
    await page.getByRole('table').getByRole('link', { name, exact: true }).click()
    await settled(page, name)
  }

  it("show today's figures and what needs attention on the overview, without a click", async () => {
    for (const name of ['Requests', 'Errors', 'Cost', 'Latency', 'Tokens', 'Cache savings'])
      await page.getByRole('figure', { name }).waitFor()
    await page
      .getByRole('table', { name: 'Needs attention' })
      .getByRole('link', { name: 'ends-soon', exact: true })
      .waitFor()
    await page.getByLabel('Stacked by').selectOption('provider')
    expect(page.url()).to.include('group_by=provider')
    await page.getByRole('figure', { name: 'Requests' }).getByText('Table').click()
    await page
      .getByRole('figure', { name: 'Requests' })
      .getByRole('columnheader', { name: 'echo' })
      .or(page.getByRole('figure', { name: 'Requests' }).getByRole('columnheader', { name: 'Requests' }))
      .first()
      .waitFor()
  })

  it('open a log entry with its steps, and its request in the playground', async () => {
    await open('Logs')
    await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
    await settled(page, 'Log entry')
    await page.getByRole('table', { name: /Steps/ }).getByText('Call').waitFor()
    await page.getByRole('button', { name: 'To playground' }).click()
    await settled(page, 'Playground')
    expect(await page.getByLabel('Message').inputValue()).to.equal('hello from the test')
  })

  it('keep log filters in the URL after a reload and Back', async () => {
    await open('Logs')
    await page.getByLabel('Model').fill('large')
    await page.getByLabel('Model').press('Enter')
    await page.waitForURL(/ai_model=large/)
    await page.getByText('1–1 of 1').waitFor()
    await page.reload()
    await settled(page, 'Logs')
    expect(await page.getByLabel('Model').inputValue()).to.equal('large')
    await page.goBack()
    await page.getByText('1–2 of 2').waitFor()
  })

  it('show new requests as they arrive', async () => {
    await open('Logs')
    await page.getByRole('button', { name: 'Live' }).click()
    expect(page.url()).to.include('live=true')
    await page.getByText('Requests appear here as they end.').waitFor()
    await gateway.post('/v1/chat/completions', { ...chat('live'), model: '@echo/live-model' })
    await page.getByRole('table', { name: 'Live requests' }).getByText('live-model').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })

  it('group analytics in two clicks, and draw the latency heat map', async () => {
    await open('Analytics')
    await page.getByLabel('Group by').selectOption('provider')
    await page.getByRole('table', { name: 'By provider' }).getByText('echo').first().waitFor()
    await page.getByLabel('Chart', { exact: true }).selectOption('latency/heatmap')
    await page.getByRole('figure', { name: 'Latency heat map' }).waitFor()
    await page.getByText('Table', { exact: false }).first().click()
    await page.getByRole('table', { name: 'Latency heat map' }).waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })

  it('draw the routing of a config with its shares, and run it as a dry run', async () => {
    await openObject('Configs', 'Two ways')
    const figure = page.getByRole('figure', { name: 'Routing' })
    await figure.getByText('75%').first().waitFor()
    await figure.getByText('25%').first().waitFor()
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('The config is valid.').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })

  it('complete schema members in the config editor', async () => {
    await page.goto(`${gateway.url}/console/configs/new`)
    await settled(page, 'New config')
    const editor = page.locator('.cm-content')
    await editor.waitFor()
    await editor.fill('{}')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('"strat')
    // This needs a click, because Enter does nothing at the moment when the list appears, so a line break is not lost.
    await page.getByRole('option', { name: /strategy/ }).click()
    await editor.getByText('"strategy": ').waitFor()
  })

  it('mark an error of a config at its line while typing', async () => {
    await page.goto(`${gateway.url}/console/configs/new`)
    await page.locator('.cm-content').fill('{\n  "retry": {\n    "attempts": 99\n  }\n}')
    await page.getByRole('list', { name: 'Faults of Config' }).getByText('Line 3').waitFor()
  })

  it('roll a config back, and undo the rollback', async () => {
    await openObject('Configs', 'Two ways')
    await page.locator('.cm-content').fill('{"retry": {"attempts": 2}}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await page
      .getByRole('row', { name: /Version 1/ })
      .getByRole('button', { name: 'Roll back' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByText('75%').first().waitFor()
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    const { config } = (await (await gateway.get('/v1/configs/two-ways')).json()) as { config: object }
    expect(config).to.deep.equal({ retry: { attempts: 2 } })
  })

  it('test a guardrail on a text, delete it, and restore it', async () => {
    await openObject('Guardrails', 'No passwords')
    await page.getByLabel('Text').fill('my password')
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByText('The request would be denied.').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await settled(page, 'Guardrails')
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await settled(page, 'No passwords')
  })

  it('run a prompt in the playground', async () => {
    await openObject('Prompts', 'Greeting')
    await page.getByRole('button', { name: 'To playground' }).click()
    await settled(page, 'Playground')
    await page.getByLabel('Variables').fill('{"name": "Ada"}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('Greet Ada.').waitFor()
    await page.getByText('What happened').click()
    await page.getByRole('table', { name: /Steps/ }).waitFor()
  })

  it('compare two targets side by side', async () => {
    await open('Playground')
    await page.getByLabel('Model').fill('@echo/one')
    await page.getByLabel('Message').fill('both of you')
    await page.getByRole('button', { name: 'Compare two' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    for (const name of ['Answer 1', 'Answer 2'])
      await page.getByRole('log', { name }).getByText('both of you').waitFor()
  })

  it('connect a provider, set a custom price for a model, and remove it', async () => {
    await open('Providers')
    await page.getByRole('link', { name: 'New provider' }).click()
    await settled(page, 'New provider')
    await page.getByLabel('Provider', { exact: true }).selectOption('openai')
    await page.getByLabel('Name').fill('Priced')
    await page.getByLabel('API key').fill('sk-test-0123456789')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await settled(page, 'Priced')
    await page.getByRole('searchbox', { name: 'Search' }).fill('gpt-4o-mini')
    await page.getByRole('button', { name: 'Price of gpt-4o-mini: list price', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Input', { exact: true }).fill('0.5')
    await page.getByRole('dialog').getByLabel('Output').fill('2')
    await page.getByRole('button', { name: 'Save', exact: true }).last().click()
    await page.getByText('input $0.50, output $2 per million tokens').waitFor()
    // The price is shown before the API has answered.
    await page.getByText('The price of gpt-4o-mini was saved.').waitFor()
    const answer = await gateway.get('/v1/model-configs/pricing/priced/gpt-4o-mini')
    const { pay_as_you_go: price } = (await answer.json()) as { pay_as_you_go: object }
    expect(price).to.deep.equal({ request_token: { price: 0.00005 }, response_token: { price: 0.0002 } })
  })

  it('find an object by its name in the palette, and a misspelt page name', async () => {
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Go to' })
    await dialog.getByLabel('Page, object or ID').fill('two ways')
    await dialog.getByRole('button', { name: 'Two ways' }).click()
    await settled(page, 'Two ways')
    await page.goto(`${gateway.url}/console/confgis`)
    await settled(page, 'Not found')
    await page.getByRole('main').getByRole('link', { name: 'configs' }).click()
    await settled(page, 'Configs')
    await page.goto(`${gateway.url}/console/configs/two-wasy`)
    await page.getByRole('main').getByRole('link', { name: 'Two ways' }).click()
    await settled(page, 'Two ways')
  })

  it('open the consent page after a sign-in at /console/sign-in', async () => {
    await page.context().clearCookies()
    await page.goto(
      `${gateway.url}/console/sign-in?return_to=${encodeURIComponent('/oauth/authorize?client_id=x')}`,
    )
    await settled(page, 'Sign in')
    await page.getByLabel('API key').fill('test-admin-key-0123456789')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(/\/oauth\/authorize\?client_id=x/)
  })
})
