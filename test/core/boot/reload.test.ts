/** Reloading the config file: new requests use the new one, requests in flight keep the old one. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, chatEvents, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

describe('reloading the config file', () => {
  let gateway: TestGateway
  let slow: Upstream
  let other: Upstream
  /** The slow provider's answer in flight. */
  let answer: ServerResponse | null = null

  before(async () => {
    slow = await openUpstream((_request, response) => {
      answer = response
    })
    other = await openUpstream((_request, response) => sendJson(response, 200, chatAnswer('other')))
  })
  after(async () => {
    await slow.close()
    await other.close()
  })
  beforeEach(async () => {
    answer = null
    gateway = await startGateway(fileWith('a'))
  })
  afterEach(() => gateway.stop())

  /** A saved config `main` that returns one of the two answers. */
  function fileWith(model: 'a' | 'b') {
    return {
      security: { trusted_hosts: ['127.0.0.0/8'] },
      configs: { main: { ...target(other.url), override_params: { model } } },
    }
  }

  const ask = (config: Record<string, string>, extra = {}) =>
    gateway.post('/v1/chat/completions', chat('hi', extra), config)
  const saved = { 'x-gateway-config': 'main' }
  const isCalled = () => until('the slow provider is called', () => answer !== null)
  const slowThenOther = () =>
    configHeader({ strategy: { mode: 'fallback' }, targets: [target(slow.url), target(other.url)] })

  it('applies to the requests that follow', async () => {
    await ask(saved)
    expect(other.seen.at(-1)?.json).to.include({ model: 'a' })
    await gateway.writeConfig(fileWith('b'))
    expect(await gateway.reload()).to.equal(true)
    await ask(saved)
    expect(other.seen.at(-1)?.json).to.include({ model: 'b' })
  })

  it('applies the level of log lines, and names settings that wait for a restart', async () => {
    await gateway.writeConfig({ ...fileWith('a'), server: { port: 1 }, logs: { level: 'warn' } })
    const from = gateway.logs.length
    expect(await gateway.reload()).to.equal(true)
    const said = () => gateway.logs.slice(from).map(({ msg, settings }) => ({ msg, settings }))
    expect(said()).to.deep.equal([
      { msg: 'these settings take effect at the next start', settings: ['/server/port'] },
    ])
    await gateway.writeConfig(fileWith('a'))
    expect(await gateway.reload()).to.equal(true)
    expect(said().map(({ msg }) => msg)).to.include('config file reloaded')
  })

  it('lets a request in flight continue with its next target', async () => {
    const asked = ask(slowThenOther())
    await isCalled()
    expect(await gateway.reload()).to.equal(true)
    answer?.socket?.destroy()
    const response = await asked
    expect(response.status).to.equal(200)
    expect(response.headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[1]')
  })

  it('lets a stream in flight run to its end', async () => {
    const asked = ask(configHeader(target(slow.url)), { stream: true })
    await isCalled()
    const [opening = '', first = '', ...rest] = chatEvents('hi')
    answer?.writeHead(200, { 'content-type': 'text/event-stream' })
    answer?.write(opening + first)
    const response = await asked
    expect(await gateway.reload()).to.equal(true)
    answer?.end(rest.join(''))
    expect(await response.text()).to.contain('[DONE]')
  })

  it('keeps the old settings for a request whose body is still being read', async () => {
    let finish: () => void = () => undefined
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"model":"m",'))
        finish = () => {
          controller.enqueue(new TextEncoder().encode('"messages":[{"role":"user","content":"x"}]}'))
          controller.close()
        }
      },
    })
    const headers = { 'content-type': 'application/json', 'x-gateway-api-key': 'test-admin-key-0123456789' }
    const asked = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, ...saved },
      body,
      duplex: 'half',
    })
    await until('the request is there', () => gateway.runtime.inFlight.count > 0)
    await gateway.writeConfig(fileWith('b'))
    expect(await gateway.reload()).to.equal(true)
    finish()
    expect((await asked).status).to.equal(200)
    expect(other.seen.at(-1)?.json).to.include({ model: 'a' })
  })

  it('reports which settings need a restart, and keeps the metrics port', async () => {
    const next = { server: { port: 1, metrics_port: 2, body_limit: '1kb' }, cache: { max_entries: 7 } }
    await gateway.writeConfig({ ...fileWith('b'), ...next })
    expect(await gateway.reload()).to.equal(true)
    const waiting = gateway.logs.find(({ settings }) => settings !== undefined)?.settings
    expect(waiting).to.have.members(['/server/port', '/server/metrics_port', '/cache/max_entries'])
    expect((await gateway.get('/metrics')).status).to.equal(200)
    expect((await ask(saved, { user: 'x'.repeat(2000) })).status).to.equal(413)
  })

  it('changes nothing when the file has errors, and reports each of them', async () => {
    await gateway.writeConfig({ ...fileWith('b'), cache: { max_entries: 0 }, nonsense: 1 })
    expect(await gateway.reload()).to.equal(false)
    const faults = gateway.logs.find(({ level }) => level === 50)?.faults as string[]
    expect(faults).to.have.length(2)
    for (const fault of faults) expect(fault).to.match(/gateway\.json:\d+:\d+ \//)
    await ask(saved)
    expect(other.seen.at(-1)?.json).to.include({ model: 'a' })
    const metrics = await (await gateway.get('/metrics')).text()
    expect(metrics).to.contain('gateway_config_reloads_total{outcome="refused"} 1')
  })
})
