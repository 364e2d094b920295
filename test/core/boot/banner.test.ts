/** The banner on a terminal names the pages that this gateway serves, at the listener that serves them. */
import { expect } from 'chai'
import { banner, firstRequest } from '#core/boot/banner'
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

  it('names an address that can be called for a gateway that listens on all addresses', async () => {
    const gateway = await startGateway()
    const text = banner({ ...gateway, url: 'http://0.0.0.0:8787' }, gateway.configPath, null)
    await gateway.stop()
    expect(text).to.include('curl http://127.0.0.1:8787/v1').and.include('http://127.0.0.1:8787/console')
    expect(text).not.to.include('0.0.0.0')
  })

  it('has a first request with the quotes of the shell: POSIX shells, and cmd.exe on Windows', () => {
    const request = { url: 'http://h', model: '@echo/m', key: null }
    expect(firstRequest(request, 'linux')).to.include(`-d '{"model": "@echo/m"`).and.include('$GATEWAY_KEY')
    const [line = '', ...others] = firstRequest(request, 'win32').split('\n')
    expect(others).to.deep.equal([])
    expect(line).to.include('-d "{\\"model\\": \\"@echo/m\\"').and.include('%GATEWAY_KEY%')
    expect(line).not.to.include("'")
  })
})
