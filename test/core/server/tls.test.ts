/** `server.tls`: every listener serves TLS with a certificate that is reloaded when its files change. */

import { rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { askTls, certificateOf, type PairFiles, writePair } from '../../support/tls.ts'
import { until } from '../../support/until.ts'

const auth = { 'x-gateway-api-key': adminKey }
const first = 'first test certificate'
const second = 'second test certificate'

describe('server.tls', () => {
  let files: PairFiles
  let gateway: TestGateway
  const tls = () => ({ cert: files.cert, key: files.key })
  beforeEach(async () => {
    files = await writePair('first')
  })
  afterEach(async () => {
    await gateway?.stop()
    await rm(dirname(files.cert), { recursive: true })
  })
  const start = async (server: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
    gateway = await startGateway({ server: { tls: tls(), ...server }, ...more })
  }

  it('applies to the main listener and the admin listener, without plain HTTP', async () => {
    await start({ admin_listener: { port: 0 } })
    for (const origin of [gateway.url, gateway.adminUrl]) {
      const reply = await askTls(`${origin}/readyz`, { trusts: 'first' })
      expect([reply.status, reply.servedBy]).to.deep.equal([200, first])
      const plain = await fetch(`${String(origin).replace('https:', 'http:')}/healthz`).catch(String)
      expect(plain).to.be.a('string')
    }
    expect((await askTls(`${gateway.adminUrl}/v1/configs`, { headers: auth })).status).to.equal(200)
    expect((await askTls(`${gateway.url}/v1/configs`, { headers: auth })).status).to.equal(404)
  })

  it('serves inference, plain and streamed', async () => {
    await start()
    const headers = { ...auth, 'x-gateway-provider': 'echo' }
    for (const stream of [false, true]) {
      const reply = await askTls(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: { ...chat('hello over TLS'), model: 'echo-1', stream },
      })
      expect(reply.status).to.equal(200)
      expect(reply.text).to.contain(stream ? '[DONE]' : 'hello over TLS')
    }
  })

  it('sets a Secure cookie for browsers, and creates links that begin with https', async () => {
    await start()
    const login = await askTls(`${gateway.url}/v1/auth/login`, {
      method: 'POST',
      body: { api_key: adminKey },
    })
    expect(login.status).to.equal(200)
    expect(String(login.headers['set-cookie'])).to.contain('; Secure')
    expect(login.headers['strict-transport-security']).to.equal(undefined)
    const invite = await askTls(`${gateway.url}/v1/users/invites`, {
      method: 'POST',
      headers: auth,
      body: { email: 'someone@example.com', role: 'member' },
    })
    expect(JSON.parse(invite.text).invite_link).to.match(/^https:\/\//)
  })

  it('uses a renewed certificate for new connections, and keeps open ones', async () => {
    await start()
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: await certificateOf('first') })
    const askAgain = () =>
      new Promise<number>((resolve, reject) => {
        request(`${gateway.url}/healthz`, { agent }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
        })
          .on('error', reject)
          .end()
      })
    expect(await askAgain()).to.equal(200)
    await files.replace('cert', 'second')
    await files.replace('key', 'second')
    await gateway.reload()
    expect((await askTls(`${gateway.url}/healthz`)).servedBy).to.equal(second)
    // This client trusts only the first certificate, so a new connection would fail.
    expect(await askAgain()).to.equal(200)
    agent.destroy()
  })

  it('notices a renewed certificate without a restart', async () => {
    await start()
    await files.replace('cert', 'second')
    await files.replace('key', 'second')
    await until('the new certificate is served', async () => {
      return (await askTls(`${gateway.url}/healthz`)).servedBy === second
    })
  })

  it('keeps the old certificate while certificate and key do not match, and logs it', async () => {
    await start()
    await files.replace('key', 'second')
    await gateway.reload()
    expect((await askTls(`${gateway.url}/healthz`)).servedBy).to.equal(first)
    const told = gateway.logs.find(({ msg }) => String(msg).includes('TLS certificate not reloaded'))
    expect(JSON.stringify(told?.faults)).to.contain(`/server/tls/key ${files.key} is not the key`)
    await files.replace('cert', 'second')
    await gateway.reload()
    expect((await askTls(`${gateway.url}/healthz`)).servedBy).to.equal(second)
  })

  it('loads other files when the config file changes', async () => {
    await start()
    const other = await writePair('second')
    await gateway.writeConfig({ server: { tls: { cert: other.cert, key: other.key } } })
    await gateway.reload()
    expect((await askTls(`${gateway.url}/healthz`)).servedBy).to.equal(second)
    await rm(dirname(other.cert), { recursive: true })
  })

  it('limits connections per address before the TLS handshake', async () => {
    await start({ max_connections_per_address: 1, admin_listener: { port: 0 } })
    const agent = new Agent({ keepAlive: true, ca: await certificateOf('first') })
    await new Promise((resolve, reject) => {
      request(`${gateway.url}/healthz`, { agent }, (answer) => answer.resume().on('end', resolve))
        .on('error', reject)
        .end()
    })
    for (const origin of [gateway.url, gateway.adminUrl]) {
      const refused = await askTls(`${origin}/healthz`).catch((error: unknown) => error)
      expect(refused).to.be.an('error')
    }
    agent.destroy()
  })
})

describe('server.tls at startup', () => {
  let files: PairFiles
  beforeEach(async () => {
    files = await writePair('first')
  })
  afterEach(() => rm(dirname(files.cert), { recursive: true }))
  const faultsOf = async (tls: Record<string, string>) => {
    const started = await startGateway({ server: { tls } }).catch((error: unknown) => String(error))
    if (typeof started === 'string') return started
    await started.stop()
    return 'started'
  }

  it('reports a missing file', async () => {
    const said = await faultsOf({ cert: '/nowhere/tls.crt', key: files.key })
    expect(said).to.contain('/server/tls/cert /nowhere/tls.crt cannot be read: the file does not exist')
  })

  it('reports a file with other content', async () => {
    expect(await faultsOf({ cert: files.key, key: files.key })).to.contain(
      `/server/tls/cert ${files.key} contains no certificate`,
    )
    expect(await faultsOf({ cert: files.cert, key: files.cert })).to.contain(
      `/server/tls/key ${files.cert} contains no private key`,
    )
  })

  it('reports a key of another certificate', async () => {
    await files.replace('key', 'second')
    expect(await faultsOf({ cert: files.cert, key: files.key })).to.contain(
      `/server/tls/key ${files.key} is not the key of the certificate in ${files.cert}`,
    )
  })

  it('requires both files', async () => {
    expect(await faultsOf({ cert: files.cert })).to.contain('/server/tls/key')
  })

  it('warns about an expired certificate', async () => {
    const expired = await writePair('expired')
    const gateway = await startGateway({ server: { tls: { cert: expired.cert, key: expired.key } } })
    expect(gateway.logs.map(({ msg }) => msg)).to.include(
      'the TLS certificate has expired; clients will refuse it',
    )
    await gateway.stop()
    await rm(dirname(expired.cert), { recursive: true })
  })
})
