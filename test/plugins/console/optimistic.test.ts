/** A change shows its expected result immediately, is reverted if the gateway refuses it, and can be undone. */
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { checkLooks } from './browser.ts'
import { changes, prepare } from './optimistic-changes.ts'
import { useConsole } from './suite.ts'

const reason = 'The store is away.'

type Decision = 'pass' | 'refuse'

/** Matches writes. Dry runs and checks of drafts change nothing. */
const writes = /\/v1\/(?!dry-run|configs\/validate)/

/**
 * Controls the writes of a page. The returned function holds them and returns another function, which waits for the first
 * write and then decides on it.
 */
async function gateOf(page: Page): Promise<() => (decision: Decision) => Promise<void>> {
  let decided: Promise<Decision> = Promise.resolve('pass')
  let arrive: () => void = () => undefined
  await page.route(writes, async (route: Route) => {
    if (route.request().method() === 'GET') return route.continue()
    const decision = decided
    arrive()
    if ((await decision) === 'pass') return route.continue()
    return route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({ error: { message: reason } }),
    })
  })
  return () => {
    let decide: (decision: Decision) => void = () => undefined
    decided = new Promise((resolve) => {
      decide = resolve
    })
    // The change is visible before its request arrives here.
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    return async (decision) => {
      await arrived
      decided = Promise.resolve('pass')
      decide(decision)
    }
  }
}

describe('a change in the console', function () {
  const suite = useConsole(this, { prepare })

  for (const { title, open, make, shown, hidden, refused, done, isUndone, isDialog = false } of changes)
    it(`shows before the answer, is reverted when it is refused${isUndone ? ', and can be undone' : ''}: ${title}`, async () => {
      const { page } = suite
      await suite.visit(...(await open(suite.gateway)))
      const hold = await gateOf(page)
      await hidden(page).waitFor()
      const refuse = hold()
      await make(page)
      await shown(page).waitFor()
      await refuse('refuse')
      await hidden(page).waitFor()
      const refusal = page.getByRole('alert').filter({ hasText: refused })
      await refusal.filter({ hasText: reason }).waitFor()
      if (isDialog) await page.keyboard.press('Escape')

      const pass = hold()
      await make(page)
      await shown(page).waitFor()
      await pass('pass')
      await page.getByRole('status').filter({ hasText: done }).waitFor()
      await shown(page).waitFor()
      const undo = page.getByRole('button', { name: 'Undo', exact: true }).and(page.locator('.toast button'))
      expect(await undo.count()).to.equal(isUndone ? 1 : 0)
      if (!isUndone) return
      const back = hold()
      await undo.click()
      if (title !== 'a config that is deleted' && title !== 'a key that is revoked')
        await hidden(page).waitFor()
      await back('pass')
      await page.getByText('Undone.').waitFor()
      await hidden(page).waitFor()
    })

  it('reports a refusal in a notice after the user has left its page', async () => {
    const { page } = suite
    await suite.visit('/workspaces/default', 'Default')
    const hold = await gateOf(page)
    const refuse = hold()
    await page.getByLabel('Role of ada@example.com').selectOption('admin')
    await suite.open('Logs')
    await refuse('refuse')
    const notice = page.getByRole('alert').filter({ hasText: reason })
    await notice.getByText('The role of ada@example.com was not changed:').waitFor()
    await checkLooks(page, 'a refusal in a notice')
    await notice.getByRole('button', { name: 'Close' }).click()
    await notice.waitFor({ state: 'detached' })
  })

  it('keeps the versions that are compared in the address', async () => {
    const { page } = suite
    await suite.openObject('Prompts', 'Ode')
    await page.getByRole('button', { name: 'Version 1', exact: true }).click()
    await page.waitForURL(/compare=1$/)
    await page.reload()
    await page.getByRole('heading', { name: 'Version 1 compared with the newest' }).waitFor()
    await checkLooks(page, 'two versions of a prompt')
  })
})
