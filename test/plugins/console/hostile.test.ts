/**
 * Foreign content in the log is shown as text: markup, scripts, bidirectional control characters, very large and very
 * deep bodies.
 */
import { expect } from 'chai'
import { accessibilityFaults, openRaw, settled } from './browser.ts'
import { maker } from './furnish.ts'
import { useConsole } from './suite.ts'

const markup =
  '<img src=x onerror="document.title=1"><script>document.title = 2</script><a href="javascript:1">x</a>'
const turned = 'user\u202e txet denrut \u202c and\u200b hidden'

function deep(levels: number): object {
  let value: object = { end: true }
  for (let level = 0; level < levels; level += 1) value = { inner: [value] }
  return value
}

const bodies = {
  markup: { model: markup, messages: [{ role: 'user', content: markup }] },
  turned: { model: turned, messages: [{ role: 'user', content: turned }] },
  large: { model: 'large', messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] },
  deep: { model: 'deep', value: deep(40) },
  'a text': markup,
} as const

describe('foreign content in the log', function () {
  const suite = useConsole(this, {
    config: { providers: { echo: { provider: 'echo' } }, logs: { max_body: '4mb' } },
    async prepare(gateway) {
      for (const [name, body] of Object.entries(bodies)) {
        await maker(gateway)('/v1/logs', {
          request: { url: '/v1/chat/completions', method: 'POST', provider: markup, body },
          response: { status: 200, response_time: 5, body: { id: name, choices: [], note: markup } },
          metadata: { [name]: markup.slice(0, 60) },
          workspace_id: 'default',
        })
      }
    },
  })

  for (const name of Object.keys(bodies)) {
    it(`is shown as text, with ${name}`, async () => {
      const { page } = suite
      await suite.visit(
        `/logs?metadata=${encodeURIComponent(JSON.stringify({ [name]: markup.slice(0, 60) }))}`,
        'Logs',
      )
      const requested: string[] = []
      page.on('request', (request) => requested.push(request.url()))
      await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
      await settled(page, 'Log entry')
      await openRaw(page)
      const request = page.getByRole('region', { name: 'Request', exact: true })
      await request.waitFor()
      expect(await page.title()).to.equal('Log entry · Console')
      expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).to.equal(0)
      expect(requested.filter((url) => url.endsWith('/x'))).to.deep.equal([])
      const shown = (await request.textContent()) ?? ''
      expect(shown.length).to.be.at.most(110_000)
      const read = (await page.locator('.conversation').allTextContents()).join('')
      for (const text of [shown, read]) expect(text).not.to.match(/[\u202a-\u202e\u200b]/)
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(1440)
      expect(await accessibilityFaults(page)).to.deep.equal([])
    })
  }

  it('is shortened with a notice when it is large, and copied completely', async () => {
    const { page } = suite
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await suite.visit('/logs?ai_model=large', 'Logs')
    await page.getByRole('table', { name: 'Logs' }).getByRole('link').first().click()
    await settled(page, 'Log entry')
    await openRaw(page)
    await page.getByText(/The first 100,000 of 2,\d+,\d+ characters/).waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
    await page.getByText('Copied').first().waitFor()
    expect(await page.evaluate('navigator.clipboard.readText().then((text) => text.length)')).to.be.above(
      2_000_000,
    )
  })
})
