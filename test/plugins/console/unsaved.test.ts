/** Unsaved changes are neither lost nor saved over a version that another user has saved in the meantime. */
import { expect } from 'chai'
import type { Route } from 'playwright-core'
import { adminKey } from '../../support/gateway.ts'
import { settled } from './browser.ts'
import { maker, put } from './furnish.ts'
import { useConsole } from './suite.ts'

type Row = Record<string, unknown>

const own = { workspace_id: 'default' }
const template = JSON.stringify([{ role: 'user', content: 'Hello' }])

describe('unsaved changes', function () {
  const suite = useConsole(this)
  const field = (label: string) => suite.page.getByLabel(label, { exact: true })
  const button = (name: string) => suite.page.getByRole('button', { name, exact: true })
  const read = async (path: string): Promise<Row> => (await suite.gateway.get(path)).json() as Promise<Row>
  const makeConfig = (name: string) =>
    maker(suite.gateway)('/v1/configs', { ...own, name, slug: name, config: { retry: { attempts: 2 } } })
  /** Any earlier end would let another request of the page open the dialog before the test has clicked on Save. */
  const endSessionOnSave = async () => {
    let hasEnded = false
    await suite.page.route('**/v1/configs/*', async (route) => {
      if (!hasEnded && route.request().method() === 'PUT') {
        hasEnded = true
        await suite.page.context().clearCookies()
      }
      await route.continue()
    })
  }
  const signInAgain = async () => {
    const dialog = suite.page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('API key').fill(adminKey)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  it('of a prompt are added to its latest version, not to the published one', async () => {
    const { id } = await maker(suite.gateway)('/v1/prompts', {
      ...own,
      name: 'Two models',
      model: '@echo/small',
      string: template,
      parameters: {},
    })
    await put(suite.gateway, `/v1/prompts/${String(id)}`, { model: '@echo/large', patch: true })
    await suite.visit(`/prompts/${String(id)}`, 'Two models')
    expect(await field('Model').inputValue()).to.equal('@echo/large')
    await suite.page.getByText('2; version 1 is published').waitFor()
    await field('Temperature').fill('0.5')
    await button('Save').click()
    await suite.page.getByText('Saved.', { exact: true }).waitFor()
    expect(await read(`/v1/prompts/${String(id)}@latest`)).to.deep.include({
      prompt_version: 3,
      model: '@echo/large',
      parameters: { temperature: 0.5 },
    })
  })

  it('do not replace a version that was saved in the meantime: both are shown', async () => {
    const { id } = await makeConfig('two-tabs')
    await suite.visit(`/configs/${String(id)}`, 'two-tabs')
    await field('Name').fill('Mine')
    await put(suite.gateway, `/v1/configs/${String(id)}`, {
      name: 'Theirs',
      config: { retry: { attempts: 5 } },
    })
    await button('Save').click()
    const newer = suite.page.getByRole('region', { name: 'Newer version' })
    await newer.waitFor()
    const difference = newer.getByLabel('Difference of Name')
    expect(await difference.textContent())
      .to.include('Theirs')
      .and.to.include('Mine')
    expect(await newer.getByLabel('Difference of Config').textContent()).to.include('5')
    expect((await read(`/v1/configs/${String(id)}`)).name).to.equal('Theirs')
    await button('Keep my changes').click()
    await button('Save').click()
    await suite.page.getByText('Saved.', { exact: true }).waitFor()
    expect(await read(`/v1/configs/${String(id)}`)).to.deep.include({
      name: 'Mine',
      config: { retry: { attempts: 5 } },
    })
    await field('Name').fill('Mine again')
    await button('Save').click()
    await settled(suite.page, 'Mine again')
  })

  it('of a config are shown by its dry run and its tree', async () => {
    const { page } = suite
    const { id } = await makeConfig('draft')
    await suite.visit(`/configs/${String(id)}`, 'draft')
    await page.getByText('with the saved config').waitFor()
    await page
      .locator('.cm-content')
      .fill(
        '{"strategy": {"mode": "fallback"}, "targets": [{"provider": "@echo", "override_params": {"model": "drafted"}}]}',
      )
    await page.getByText('with the config in the editor, which is not saved yet').waitFor()
    await page.getByRole('figure', { name: 'Routing' }).getByText('drafted').first().waitFor()
    await button('Dry run').click()
    await page.getByText('The config is valid.').waitFor()
    expect((await read(`/v1/configs/${String(id)}`)).config).to.deep.equal({ retry: { attempts: 2 } })
  })

  it('are not discarded without a confirmation', async () => {
    const { page } = suite
    const { id } = await makeConfig('left')
    await suite.open('Configs')
    await page.getByRole('link', { name: 'left', exact: true }).click()
    await settled(page, 'left')
    await field('Name').fill('Changed')
    await page.getByRole('link', { name: 'Logs', exact: true }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await button('Cancel').click()
    await page.goBack()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await button('Cancel').click()
    expect(await field('Name').inputValue()).to.equal('Changed')
    expect(new URL(page.url()).pathname).to.equal(`/console/configs/${String(id)}`)
    await page.goBack()
    await button('Leave').click()
    await settled(page, 'Configs')
    expect(await page.getByRole('table').textContent()).not.to.include('Changed')
  })

  it('are still there after signing in again when the session has ended', async () => {
    const { page } = suite
    const { id } = await makeConfig('ended')
    await suite.visit(`/configs/${String(id)}`, 'ended')
    await field('Name').fill('After the session')
    await endSessionOnSave()
    await button('Save').click()
    await signInAgain()
    expect(await field('Name').inputValue()).to.equal('After the session')
    await button('Save').click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await settled(page, 'After the session')
    expect((await read(`/v1/configs/${String(id)}`)).name).to.equal('After the session')
  })

  it('can be saved although an earlier request is refused only after signing in again', async () => {
    const { page } = suite
    const { id } = await makeConfig('late')
    await suite.visit(`/configs/${String(id)}`, 'late')
    await page.getByText('with the saved config').waitFor()
    const dryRuns: Route[] = []
    const isHeld = new Promise<void>((resolve) => {
      void page.route('**/v1/dry-run', async (route) => {
        dryRuns.push(route)
        if (dryRuns.length > 1) await route.continue()
        resolve()
      })
    })
    await field('Name').fill('After a late answer')
    await page.locator('.cm-content').fill('{"provider": "@echo", "override_params": {"model": "late"}}')
    await isHeld
    await endSessionOnSave()
    await button('Save').click()
    await signInAgain()
    await dryRuns[0]?.fulfill({
      status: 401,
      json: { error: { code: 'unauthenticated', message: 'No key.' } },
    })
    await page.getByText('with the config in the editor, which is not saved yet').waitFor()
    await button('Save').click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect((await read(`/v1/configs/${String(id)}`)).name).to.equal('After a late answer')
  })
})
