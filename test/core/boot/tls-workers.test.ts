/**
 * `server.tls` and `server.admin_listener` with `--workers 2`: all workers serve both, and load a renewed certificate.
 */
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { askTls, type PairFiles, writePair } from '../../support/tls.ts'
import { until } from '../../support/until.ts'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from './gateway-process.ts'

describe('TLS and an admin listener with two workers', () => {
  let files: PairFiles
  let folder: Folder
  let gateway: GatewayProcess
  afterEach(async () => {
    await discard(gateway, folder)
    await rm(dirname(files.cert), { recursive: true })
  })

  const start = async () => {
    folder = await makeFolder({
      server: { tls: { cert: files.cert, key: files.key }, admin_listener: { port: 0 } },
    })
    gateway = runGateway(folder, ['--port', '0', '--workers', '2'], { GATEWAY_ADMIN_KEY: adminKey })
  }

  it('is served by every worker, with a renewed certificate after SIGHUP', async () => {
    files = await writePair('first')
    await start()
    const url = await listening(gateway)
    const servers = () => gateway.logs().filter(({ msg }) => msg === 'listening')
    await until('both serve', () => servers().length === 2)
    const adminUrl = String(servers()[0]?.admin_url)
    const headers = { 'x-gateway-api-key': adminKey }
    const asked = (origin: string) =>
      Promise.all([1, 2, 3, 4].map(() => askTls(`${origin}/v1/configs`, { headers, trusts: 'first' })))
    expect((await asked(url)).map(({ status }) => status)).to.deep.equal([404, 404, 404, 404])
    expect((await asked(adminUrl)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    await files.replace('cert', 'second')
    await files.replace('key', 'second')
    gateway.signal('SIGHUP')
    const changed = () => gateway.logs().filter(({ msg }) => msg === 'TLS certificate reloaded')
    await until('both have the new certificate', () => changed().length === 2)
    const replies = await Promise.all([1, 2, 3, 4].map(() => askTls(`${url}/healthz`, { trusts: 'second' })))
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
  })

  it('refuses to start with a key that does not match the certificate, and reports it once', async () => {
    files = await writePair('first')
    await files.replace('key', 'second')
    await start()
    expect(await gateway.exited).to.equal(1)
    expect(gateway.output.stderr.split('is not the key of the certificate')).to.have.length(2)
  })
})
