/** A list of 100,000 keys: its first page, further pages, and a search. */
import { expect } from 'chai'
import { accessibilityFaults } from './browser.ts'
import { addManyKeys } from './many-keys.ts'
import { useConsole } from './suite.ts'

describe('a list of 100,000 keys', function () {
  const suite = useConsole(this, { prepare: addManyKeys })

  it('is shown page by page, and searched by the server', async () => {
    const { page } = suite
    const lists: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === '/v1/api-keys') lists.push(search)
    })
    await suite.open('Keys')
    await page.getByText('1–50 of 100,000').waitFor()
    const rows = page.getByRole('table', { name: 'Keys' }).getByRole('row')
    expect(await rows.count()).to.equal(51)
    expect(lists, 'one query for a page').to.have.lengthOf(1)
    expect(lists[0]).to.include('page_size=50')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51–100 of 100,000').waitFor()
    expect(page.url()).to.include('current_page=1')
    await page.getByRole('searchbox', { name: 'Search' }).fill('key-012345')
    await page.getByText('1–1 of 1').waitFor()
    await page.getByRole('link', { name: 'key-012345' }).waitFor()
    await page.goBack()
    await page.getByText('1–50 of 100,000').waitFor()
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })
})
