/** The banner on a terminal names the pages that this gateway serves, at the listener that serves them. */
import { expect } from 'chai'
import { banner } from '#core/boot/banner'
import { startGateway } from '../../support/gateway.ts'

describe('the banner', () => {
  it('names the console and the API docs', async () => {
    const gateway = await startGateway()
    const text = banner(gateway, gateway.configPath, null)
    await gateway.stop()
    expect(text).to.include(`Console    ${gateway.url}/console\n`).and.include(`${gateway.url}/docs\n`)
  })

  it('names them at the admin listener, if there is one', async () => {
    const gateway = await startGateway({ server: { admin_listener: { host: '127.0.0.1', port: 0 } } })
    const text = banner(gateway, gateway.configPath, null)
    await gateway.stop()
    expect(text)
      .to.include(`Console    ${gateway.adminUrl}/console\n`)
      .and.include(`Gateway    ${gateway.url}\n`)
  })

  it('does not name a console that is disabled', async () => {
    const gateway = await startGateway({ plugins: { disabled: ['console'] } })
    const text = banner(gateway, gateway.configPath, null)
    await gateway.stop()
    expect(text).not.to.include('Console')
  })
})
