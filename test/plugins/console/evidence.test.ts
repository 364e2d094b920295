/**
 * Changes based on evidence: a replay with its estimate and report, a rollout that is cancelled, shadows, and capacity.
 */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { checkLooks, countClicks, settled } from './browser.ts'
import { maker, put } from './furnish.ts'
import { pathOfShortPage, useConsole } from './suite.ts'

const own = { workspace_id: 'default' }

describe('pages for changes based on evidence', function () {
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream((request, response) => {
      const model = String(request.json?.model)
      const headers = {
        'x-ratelimit-limit-requests': '500',
        'x-ratelimit-remaining-requests': '412',
        'x-ratelimit-reset-requests': '6m0s',
      }
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      sendJson(response, 200, chatAnswer(model === 'gpt-4o-mini' ? 'Paris.' : '{"city":"Paris"}', { model }))
    })
  })
  after(() => upstream.close())
  const suite = useConsole(this, {
    startsOn: pathOfShortPage,
    async prepare(gateway) {
      const make = maker(gateway)
      await make('/v1/integrations', {
        ...own,
        name: 'Main',
        ai_provider_id: 'openai',
        key: 'sk-test-0123456789',
        default_provider_slug: 'main',
        configurations: { custom_host: `${upstream.origin}/v1` },
      })
      const config = await make('/v1/configs', {
        ...own,
        name: 'Cheaper model',
        slug: 'cheaper',
        config: { provider: '@main', override_params: { model: 'gpt-4o-mini' } },
      })
      await put(gateway, `/v1/configs/${String(config.id)}`, {
        config: { provider: '@main', override_params: { model: 'gpt-4o-mini' }, retry: { attempts: 1 } },
        publish: false,
      })
      await make('/v1/configs', {
        ...own,
        name: 'Shadowed',
        slug: 'shadowed',
        config: { provider: '@main', shadow: { config: '#cheaper', sample_percent: 50, budget_per_day: 5 } },
      })
      for (let count = 0; count < 8; count++) {
        const asked = {
          ...chat(`Which city? (${count})`),
          model: '@main/gpt-4o',
          response_format: { type: 'json_object' },
        }
        await (await gateway.post('/v1/chat/completions', asked)).text()
      }
      await gateway.runtime.logs.flush()
    },
  })

  it('replay logged requests against a config, with an estimate, in five clicks', async () => {
    const { page } = suite
    const clicks = await countClicks(page)
    await suite.openObject('Configs', 'Cheaper model')
    await page.getByRole('link', { name: 'Replay requests against this config' }).click()
    await settled(page, 'New replay')
    await page.getByRole('button', { name: 'Estimate' }).click()
    await page.getByRole('region', { name: 'Estimate' }).getByText('8 requests are drawn').waitFor()
    expect(await page.getByRole('region', { name: 'Estimate' }).textContent()).to.match(/About \$0\.0/)
    await page.getByRole('button', { name: 'Start' }).click()
    await page.waitForURL(/\/replays\/[0-9a-f-]{36}$/)
    expect(await clicks()).to.equal(5)
    await page.getByText('completed', { exact: true }).waitFor()
    const row = page.getByRole('table', { name: 'Differences' }).getByRole('row', { name: /^Valid JSON/ })
    await row.getByText('worse', { exact: true }).waitFor()
    expect(await row.textContent()).to.include('−100%')
    await page
      .getByRole('region', { name: 'What changes' })
      .getByText(/Worse: valid json −100%/i)
      .waitFor()
    await page.getByRole('button', { name: /^Refresh the pairs/ }).click()
    const pair = page.locator('details.pair-item').first()
    await pair.getByText('invalid JSON').first().waitFor()
    await pair.locator('summary').first().click()
    await pair.getByRole('list', { name: 'Answer of the baseline' }).getByText('{"city":"Paris"}').waitFor()
    await pair.getByRole('list', { name: 'Answer of the candidate' }).getByText('Paris.').waitFor()
    await checkLooks(page, 'replay')
  })

  it('show an error of a replay next to its field, and send nothing', async () => {
    const { page } = suite
    await suite.visit('/replays/new', 'New replay')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Choose a config, or write one.').waitFor()
    await page.getByLabel('Saved config').selectOption('cheaper')
    await page.getByLabel('Model').fill('no-such-model')
    await page.getByRole('button', { name: 'Estimate' }).click()
    await page
      .getByRole('region', { name: 'Estimate' })
      .getByText(/no log entry/)
      .waitFor()
  })

  it('roll out a version that is not live in four clicks, and cancel it', async () => {
    const { page, gateway } = suite
    const clicks = await countClicks(page)
    await suite.openObject('Configs', 'Cheaper model')
    await page.getByRole('button', { name: 'Roll out' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
    await page.getByText('5% of the steps 5, 25, 100').waitFor()
    expect(await clicks()).to.equal(4)
    await page.getByRole('table', { name: 'Both versions in the last 5 minutes' }).getByText('5%').waitFor()
    await checkLooks(page, 'rollout')
    await page.getByRole('button', { name: 'Cancel the rollout' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the rollout' }).click()
    await until('the rollout is cancelled', async () => {
      const { status } = (await (await gateway.get('/v1/configs/cheaper/rollout')).json()) as {
        status: string
      }
      return status === 'cancelled'
    })
    await page.getByText('cancelled', { exact: true }).waitFor()
  })

  it('save a version without making it live', async () => {
    const { page } = suite
    await suite.openObject('Configs', 'Shadowed')
    await page.getByLabel('Name').fill('Shadowed traffic')
    await page.getByLabel('When saved').selectOption('Only save the new version, to roll it out')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/needs config/)
      .waitFor()
  })

  it('show the shadow of a config', async () => {
    const { page } = suite
    await suite.visit('/configs/shadowed', 'Shadowed')
    const row = page.getByRole('table', { name: 'Shadows' }).getByRole('row').nth(1)
    await row.getByText('#cheaper').waitFor()
    expect(await row.textContent()).to.include('50%')
  })

  it('show the remaining limits of a provider in one click', async () => {
    const { page } = suite
    await suite.open('Capacity')
    await page
      .getByRole('table', { name: 'Targets' })
      .getByText(/412 of 500 requests, resets in/)
      .first()
      .waitFor()
    await checkLooks(page, 'capacity')
  })
})
