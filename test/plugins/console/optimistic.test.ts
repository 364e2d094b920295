/** A change shows at once what it is expected to make, and goes back if the gateway refuses it. */
import { expect } from 'chai'
import type { Route } from 'playwright-core'
import { checkLooks, settled } from './browser.ts'
import { furnish, maker, put, titles } from './furnish.ts'
import { useConsole } from './suite.ts'

/** Answers only when it is told to. */
function gate() {
  let open: (how: 'pass' | 'refuse') => void = () => undefined
  const decided = new Promise<'pass' | 'refuse'>((resolve) => {
    open = resolve
  })
  const handle = async (route: Route) => {
    if (route.request().method() === 'GET') return route.continue()
    if ((await decided) === 'pass') return route.continue()
    return route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({ error: { message: 'The store is away.' } }),
    })
  }
  return { open: (how: 'pass' | 'refuse') => open(how), handle }
}

describe('a change in the console', function () {
  const suite = useConsole(this, {
    async prepare(gateway) {
      await furnish(gateway)
      const string = (text: string) => JSON.stringify([{ role: 'user', content: text }])
      const prompt = { workspace_id: 'default', name: 'Ode', slug: 'ode', model: '@echo/any', parameters: {} }
      await maker(gateway)('/v1/prompts', { ...prompt, string: string('One') })
      await put(gateway, '/v1/prompts/ode', { patch: true, string: string('Two') })
    },
  })

  for (const [how, isOn] of [
    ['pass', false],
    ['refuse', true],
  ] as const)
    it(`of a model shows before the answer, which is to ${how}`, async () => {
      const { page } = suite
      await suite.openObject('Providers', titles.providers)
      const box = page
        .getByRole('table', { name: 'Models' })
        .getByRole('checkbox')
        .nth(how === 'pass' ? 0 : 1)
      await box.waitFor()
      const { open, handle } = gate()
      await page.route(/\/models/, handle)
      await box.click()
      expect(await box.isChecked(), 'before the answer').to.equal(false)
      open(how)
      await page.getByText(how === 'pass' ? /was turned off/ : 'The store is away.').waitFor()
      await settled(page)
      expect(await box.isChecked(), 'after the answer').to.equal(isOn)
    })

  it('of the published version shows before the answer, and the compared versions are in the address', async () => {
    const { page } = suite
    await suite.openObject('Prompts', 'Ode')
    const { open, handle } = gate()
    await page.route(/\/publish/, handle)
    const row = page.getByRole('table', { name: 'Versions' }).getByRole('row', { name: /Version 2/ })
    await row.getByRole('button', { name: 'Publish' }).click()
    await row.getByText('published', { exact: true }).waitFor()
    open('refuse')
    await row.getByRole('button', { name: 'Publish' }).waitFor()
    await page.getByRole('button', { name: 'Version 1', exact: true }).click()
    await page.waitForURL(/compare=1-2/)
    await page.reload()
    await page.getByRole('heading', { name: 'Version 1 compared with the newest' }).waitFor()
    await checkLooks(page, 'two versions of a prompt')
  })
})
