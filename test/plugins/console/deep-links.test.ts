/** The open parts of a page are in its address: a link opens them again, and Back closes them. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { TestGateway } from '../../support/gateway.ts'
import { settled } from './browser.ts'
import { firstOf, maker, titles } from './furnish.ts'
import { prepare } from './optimistic-changes.ts'
import { useConsole } from './suite.ts'

interface Opened {
  title: string
  /** Returns the path of the page below /console. */
  open: (gateway: TestGateway) => Promise<string>
  heading: string
  press: (page: Page) => Promise<unknown>
  /** The parameter of the address. */
  parameter: RegExp
  /** A part of the page that is visible while it is open. */
  shows: (page: Page) => ReturnType<Page['locator']>
}

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
const one = (api: string, path: string) => async (gateway: TestGateway) =>
  `/${path}/${String((await firstOf(gateway, api)).id)}`

const states: readonly Opened[] = [
  {
    title: 'the form for a key',
    open: async () => '/keys',
    heading: 'Keys',
    press: press('Create key'),
    parameter: /create=1/,
    shows: (page) => dialog(page, 'Create an API key'),
  },
  {
    title: 'the form for an invite',
    open: async () => '/users',
    heading: 'Users',
    press: press('Invite'),
    parameter: /create=1/,
    shows: (page) => dialog(page, 'Invite a person'),
  },
  {
    title: 'the form for a batch',
    open: async () => '/batches',
    heading: 'Batches and files',
    press: press('Start a batch'),
    parameter: /create=1/,
    shows: (page) => dialog(page, 'Start a batch'),
  },
  {
    title: 'the form that makes a test case of a logged request',
    open: one('/v1/logs', 'logs'),
    heading: 'Log entry',
    press: press('Save as test case'),
    parameter: /save=case/,
    shows: (page) => dialog(page, 'Save as test case'),
  },
  {
    title: 'the form for a SCIM token',
    open: async () => '/scim',
    heading: 'SCIM',
    press: press('Create token'),
    parameter: /create=1/,
    shows: (page) => dialog(page, 'Create token'),
  },
  {
    title: 'the rotation of a key',
    open: one('/v1/api-keys?search=web', 'keys'),
    heading: titles.keys,
    press: press('Rotate'),
    parameter: /rotate=1/,
    shows: (page) => dialog(page, 'Rotate this key'),
  },
  {
    title: 'an entry of the audit log',
    open: async () => '/audit',
    heading: 'Audit',
    press: (page) => page.getByRole('table', { name: 'Audit' }).getByRole('button').nth(1).click(),
    parameter: /entry=/,
    shows: (page) => page.getByRole('dialog'),
  },
  {
    title: 'the price of a model',
    open: one('/v1/providers?search=main', 'providers'),
    heading: titles.providers,
    press: press(/^Price of/),
    parameter: /price=/,
    shows: (page) => dialog(page, /^Price of/),
  },
  {
    title: 'the form for another credential',
    open: one('/v1/providers?search=main', 'providers'),
    heading: titles.providers,
    press: press('Replace the credential'),
    parameter: /credential=replace/,
    shows: (page) => dialog(page, 'Replace the credential'),
  },
  {
    title: 'the form for the name of a version',
    open: one('/v1/prompts?search=ode', 'prompts'),
    heading: 'Ode',
    press: press('Name version 1'),
    parameter: /name=1/,
    shows: (page) => dialog(page, 'Name version 1'),
  },
  {
    title: 'an earlier version of a config',
    open: one('/v1/configs?search=rolled', 'configs'),
    heading: 'Rolled',
    press: press('Version 1'),
    parameter: /compare=1/,
    shows: (page) => page.getByRole('heading', { name: 'Version 1 compared with now' }),
  },
  {
    title: 'the rollout of a version',
    open: one('/v1/configs?search=rolled', 'configs'),
    heading: 'Rolled',
    press: press('Roll out'),
    parameter: /roll_out=/,
    shows: (page) => dialog(page, /^Roll out version/),
  },
]

