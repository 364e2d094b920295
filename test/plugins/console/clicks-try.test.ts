/**
 * Trying things out: the playground's code runs as copied, guardrails show their verdicts, and a broken target is shown
 * as such.
 */
import { expect } from 'chai'
import { openUpstream, type Upstream } from '../../support/upstream.ts'
import { accessibilityFaults, settled } from './browser.ts'
import { firstOf, furnish, maker } from './furnish.ts'
import { copyAndRun } from './run-code.ts'
import { pathOfShortPage, useConsole } from './suite.ts'

const own = { workspace_id: 'default' }

describe('the pages for trying things out', function () {
  let upstream: Upstream
  const suite = useConsole(this, {
    async prepare(gateway) {
      await furnish(gateway)
      upstream = await openUpstream()
      upstream.handle((_, response) => {
        response.writeHead(503, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } }))
      })
      await maker(gateway)('/v1/integrations', {
        ...own,
        name: 'Broken',
        ai_provider_id: 'openai',
        key: 'sk-test-0123456789',
        default_provider_slug: 'broken',
        configurations: { custom_host: upstream.url },
      })
      await maker(gateway)('/v1/configs', {
        ...own,
        name: 'Breaks',
        slug: 'breaks',
        config: {
          strategy: { mode: 'fallback' },
          targets: [
            {
              provider: '@broken',
              override_params: { model: 'gone' },
              cb_config: { failure_threshold: 2, cooldown_interval: 600_000 },
            },
            { provider: '@echo', override_params: { model: 'there' } },
          ],
        },
      })
    },
  })
  after(() => upstream?.close())

  const copies = [
    ['curl', 'choices[0].message.content'],
    ['OpenAI', 'choices[0].message.content'],
    ['Anthropic', 'content[0].text'],
  ] as const
  for (const [language, place] of copies) {
    it(`copy a playground request as ${language} code that runs unchanged`, async () => {
      const { page } = suite
      await suite.open('Playground')
      await page.getByLabel('System', { exact: true }).fill('You are kind.')
      await page.getByLabel('Message').fill('It\'s a "quoted" $HOME `text`')
      await page.getByLabel('Model').fill('@echo/any')
      const answer = await copyAndRun(page, language)
      expect(answer).to.have.nested.property(place).that.includes('"quoted" $HOME `text`')
    })
  }

  it('show the verdict of each guardrail on a playground request, passed or denied', async () => {
    const { page } = suite
    await suite.open('Playground')
    await page.getByLabel('Config').fill('two-ways')
    for (const [message, verdict] of [
      ['hello', 'passed'],
      ['my password', 'denied'],
    ] as const) {
      await page.getByLabel('Message').fill(message)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('link', { name: 'Open the log entry' }).waitFor()
      await page.getByText('What happened').click()
      const guardrails = page.getByRole('table', { name: 'Guardrails' })
      await guardrails.getByText(verdict, { exact: true }).first().waitFor()
      expect(await page.getByRole('alert').count()).to.equal(verdict === 'passed' ? 0 : 1)
      expect(await accessibilityFaults(page)).to.deep.equal([])
    }
  })

  it('show a circuit breaker that opens in the routing of its config without a reload, and on the overview', async () => {
    const { page, gateway } = suite
    await suite.openObject('Configs', 'Breaks')
    const figure = page.getByRole('figure', { name: 'Routing' })
    await figure.getByText('100%').first().waitFor()
    expect(await figure.getByText('circuit open').count()).to.equal(0)
    for (let count = 0; count < 2; count += 1) {
      const response = await gateway.post(
        '/v1/chat/completions',
        { model: 'any', messages: [{ role: 'user', content: 'hello' }] },
        { 'x-gateway-config': 'breaks' },
      )
      expect(response.status).to.equal(200)
    }
    await figure.getByText('circuit open').waitFor()
    await figure.getByText('2 failures, last status 503').first().waitFor()
    await figure.getByText('Table').click()
    const target = figure.getByRole('row', { name: /^target 1 / })
    await target.getByRole('cell', { name: 'open', exact: true }).waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await suite.open('Overview')
    const row = page.getByRole('table', { name: 'Needs attention' }).getByRole('row', { name: /@broken/ })
    await row.getByText('open', { exact: true }).waitFor()
    await row.getByText('2 failures, last status 503', { exact: false }).waitFor()
  })

  it('open an object, a log entry and a trace by their ids in the palette', async () => {
    const { page, gateway } = suite
    const key = await firstOf(gateway, '/v1/api-keys')
    const log = await firstOf(gateway, '/v1/logs')
    await suite.visit(pathOfShortPage, 'Labels')
    for (const [id, choice, title] of [
      [String(key.id), String(key.name), String(key.name)],
      [String(log.trace_id), `${String(log.trace_id)} trace`, 'Trace'],
      [String(log.id), `${String(log.id)} log entry`, 'Log entry'],
    ] as const) {
      await page.keyboard.press('Control+k')
      const dialog = page.getByRole('dialog', { name: 'Go to' })
      await dialog.getByLabel('Page, object or ID').fill(id)
      await dialog.getByRole('listitem').filter({ hasText: choice }).getByRole('button').click()
      await settled(page, title)
    }
    expect(new URL(page.url()).pathname).to.equal(`/console/logs/${String(log.id)}`)
  })
})
