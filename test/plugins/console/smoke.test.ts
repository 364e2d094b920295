/** Every page of the console opens with its title and without a script error. `pages.test.ts` checks more. */
import { expect } from 'chai'
import { settled } from './browser.ts'
import { furnish } from './furnish.ts'
import { useConsole } from './suite.ts'

describe('each page of the console in a browser', function () {
  let pages: Awaited<ReturnType<typeof furnish>> = []
  const suite = useConsole(this, {
    prepare: async (gateway) => {
      pages = await furnish(gateway)
    },
  })

  it('opens with its title and without an alert', async () => {
    for (const { path, title } of pages) {
      await suite.page.goto(`${suite.gateway.url}/console${path}`)
      await settled(suite.page, title)
      expect(await suite.page.getByRole('alert').allTextContents(), path).to.deep.equal([])
    }
  })
})
