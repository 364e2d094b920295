/** Pages whose API answers late or with errors: none of them is blank, and none claims to be empty. */
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { furnish } from './furnish.ts'
import { useConsole } from './suite.ts'

const pages = [
  ['Overview', ''],
  ['Logs', '/logs'],
  ['Logs', '/logs?status_code_min=400&group=cause'],
  ['Log entry', '/logs/none'],
  ['Trace', '/traces/none'],
  ['Analytics', '/analytics'],
  ['Limits and money', '/spending'],
  ['Capacity', '/capacity'],
  ['Replays', '/replays'],
  ['Batches and files', '/batches'],
  ['Keys', '/keys'],
  ['Prompts', '/prompts/none'],
  ['New provider', '/providers/new'],
  ['Users', '/users'],
  ['SCIM', '/scim'],
  ['Audit', '/audit'],
  ['Settings', '/settings'],
] as const

const nothing =
  /nothing (needs|here)|there (is|are) no|no (limit|key|request|model|provider|such)\b|none yet/i

const message = 'The store cannot be reached.'

const failing = (route: Route) =>
  route.fulfill({
    status: 503,
    contentType: 'application/json',
    body: JSON.stringify({ error: { message, code: 'store_unavailable' } }),
  })

/** Matches all requests except the one for the session. */
const ofTheApi = /\/v1\/(?!auth\/)/

const mainText = (page: Page) => page.locator('main').innerText()

describe('the pages of the console', function () {
  const suite = useConsole(this, { prepare: furnish })
  const show = async (heading: string, path: string) => {
    const { page, gateway } = suite
    await page.goto(`${gateway.url}/console${path}`)
    await page.locator('.shell').getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  }

  it('show that the options of a new config are loading, instead of an empty list', async () => {
    const { page } = suite
    await page.route(ofTheApi, () => undefined)
    await show('New config', '/configs/new')
    const choices = page.getByRole('group', { name: 'Guardrails on requests' })
    await choices.getByText('Loading…').waitFor()
    expect(await mainText(page)).not.to.match(nothing)
    expect(
      await page.getByLabel('Workspace', { exact: true }).locator('option').allTextContents(),
    ).to.deep.equal(['Loading…'])
  })

  for (const [heading, path] of pages) {
    it(`show that they are loading, instead of an empty page: ${heading} ${path}`, async () => {
      const { page } = suite
      await page.route(ofTheApi, () => undefined)
      await show(heading, path)
      await page
        .locator('main .skeleton')
        .or(page.locator('main').getByText(/Loading…|Checking…/))
        .first()
        .waitFor()
      expect(await mainText(page)).not.to.match(nothing)
    })

    it(`show the error with a Retry button, instead of an empty page: ${heading} ${path}`, async () => {
      const { page } = suite
      await page.route(ofTheApi, failing)
      await show(heading, path)
      await page.locator('main').getByRole('button', { name: 'Retry' }).first().waitFor()
      await page.locator('main').getByText(message).first().waitFor()
      expect(await mainText(page)).not.to.match(nothing)
    })
  }

  for (const [what, list, open, code] of [
    ['of an object', 'Configs', 'Two ways', /config-extras/],
    ['beside the form of a new one', 'Configs', 'New config', /new-config/],
  ] as const)
    it(`say that a part ${what} could not be loaded, and keep the form`, async () => {
      const { page } = suite
      await page.route(code, (route) => route.fulfill({ status: 404 }))
      await suite.visit('', 'Overview')
      await suite.open(list)
      await page.getByRole('link', { name: open }).first().click()
      const alert = page.getByRole('alert')
      await alert.getByText('A part of this page could not be loaded.').waitFor()
      await alert.getByRole('button', { name: 'Retry' }).waitFor()
      await page.getByLabel('Name', { exact: true }).waitFor()
    })
})
