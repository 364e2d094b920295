/** The config file is read again on SIGHUP and when it changes; an invalid one is reported and changes nothing. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from './gateway-process.ts'

const key = 'admin-key-of-this-test'

/** A saved config whose echo returns this text. */
const saying = (reply: string) => ({
  configs: { main: { provider: 'echo', override_params: { echo: { reply } } } },
})

describe('a running gateway', () => {
  let folder: Folder
  let gateway: GatewayProcess
  let url: string

  before(async () => {
    folder = await makeFolder({ ...saying('one') })
    gateway = runGateway(folder, ['--port', '0'], { GATEWAY_ADMIN_KEY: key })
    url = await listening(gateway)
  })
  after(() => discard(gateway, folder))

  async function reply(): Promise<string> {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': key, 'x-gateway-config': 'main' },
      body: JSON.stringify(chat('hello')),
    })
    const body = (await response.json()) as { choices?: { message: { content: string } }[] }
    return body.choices?.[0]?.message.content ?? JSON.stringify(body)
  }

  const says = (expected: string) => until(`it says ${expected}`, async () => (await reply()) === expected)
  const faults = () => gateway.logs().flatMap((line) => (line.faults as string[] | undefined) ?? [])

  it('applies a changed config file', async () => {
    expect(await reply()).to.equal('one')
    await folder.writeConfig(saying('two'))
    await says('two')
  })

  it('reports an invalid config file and keeps the current settings', async () => {
    await folder.writeConfig('configs:\n  main: { provider: nobody }\n')
    await until('the fault is logged', () => faults().length > 0)
    expect(faults()[0]).to.match(/gateway\.yaml:2:\d+ \/configs\/main/)
    expect(await reply()).to.equal('two')
    expect((await fetch(`${url}/readyz`)).status).to.equal(200)
  })

  it('applies a valid config file after an invalid one', async () => {
    await folder.writeConfig(saying('three'))
    await says('three')
  })

  it('reloads the config file on SIGHUP', async () => {
    const count = () => gateway.logs().filter(({ msg }) => msg === 'config file reloaded').length
    const before = count()
    gateway.signal('SIGHUP')
    await until('it was read', () => count() > before)
    expect(await reply()).to.equal('three')
    expect(gateway.hasExited()).to.equal(false)
  })

  it('keeps the current settings when the file is deleted', async () => {
    const before = faults().length
    await folder.remove()
    gateway.signal('SIGHUP')
    await until('the fault is logged', () => faults().length > before)
    expect(faults().at(-1)).to.contain('does not exist')
    expect(await reply()).to.equal('three')
  })
})