describe('an address of the console', function () {
  const suite = useConsole(this, { prepare })

  for (const { title, open, heading, press, parameter, shows } of states)
    it(`names what is open, and Back closes it: ${title}`, async () => {
      const { page } = suite
      await suite.visit(await open(suite.gateway), heading)
      const before = page.url()
      await press(page)
      await shows(page).waitFor()
      expect(page.url()).to.match(parameter)
      await page.reload()
      await settled(page, heading)
      await shows(page).waitFor()
      await page.goBack()
      await shows(page).waitFor({ state: 'detached' })
      expect(page.url()).to.equal(before)
    })

  it('keeps the page number of a list behind a form', async () => {
    const { page } = suite
    await suite.visit('/keys?search=web&current_page=1', 'Keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).to.equal('?search=web&current_page=1')
  })

  it('names the node of a config that is edited', async () => {
    const { page } = suite
    await suite.openObject('Configs', titles.configs)
    const tree = page.getByRole('figure', { name: 'Routing' })
    await tree.getByRole('button', { name: /small/ }).first().click()
    await page.waitForURL(/node=/)
    await page.reload()
    await settled(page, titles.configs)
    await tree
      .getByRole('button', { name: /small/, pressed: true })
      .or(tree.locator('[aria-current]'))
      .first()
      .waitFor()
  })

  it('names the selected workspace, which links and reloads keep, and Back reverts', async () => {
    const { page, gateway } = suite
    await maker(gateway)('/v1/workspaces', { name: 'Team B', slug: 'team-b' })
    await suite.visit('/configs', 'Configs')
    const choice = page.getByLabel('Show', { exact: true })
    await choice.selectOption('team-b')
    await page.waitForURL(/\/configs\?workspace=team-b$/)
    await page.getByText(/There is no config yet/).waitFor()
    await suite.open('Logs')
    expect(new URL(page.url()).search).to.equal('?workspace=team-b')
    await page.reload()
    await settled(page, 'Logs')
    await choice.locator('option[value="team-b"]:checked').waitFor({ state: 'attached' })
    await page.goBack()
    await settled(page, 'Configs')
    await page.goBack()
    await page.getByRole('table').getByRole('link', { name: 'Rolled', exact: true }).waitFor()
    expect(await choice.inputValue()).to.equal('')
    await choice.selectOption('team-b')
    await choice.selectOption('')
    await page.waitForURL(/\/configs$/)
  })

  it('names the target of the playground', async () => {
    const { page } = suite
    await suite.openObject('Prompts', 'Ode')
    await page.getByRole('button', { name: 'To playground' }).click()
    await settled(page, 'Playground')
    await page.waitForURL(/prompt=ode/)
    await page.reload()
    await settled(page, 'Playground')
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).to.match(/^ode/)
    await suite.visit('/playground?model=@echo/any', 'Playground')
    await page.getByLabel('Message', { exact: true }).fill('hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('hello').nth(1).waitFor()
  })

  it('names all targets of the playground that are compared', async () => {
    const { page } = suite
    await suite.visit('/playground?model=@echo/one', 'Playground')
    await page.getByRole('button', { name: 'Compare two' }).click()
    await page.getByRole('group', { name: 'Target 2' }).getByLabel('Model').fill('@echo/two')
    await page.getByRole('button', { name: 'Add another' }).click()
    await page.getByRole('group', { name: 'Target 3' }).getByLabel('Prompt').fill('ode')
    await page.waitForURL(/prompt3=ode/)
    await page.reload()
    await settled(page, 'Playground')
    const values = async (label: string) =>
      Promise.all((await page.getByLabel(label, { exact: true }).all()).map((field) => field.inputValue()))
    expect(await values('Model')).to.deep.equal(['@echo/one', '@echo/two', '@echo/two'])
    expect(await values('Prompt')).to.deep.equal(['', '', 'ode'])
    await page.getByRole('button', { name: 'Only one' }).click()
    await page.waitForURL(({ search }) => search.includes('model=') && !/targets|[23]=/.test(search))
  })

  it('names the request of a dry run, which a link repeats', async () => {
    const { page } = suite
    await suite.openObject('Configs', titles.configs)
    const form = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Dry run' }) })
    await form.getByLabel('Message').fill('good morning')
    await form.getByRole('button', { name: 'Dry run' }).click()
    await form.getByText('The config is valid.').waitFor()
    await page.waitForURL(/dry_run_message=good/)
    await page.reload()
    await form.getByText('The config is valid.').waitFor()
    expect(await form.getByLabel('Message').inputValue()).to.equal('good morning')
    await form.getByLabel('Message').fill('too long for an address '.repeat(100))
    await form.getByRole('button', { name: 'Dry run' }).click()
    await page.waitForURL((url) => !url.search.includes('dry_run'))
  })
})
