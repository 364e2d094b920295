/** `gateway doctor` names each problem and what to do about it, and prints no secret. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Finding } from '#core/cli/doctor/finding'
import { checkStore } from '#core/cli/doctor/stores'
import { checkNode, checkVersions } from '#core/cli/doctor/versions'
import { main } from '#core/cli/main'
import { startGateway } from '../../support/gateway.ts'
import { writePair } from '../../support/tls.ts'
import { terminal } from './support.ts'

const servers: Server[] = []

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return (server.address() as AddressInfo).port
}
const listenHttp = (handler: RequestListener) => listen(createHttpServer(handler))

describe('gateway doctor', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-doctor-'))
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close()
    await rm(directory, { recursive: true, force: true })
  })

  async function examine(
    config: object | null,
    environment: Record<string, string> = {},
    words: string[] = [],
  ): Promise<{ code: number; findings: Record<string, Finding>; output: string }> {
    const trusted = { security: { trusted_hosts: ['127.0.0.0/8'] } }
    await mkdir(join(directory, 'config'), { recursive: true })
    if (config !== null)
      await writeFile(join(directory, 'config/gateway.yaml'), JSON.stringify({ ...trusted, ...config }))
    const recording = terminal({ directory, environment: { GATEWAY_PORT: '0', ...environment } })
    const code = await main(['doctor', '--json', ...words], recording)
    const { findings } = JSON.parse(recording.output) as { findings: Finding[] }
    const byCheck = Object.fromEntries(findings.map((finding) => [finding.check, finding]))
    return { code, findings: byCheck, output: recording.output + recording.errors }
  }

  it('passes before the first start, without a config file, and leaves no file behind', async () => {
    const { code, findings } = await examine(null)
    expect(code).to.equal(0)
    expect(findings.node?.status).to.equal('ok')
    expect(findings.config).to.deep.include({ status: 'warning' })
    expect(findings.config?.remedy).to.include('gateway init')
    expect(findings.store?.message).to.include('created at the first start')
    expect(findings['encryption key']?.message).to.include('created at the first start')
    expect(await readdir(directory)).to.deep.equal(['config'])
  })

  it('prints a line for each finding, with its remedy below', async () => {
    const recording = terminal({
      directory,
      environment: { GATEWAY_PORT: '0', GATEWAY_STORE_URL: 'memory:' },
    })
    expect(await main(['doctor', '--offline'], recording)).to.equal(0)
    expect(recording.output).to.match(/^ok +node +Node\.js \d/m)
    expect(recording.output).to.match(/^warning +store +memory: .*\n +-> Set GATEWAY_STORE_URL/m)
    expect(recording.output).to.include('0 failed, 2 warnings\n')
  })

  it('reports every error of the config file', async () => {
    const { code, findings } = await examine({ configs: { a: { provider: '@none' } }, unknown: 1 })
    expect(code).to.equal(1)
    expect(findings.config?.message).to.include('"unknown"').and.include('gateway.yaml:1:')
    expect(findings.config?.remedy).to.include('gateway check')
  })

  it('reports variables with invalid values', async () => {
    const { code, findings } = await examine({}, { GATEWAY_ENCRYPTION_KEY: 'short' })
    expect(code).to.equal(1)
    expect(findings.environment?.message).to.include('GATEWAY_ENCRYPTION_KEY must be 32 bytes')
  })

  it('tells a port that another program uses from one on which a gateway answers', async () => {
    const other = await listenHttp((_, response) => response.end('hello'))
    const taken = await examine({}, { GATEWAY_PORT: String(other) })
    expect(taken.code).to.equal(1)
    expect(taken.findings.port?.message).to.include('another program')
    expect(taken.findings.port?.remedy).to.include('GATEWAY_PORT')
    const gateway = await startGateway()
    try {
      const running = await examine({}, { GATEWAY_PORT: new URL(gateway.url).port })
      expect(running.findings.port).to.deep.include({ status: 'ok' })
      expect(running.findings.port?.message).to.include('a gateway answers')
    } finally {
      await gateway.stop()
    }
  })

  it('reports stores that do not answer, without their passwords', async () => {
    const closed = await listen(createServer())
    await new Promise((resolve) => servers.pop()?.close(resolve))
    const { code, findings, output } = await examine(
      { providers: { mine: { provider: 'openai', api_key: 'sk-very-secret' } } },
      {
        GATEWAY_STORE_URL: `postgres://user:pass-word@127.0.0.1:${closed}/db`,
        GATEWAY_ADMIN_KEY: 'an-admin-key',
        GATEWAY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      },
      ['--offline'],
    )
    expect(code).to.equal(1)
    expect(findings.store?.message).to.include(`postgres://127.0.0.1:${closed}/db cannot be used`)
    expect(findings.store?.remedy).to.include('GATEWAY_STORE_URL')
    for (const secret of ['pass-word', 'sk-very-secret', 'an-admin-key'])
      expect(output).not.to.include(secret)
  })

  it('warns of a store that answers slowly, as on a busy machine', async () => {
    const times = [0, 12_000]
    const adapter = { open: () => Promise.resolve({ ping: () => Promise.resolve() }) }
    const { finding } = await checkStore(
      { check: 'store', url: 'slow://host', settings: 'GATEWAY_STORE_URL' },
      {
        stores: new Map([['slow:', adapter as never]]),
        directory,
        dataDirectory: directory,
        now: () => times.shift() ?? 0,
      },
    )
    expect(finding).to.include({ status: 'warning', message: 'slow://host answers, but only after 12 s' })
  })

  it('reports a folder that cannot be used, and a store that no package opens', async () => {
    await writeFile(join(directory, 'file'), '')
    const { findings } = await examine({}, { GATEWAY_DATA_DIR: join(directory, 'file', 'data') }, [
      '--offline',
    ])
    expect(findings.store?.message).to.include('cannot be written')
    const unknown = await examine({}, { GATEWAY_REDIS_URL: 'nothing://host' }, ['--offline'])
    expect(unknown.findings.redis?.message).to.include('no package opens nothing:')
  })

  it("compares the encryption key with the store's fingerprint", async () => {
    const key = randomBytes(32).toString('base64')
    const environment = {
      GATEWAY_STORE_URL: `sqlite:${join(directory, 'gateway.db')}`,
      GATEWAY_DATA_DIR: directory,
      GATEWAY_ENCRYPTION_KEY: key,
      GATEWAY_ADMIN_KEY: 'k',
    }
    const gateway = await startGateway({}, { environment })
    await gateway.stop()
    const same = await examine({}, environment, ['--offline'])
    expect(same.findings['encryption key']?.status).to.equal('ok')
    expect(same.findings.store?.message).to.include('answers')
    const changed = { ...environment, GATEWAY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
    const other = await examine({}, changed, ['--offline'])
    expect(other.code).to.equal(1)
    expect(other.findings['encryption key']?.status).to.equal('failed')
    expect(other.output).not.to.include(key)
    const { GATEWAY_ENCRYPTION_KEY: _, ...none } = environment
    expect((await examine({}, none, ['--offline'])).findings['encryption key']?.status).to.equal('failed')
  })

  it('calls the hosts of stored credentials once each, without a credential, and compares the clock', async () => {
    const seen: (string | undefined)[] = []
    const port = await listenHttp((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.sendDate = false
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())
      response.writeHead(404).end()
    })
    const custom_host = `http://127.0.0.1:${port}/v1`
    const { code, findings } = await examine({
      providers: {
        a: { provider: 'openai', api_key: 'k', custom_host },
        b: { provider: 'openai', api_key: 'l', custom_host },
      },
    })
    expect(code).to.equal(0)
    expect(seen).to.deep.equal(['HEAD / undefined'])
    expect(findings['provider @a, @b']).to.deep.include({ status: 'ok' })
    expect(findings.clock?.message).to.match(/is 60 min ahead of/)
    expect(findings.clock?.remedy).to.include('NTP')
  })

  it('reports a provider that cannot be reached', async () => {
    const port = await listen(createServer())
    await new Promise((resolve) => servers.pop()?.close(resolve))
    const custom_host = `http://127.0.0.1:${port}/v1`
    const { code, findings } = await examine({
      providers: { a: { provider: 'openai', api_key: 'k', custom_host } },
    })
    expect(code).to.equal(1)
    expect(findings['provider @a']?.message).to.include(`http://127.0.0.1:${port}`)
    expect(findings['provider @a']?.remedy).to.include('firewall')
  })

  it('reports a certificate that has expired', async () => {
    const { cert, key } = await writePair('expired')
    const { findings } = await examine({ server: { tls: { cert, key } } }, {}, ['--offline'])
    expect(findings.certificate?.status).to.equal('failed')
    expect(findings.certificate?.remedy).to.include('Renew')
  })

  it('refuses old versions of Node, and warns of packages of another version', () => {
    expect(checkNode('20.18.3').status).to.equal('failed')
    expect(checkNode('20.19.0').status).to.equal('ok')
    expect(checkNode('26.0.0').status).to.equal('ok')
    const packages = [
      { kind: 'provider', name: '@gateway/provider-echo', version: '1.0.0' },
      { kind: 'guardrail', name: 'house-rules', version: '3.0.0' },
    ].map((info) => ({ ...info, directory: '', entry: '', provides: [] })) as never
    expect(checkVersions({ packages }, '1.0.0').status).to.equal('ok')
    expect(checkVersions({ packages }, '1.1.0').message).to.include('@gateway/provider-echo 1.0.0')
  })
})
