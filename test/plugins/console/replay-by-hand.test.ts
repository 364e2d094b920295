/**
 * A logged request in the playground: edited, compared on several models, and saved as a prompt version or a test case.
 */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { checkLooks, countClicks, settled } from './browser.ts'
import { firstOf, maker, put } from './furnish.ts'
import { useConsole } from './suite.ts'

const text = (content: string) => JSON.stringify([{ role: 'user', content }])

interface Prompt {
  latest_version: number
  model: string
  string: string
  parameters: object
  test_cases: unknown
}

describe('a logged request, replayed by hand', function () {
  const suite = useConsole(this, {
    async prepare(gateway) {
      await maker(gateway)('/v1/prompts', {
        workspace_id: 'default',
        name: 'Welcome',
        slug: 'welcome',
        model: '@echo/any',
        string: text('Welcome {{name}}.'),
        parameters: {},
      })
      await gateway.post('/v1/prompts/welcome/completions', { variables: { name: 'Ann' } })
      await put(gateway, '/v1/prompts/welcome', { patch: true, publish: true, string: text('Bye {{name}}.') })
      await gateway.post(
        '/v1/chat/completions',
        { ...chat('how are you'), model: '@echo/any', temperature: 0.5 },
        { 'x-gateway-metadata': '{"team": "shop"}' },
      )
      await until('both requests are logged', async () => {
        const { total } = (await (await gateway.get('/v1/logs')).json()) as { total: number }
        return total === 2 ? total : undefined
      })
    },
  })
  const prompt = async (slug: string) =>
    (await (await suite.gateway.get(`/v1/prompts/${slug}@latest`)).json()) as Prompt

  it('runs the version of the prompt that was logged, and becomes a test case in seven clicks', async () => {
    const { page } = suite
    await suite.visit('/logs?prompt_slug=welcome', 'Logs')
    const clicks = await countClicks(page)
    await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
    await settled(page, 'Log entry')
    await page.getByRole('button', { name: 'To playground' }).click()
    await settled(page, 'Playground')
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).to.equal('welcome@1')
    await page.getByLabel('name', { exact: true }).fill('Bob')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('log').getByText('Welcome Bob.').waitFor()
    await page.getByRole('button', { name: 'Save as test case' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Bob')
    await dialog.getByLabel('Text').fill('Bob')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as a test case of welcome.').waitFor()
    expect(await clicks()).to.be.at.most(7)
    const { test_cases: cases, latest_version: latest } = await prompt('welcome')
    expect(cases).to.deep.equal([
      { name: 'Bob', variables: { name: 'Bob' }, expected: [{ type: 'contains', value: 'Bob' }] },
    ])
    expect(latest, 'a test case adds no version').to.equal(2)
  })

  it('is in the address, so a reload keeps its metadata, parameters, turns and message', async () => {
    const { page, gateway } = suite
    const turns = [
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: 'One.' },
    ]
    await gateway.post(
      '/v1/chat/completions',
      {
        model: '@echo/any',
        temperature: 0.5,
        messages: [...turns, { role: 'user', content: 'and after that' }],
      },
      { 'x-gateway-metadata': '{"team": "shop"}', 'x-gateway-config': '{"retry": {"attempts": 2}}' },
    )
    const { id } = await firstOf(gateway, '/v1/logs?search=after%20that')
    await suite.visit(`/logs/${String(id)}`, 'Log entry')
    await page.getByRole('button', { name: 'To playground' }).click()
    await settled(page, 'Playground')
    const json = async (label: string): Promise<unknown> =>
      JSON.parse(await page.getByLabel(label, { exact: true }).inputValue())
    const check = async (model: string) => {
      expect(await page.getByLabel('Model', { exact: true }).inputValue()).to.equal(model)
      expect(await page.getByLabel('Message', { exact: true }).inputValue()).to.equal('and after that')
      expect(await json('Turns before the last one')).to.deep.equal(turns)
      expect(await json('Metadata')).to.deep.equal({ team: 'shop' })
      expect(await json('Parameters')).to.deep.equal({ temperature: 0.5 })
      expect(await json('Config')).to.deep.equal({ retry: { attempts: 2 } })
    }
    await check('@echo/any')
    expect(new URL(page.url()).searchParams.get('log')).to.equal(id)
    expect(page.url()).not.to.include('after')
    await page.getByLabel('Model', { exact: true }).fill('@echo/other')
    await page.waitForURL(/other/)
    await page.reload()
    await settled(page, 'Playground')
    await check('@echo/other')
    await page.getByRole('navigation').getByRole('link', { name: 'Playground', exact: true }).click()
    await page.getByText('and after that').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).to.equal('')
  })

  it('opens an empty playground when it no longer exists', async () => {
    const { page } = suite
    await suite.visit('/playground?log=gone', 'Playground')
    await page.getByRole('alert').waitFor()
    await page.getByRole('link', { name: 'Start with an empty playground.' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  })

  it('of any endpoint becomes a test case of a prompt whose variables are filled in, in six clicks', async () => {
    const { page } = suite
    await suite.visit('/logs?search=how%20are%20you', 'Logs')
    const clicks = await countClicks(page)
    await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
    await settled(page, 'Log entry')
    await page.getByRole('button', { name: 'Save as test case' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Text').inputValue(), 'the logged answer').to.include('how are you')
    await dialog.getByLabel('Prompt').selectOption('welcome')
    await dialog.getByLabel('Name', { exact: true }).fill('From the log')
    await dialog.getByLabel('name', { exact: true }).fill('Cid')
    await dialog.getByLabel('Text').fill('Cid')
    await checkLooks(page, 'the dialog for a test case')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as a test case of welcome.').waitFor()
    expect(await clicks()).to.be.at.most(6)
    expect(((await prompt('welcome')).test_cases as unknown[]).at(-1)).to.deep.equal({
      name: 'From the log',
      variables: { name: 'Cid' },
      expected: [{ type: 'contains', value: 'Cid' }],
    })
  })

  it('becomes a new prompt with its first test case', async () => {
    const { page } = suite
    await suite.visit('/logs?search=how%20are%20you', 'Logs')
    await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
    await settled(page, 'Log entry')
    await page.getByRole('button', { name: 'Save as test case' }).click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Greets')
    await page.getByRole('dialog').getByLabel('Text').fill('how')
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    const notice = page.getByText(/Saved as the first test case of the new prompt /)
    const [slug = ''] = /pr-[\w-]+/.exec(await notice.innerText()) ?? []
    expect(await prompt(slug)).to.deep.include({
      string: text('how are you'),
      test_cases: [{ name: 'Greets', variables: {}, expected: [{ type: 'contains', value: 'how' }] }],
    })
  })

  it('is compared on four models, and one of them becomes a new prompt', async () => {
    const { page } = suite
    await suite.visit('/logs?search=how%20are%20you', 'Logs')
    await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
    await settled(page, 'Log entry')
    await page.getByRole('button', { name: 'To playground' }).click()
    await settled(page, 'Playground')
    await page.getByRole('button', { name: 'Compare two' }).click()
    await page.getByRole('button', { name: 'Add another' }).click()
    await page.getByRole('button', { name: 'Add another' }).click()
    expect(await page.getByRole('button', { name: 'Add another' }).count()).to.equal(0)
    for (const [index, model] of ['@echo/a', '@echo/b', '@echo/c', '@echo/d'].entries())
      await page
        .getByRole('group', { name: `Target ${index + 1}` })
        .getByLabel('Model')
        .fill(model)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    for (const index of [1, 2, 3, 4])
      await page
        .getByRole('log', { name: `Answer ${index}` })
        .getByText('how are you')
        .waitFor()
    await checkLooks(page, 'four targets side by side')
    await page.getByRole('button', { name: 'Save as prompt version' }).nth(2).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Small talk')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    const notice = page.getByText(/Saved as version 1 of the new prompt /)
    const [slug = ''] = /pr-[\w-]+/.exec(await notice.innerText()) ?? []
    expect(await prompt(slug)).to.deep.include({
      model: '@echo/c',
      string: text('how are you'),
      parameters: { temperature: 0.5 },
    })
  })
})
