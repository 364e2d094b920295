/** The order in which the overview sends its requests. A browser has six connections for all requests of a page. */
import { expect } from 'chai'
import { settled, signIn } from './browser.ts'
import { furnish } from './furnish.ts'
import { useConsole } from './suite.ts'

describe('the overview of the console', function () {
  const suite = useConsole(this, { prepare: furnish, isSignedIn: false })

  it('loads its figures before its graphs, and graphs only when they are in view', async () => {
    const { page, gateway } = suite
    await page.setViewportSize({ width: 1440, height: 500 })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await signIn(page, gateway)
    await settled(page, 'Overview')
    await page.getByText('Checking…').waitFor({ state: 'detached' })
    const at = (path: string) => asked.findIndex((one) => one.startsWith(path))
    expect(at('/v1/analytics/summary')).to.be.at.least(0)
    expect(at('/v1/analytics/summary')).to.be.below(at('/v1/target-health'))
    expect(
      asked.filter((path) => path.startsWith('/v1/analytics/graphs/cache')),
      'below the fold',
    ).to.deep.equal([])
    expect(
      asked.filter((path) => path === '/v1/models'),
      'no first steps are shown',
    ).to.deep.equal([])
    const graph = page.waitForRequest('**/v1/analytics/graphs/cache/**')
    await page.getByRole('heading', { name: 'By the hour' }).scrollIntoViewIfNeeded()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await graph
  })
})
