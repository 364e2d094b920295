/** A config that is built in the tree next to the JSON, with one history, and run on requests of the last hour. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { checkLooks, countClicks, settled } from './browser.ts'
import { maker } from './furnish.ts'
import { useConsole } from './suite.ts'

interface Config {
  strategy?: { mode?: string; conditions?: unknown[]; default?: string }
  targets?: { name?: string; provider?: string; weight?: number; override_params?: { model?: string } }[]
  cache?: unknown
  input_guardrails?: string[]
  retry?: unknown
}

describe('a config built by hand', function () {
  const suite = useConsole(this, {
    async prepare(gateway) {
      const make = maker(gateway)
      await make('/v1/guardrails', {
        workspace_id: 'default',
        name: 'No passwords',
        slug: 'no-passwords',
        checks: [{ id: 'default.contains', parameters: { words: ['password'], operator: 'none' } }],
        actions: { deny: true },
      })
      await make('/v1/configs', {
        workspace_id: 'default',
        name: 'By hand',
        slug: 'by-hand',
        config: { provider: '@echo', override_params: { model: 'small' } },
      })
      for (const plan of ['pro', 'free'])
        await gateway.post(
          '/v1/chat/completions',
          { ...chat(`hello from ${plan}`), model: '@echo/any' },
          { 'x-gateway-metadata': JSON.stringify({ plan }) },
        )
      await until('both requests are logged', async () => {
        const { total } = (await (await gateway.get('/v1/logs')).json()) as { total: number }
        return total === 2 ? total : undefined
      })
    },
  })
  const saved = async (): Promise<Config> => {
    const response = await suite.gateway.get('/v1/configs/by-hand')
    return ((await response.json()) as { config: Config }).config
  }
  const tool = (name: string) => suite.page.getByRole('button', { name, exact: true })
  const node = () => suite.page.getByRole('region', { name: /^Settings of / })

  it('becomes a fallback with a second model, a cache and a guardrail in seven clicks', async () => {
    const { page } = suite
    await suite.open('Configs')
    const clicks = await countClicks(page)
    await page.getByRole('table').getByRole('link', { name: 'By hand' }).click()
    await settled(page, 'By hand')
    await tool('Add a target to the config').click()
    await node().getByLabel('Model').fill('large')
    await page.getByRole('button', { name: 'Targets', exact: true }).click()
    await node().getByLabel('Cache', { exact: true }).selectOption('simple')
    await node().getByRole('group', { name: 'Guardrails on requests' }).getByLabel('No passwords').check()
    await tool('Move up target 2').click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await clicks()).to.be.at.most(7)
    expect(await saved()).to.deep.equal({
      strategy: { mode: 'fallback' },
      targets: [
        { provider: '@echo', override_params: { model: 'large' } },
        { provider: '@echo', override_params: { model: 'small' } },
      ],
      cache: { mode: 'simple' },
      input_guardrails: ['no-passwords'],
    })
    await checkLooks(page, 'the editor of a config')
  })

  it('has one history for the tree and the JSON', async () => {
    const { page } = suite
    await suite.visit('/configs/new', 'New config')
    const fault = page.getByText(/^No provider specified/)
    await page.waitForLoadState('networkidle')
    expect(await fault.count(), 'before anything is written').to.equal(0)
    const json = page.locator('.cm-content')
    const text = async () => JSON.parse((await json.innerText()).replaceAll('\u200b', '')) as Config
    await page.getByRole('group', { name: 'Config' }).or(json).first().waitFor()
    await tool('Add a target to the config').click()
    await page.getByRole('list').getByRole('button', { name: 'Move down target 1' }).waitFor()
    await json.fill('{"provider": "@echo"}')
    await tool('Move down target 1').waitFor({ state: 'detached' })
    await node().getByLabel('Retries').selectOption('3')
    await until('the retries are in the JSON', async () => (await text()).retry as object | undefined)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await until('the retries are undone', async () => ((await text()).retry === undefined ? true : undefined))
    expect(await text()).to.deep.equal({ provider: '@echo' })
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await tool('Move down target 1').waitFor()
    // The editor's keys go through the same history.
    await json.focus()
    await page.keyboard.press('Control+z')
    await tool('Move down target 1').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+y')
    await tool('Move down target 1').waitFor()
  })

  it('routes by a metadata key of real requests, and shows their targets before it is saved', async () => {
    const { page } = suite
    await suite.openObject('Configs', 'By hand')
    const before = await saved()
    await page.getByRole('button', { name: 'Targets', exact: true }).click()
    await node().getByLabel('Selects').selectOption('conditional')
    await tool('Add condition').click()
    const condition = page.getByRole('group', { name: 'Condition 1' })
    expect(await condition.getByLabel('If').inputValue()).to.equal('metadata.plan')
    await condition.getByLabel('Value').fill('pro')
    await condition.getByLabel('Then').selectOption('target-2')
    await page.getByRole('button', { name: 'Try on the last hour' }).click()
    const table = page.getByRole('table', { name: 'Where they would go' })
    for (const model of ['large', 'small'])
      await table.getByRole('row', { name: new RegExp(`@echo · ${model} 1 `) }).waitFor()
    await page.getByText('Each request').click()
    const each = page.getByRole('table', { name: 'Requests of the last hour' })
    await each.getByRole('row', { name: /plan: pro .*echo · any @echo · small/ }).waitFor()
    await each.getByRole('row', { name: /plan: free .*echo · any @echo · large/ }).waitFor()
    expect(await saved(), 'nothing was saved').to.deep.equal(before)
    expect(page.url(), 'a link cannot hold a draft').not.to.include('last_hour')
    await checkLooks(page, 'a dry run on the last hour')
  })

  it('has the run on the last hour in its address once it is saved', async () => {
    const { page } = suite
    await suite.openObject('Configs', 'By hand')
    const before = page.url()
    await page.getByLabel('Requests', { exact: true }).selectOption('own')
    await page.getByRole('button', { name: 'Try on the last hour' }).click()
    const result = page.getByText(/The hour ended at/)
    const said = await result.innerText()
    expect(new URL(page.url()).searchParams.get('last_hour_of')).to.equal('own')
    await page.reload()
    await settled(page, 'By hand')
    expect(await result.innerText(), 'the same hour').to.equal(said)
    expect(await page.getByLabel('Requests', { exact: true }).inputValue()).to.equal('own')
    await page.goBack()
    await result.waitFor({ state: 'detached' })
    expect(page.url()).to.equal(before)
  })

  it('shares by weight, moves a target into another node, and removes it', async () => {
    const { page } = suite
    await suite.openObject('Configs', 'By hand')
    await page.getByRole('button', { name: 'Targets', exact: true }).click()
    await node().getByLabel('Selects').selectOption('loadbalance')
    await tool('Add a target to target 2').click()
    await page
      .getByRole('button', { name: /@echo · large/ })
      .first()
      .click()
    await node().getByLabel('Weight').fill('3')
    await node().getByLabel('Move into').selectOption('config.targets[1]')
    await page.getByRole('region', { name: 'Settings of target 1.3' }).waitFor()
    await tool('Remove target 1.3').click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const small = { provider: '@echo', override_params: { model: 'small' } }
    expect(await saved()).to.deep.include({
      strategy: { mode: 'loadbalance' },
      targets: [{ strategy: { mode: 'fallback' }, targets: [small, small] }],
    })
  })

  it('runs on a sample of the whole hour when there are many requests, shown in pages', async () => {
    const { page, gateway } = suite
    const requests = 250
    for (let sent = 0; sent < requests; sent += 25)
      await Promise.all(
        Array.from({ length: 25 }, (_, index) =>
          gateway.post(
            '/v1/chat/completions',
            { ...chat('one of many'), model: '@echo/any' },
            // Without this, rows of the same second would look alike.
            { 'x-gateway-metadata': JSON.stringify({ number: String(sent + index) }) },
          ),
        ),
      )
    await until('the requests are logged', async () => {
      const { total } = (await (await gateway.get('/v1/logs')).json()) as { total: number }
      return total > requests ? total : undefined
    })
    await suite.openObject('Configs', 'By hand')
    await page.getByRole('button', { name: 'Try on the last hour' }).click()
    const said = page.getByText(/A sample of \d+ of \d+ requests, taken evenly from the last hour/)
    const [, run = '', total = ''] = /A sample of (\d+) of (\d+)/.exec(await said.innerText()) ?? []
    expect(Number(run)).to.be.within(190, 200)
    expect(Number(total)).to.be.at.least(requests)
    await page.getByText('Each request').click()
    const each = page.getByRole('table', { name: 'Requests of the last hour' })
    const pages = page.getByRole('navigation', { name: 'Pages of requests' })
    await pages.getByText(`1–20 of ${run}`).waitFor()
    const first = await each.innerText()
    await pages.getByRole('button', { name: 'Next' }).click()
    await pages.getByText(`21–40 of ${run}`).waitFor()
    expect(await each.innerText()).not.to.equal(first)
  })
})
