/** The first start creates an admin key and prints it once; health and metrics need none. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { hashOf } from '../cache/support.ts'
import {
  discard,
  type Folder,
  type GatewayProcess,
  keyPattern,
  listening,
  makeFolder,
  printedKey,
  runGateway,
} from './gateway-process.ts'

describe('the first start', () => {
  let folder: Folder
  let gateway: GatewayProcess
  let url: string
  let key: string

  before(async () => {
    folder = await makeFolder({})
    gateway = runGateway(folder, ['--port', '0'])
    url = await listening(gateway)
    key = await printedKey(gateway)
  })
  after(() => discard(gateway, folder))

  const ask = (bearer: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${bearer}`,
        'x-gateway-provider': 'echo',
      },
      body: JSON.stringify(chat('hello')),
    })

  it('prints one admin key once, and never logs it', () => {
    expect(gateway.output.stderr.match(keyPattern)).to.have.length(1)
    expect(gateway.output.stdout).to.not.contain(key)
  })

  it('creates an admin key that works', async () => {
    expect((await ask(key)).status).to.equal(200)
    expect((await ask(`${key}x`)).status).to.equal(401)
  })

  it('stores only the hash of the admin key, in a file that only its owner can read', async () => {
    const data = join(folder.path, 'data')
    const contents = await Promise.all(
      (await readdir(data)).map(async (name) => {
        expect((await stat(join(data, name))).mode & 0o077, name).to.equal(0)
        return readFile(join(data, name), 'utf8')
      }),
    )
    expect(contents.join()).to.not.contain(key)
    expect(contents.join()).to.contain(hashOf(key).slice('sha256:'.length))
  })

  it('answers /healthz, /readyz and /metrics without a key, and requires a key elsewhere', async () => {
    expect((await fetch(`${url}/healthz`)).status).to.equal(200)
    expect((await fetch(`${url}/readyz`)).status).to.equal(200)
    const metrics = await fetch(`${url}/metrics`)
    expect(metrics.headers.get('content-type')).to.match(/^text\/plain/)
    const text = await metrics.text()
    expect(text).to.match(/^gateway_requests_total\{.*endpoint="chatComplete".*\} 1$/m)
    expect(text).to.contain('process_cpu_seconds_total')
    for (const path of ['/v1', '/v1/models', '/healthz/', '/metrics/x'])
      expect((await fetch(url + path)).status, path).to.equal(401)
    expect((await fetch(`${url}/healthz`, { method: 'DELETE' })).status).to.equal(405)
  })

  it('writes one JSON object per log line', async () => {
    const lines = gateway.logs()
    expect(lines.length).to.be.greaterThan(0)
    // A request's log line has no message, only fields.
    for (const line of lines) expect(line).to.include.keys('level', 'time')
  })

  it('creates a key only once: the next start keeps it and prints none', async () => {
    gateway.signal('SIGTERM')
    expect(await gateway.exited).to.equal(0)
    gateway = runGateway(folder, ['--port', '0'])
    url = await listening(gateway)
    expect(gateway.output.stderr).to.equal('')
    expect((await ask(key)).status).to.equal(200)
  })
})
