/** `gateway health` follows the port and TLS of the config file and the environment, as health checks of containers need. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { writePair } from '../../support/tls.ts'
import { terminal } from './support.ts'

describe('gateway health', () => {
  let directory: string
  let gateway: TestGateway
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-health-'))
  })
  afterEach(() => gateway.stop())
  after(() => rm(directory, { recursive: true, force: true }))

  const portOf = () => new URL(gateway.url).port
  async function run(words: string[], environment: Record<string, string>) {
    const recording = terminal({ directory, environment })
    const code = await main(['health', ...words], recording)
    return { code, output: recording.output, errors: recording.errors }
  }

  it('asks the gateway at the port of the environment, and one on all addresses on loopback', async () => {
    gateway = await startGateway()
    for (const GATEWAY_HOST of ['127.0.0.1', '0.0.0.0'])
      expect(await run([], { GATEWAY_HOST, GATEWAY_PORT: portOf() })).to.deep.equal({
        code: 0,
        output: '{"status":"ok"}\n',
        errors: '',
      })
    expect((await run(['--ready'], { GATEWAY_PORT: portOf() })).output).to.equal('{"status":"ready"}\n')
  })

  it('asks a gateway with TLS, at the port of the config file', async () => {
    const { cert, key } = await writePair('first')
    const server = { tls: { cert, key } }
    gateway = await startGateway({ server })
    const file = join(directory, 'tls.yaml')
    await writeFile(file, JSON.stringify({ server: { ...server, port: Number(portOf()) } }))
    expect((await run(['--config', file], {})).code).to.equal(0)
  })

  it('exits with 1 while the gateway is not ready, and when none answers', async () => {
    gateway = await startGateway({ server: { drain_delay_ms: 2000 } })
    const port = portOf()
    const closing = gateway.close()
    expect(await run(['--ready'], { GATEWAY_PORT: port })).to.deep.include({ code: 1, errors: '' })
    expect((await run([], { GATEWAY_PORT: port })).code).to.equal(0)
    await closing
    const down = await run([], { GATEWAY_PORT: port })
    expect(down).to.deep.include({ code: 1, output: '' })
    expect(down.errors).to.include('No gateway answers')
  })
})
