/** The console without a pointer: shortcuts for pages, rows, lists, new objects, saving and undoing. */
import { expect } from 'chai'
import { checkLooks, settled } from './browser.ts'
import { type ConsolePage, firstOf, furnish, titles } from './furnish.ts'
import { pathOfShortPage, useConsole } from './suite.ts'

/** Elements that react to a click, found by the handlers that Preact stores on them. */
const clickable = `[...document.querySelectorAll('body *')]
  .filter((one) => Object.keys(one.__e ?? {}).some((name) => name === 'onClick' && one.__e[name]))`
/** Those of them that cannot receive the focus. */
const unreachable = `${clickable}
  .filter((one) => !one.matches('a[href], button, summary, input, select, textarea') || one.tabIndex < 0)
  .map((one) => one.outerHTML.slice(0, 120))`

describe('the keyboard shortcuts of the console', function () {
  let pages: ConsolePage[] = []
  const suite = useConsole(this, {
    startsOn: pathOfShortPage,
    async prepare(gateway) {
      pages = await furnish(gateway)
    },
  })
  // `g` waits only a moment for the next key. On a busy machine, more time passes between two presses.
  this.beforeEach(() => suite.page.clock.setFixedTime(Date.now()))
  const close = async () => {
    await suite.page.keyboard.press('Escape')
    await suite.page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  it('leave nothing clickable out of reach, on any page', async () => {
    const { page } = suite
    for (const { path, title } of pages) {
      await suite.visit(path, title)
      expect(await page.evaluate<number>(`${clickable}.length`), path).to.be.greaterThan(10)
      expect(await page.evaluate<string[]>(unreachable), path).to.deep.equal([])
    }
  })

  it('go to each page that the list of shortcuts names', async () => {
    const { page } = suite
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    const named = await page.evaluate<[string, string][]>(
      `[...document.querySelectorAll('[aria-label="To a page"] > div')]
        .map((one) => [one.querySelector('kbd').textContent, one.querySelector('dd').textContent])`,
    )
    await close()
    expect(named.length).to.be.greaterThan(20)
    for (const [keys, title] of named) {
      for (const key of keys.split(' ')) await page.keyboard.press(key)
      await settled(page, title === 'Errors by cause' ? 'Logs' : title)
    }
  })
  const clicks = () => suite.page.evaluate<number>('window.clicks')

  it('open a page, a row, and save it, without a click', async () => {
    const { page, gateway } = suite
    await page.evaluate(
      'window.clicks = 0; addEventListener("click", ({ detail }) => { window.clicks += detail }, true)',
    )
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await settled(page, 'Keys')
    await page.getByRole('table', { name: 'Keys' }).getByRole('link').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    const first = page.getByRole('table', { name: 'Keys' }).getByRole('link').first()
    const name = await first.innerText()
    expect(await page.evaluate<string>('document.activeElement.textContent')).to.equal(name)
    await page.keyboard.press('Enter')
    await settled(page, name)
    await page.getByLabel('Description').focus()
    await page.keyboard.type('Changed by keys')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect(await firstOf(gateway, `/v1/api-keys?search=${encodeURIComponent(name)}`)).to.include({
      description: 'Changed by keys',
    })
    expect(await clicks()).to.equal(0)
  })

  it('start a new object, and undo a deletion', async () => {
    const { page } = suite
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await settled(page, 'Configs')
    await page.keyboard.press('n')
    await settled(page, 'New config')
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await settled(page, 'Configs')
    await page.getByRole('table').getByRole('link', { name: titles.configs, exact: true }).press('Enter')
    await settled(page, titles.configs)
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await page.getByText(`${titles.configs} was deleted.`).waitFor()
    await page.keyboard.press('Alt+z')
    await page.getByText('Undone.').waitFor()
  })

  it('are ordinary letters in a field, and can be turned off', async () => {
    const { page } = suite
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await settled(page, 'Logs')
    await page.getByRole('searchbox').focus()
    await page.keyboard.type('gk?')
    expect(await page.getByRole('searchbox').inputValue()).to.equal('gk?')
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('?')
    await checkLooks(page, 'the list of keys')
    await page.getByRole('dialog').getByLabel('Use single keys').press('Space')
    await close()
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Logs')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  })
})
