/** `/metrics` is valid text with HELP for every metric, correct counts, and labels that callers cannot multiply. */
import { expect } from 'chai'
import { Gauge, Registry } from 'prom-client'
import { createMetrics, metricsText } from '#core/observability/metrics'
import { skipTime } from '../../support/clock.ts'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { readMetrics } from '../../support/metrics-text.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

describe('/metrics', () => {
  const skip = skipTime()
  let upstream: Upstream
  let gateway: TestGateway
  before(async () => {
    upstream = await openUpstream((request, response) => {
      if (request.path.includes('slow')) skip(600_000)
      sendJson(response, 200, chatAnswer('ok', { model: request.json?.model }))
    })
    gateway = await startGateway({
      providers: { main: { provider: 'openai', api_key: 'sk-secret', custom_host: upstream.url } },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  const send = async (model: string, config: object = target(upstream.url)) => {
    const answer = await gateway.post('/v1/chat/completions', chat('x', { model }), configHeader(config))
    await answer.arrayBuffer()
  }
  const metrics = async () => readMetrics(await (await gateway.get('/metrics')).text())

  it('is in the Prometheus text format, with HELP and TYPE for every metric', async () => {
    await send('gpt-4o')
    const { faults, names } = await metrics()
    expect(faults).to.deep.equal([])
    expect(names.size).to.be.greaterThan(30)
  })

  it('stays valid when a value is missing', async () => {
    const registry = new Registry()
    new Gauge({ name: 'lag', help: 'Not measured yet.', registers: [registry] }).set(Number.NaN)
    const { faults, value } = readMetrics((await metricsText(registry)).text)
    expect(faults).to.deep.equal([])
    expect(value('lag')).to.deep.equal(Number.NaN)
  })

  it('reports cost, tokens, gateway time, upstream time, attempts and cache lookups', async () => {
    const before = await metrics()
    await send('gpt-4o', { provider: '@main', cache: { mode: 'simple' } })
    await send('gpt-4o', { provider: '@main', cache: { mode: 'simple' } })
    const after = await metrics()
    const added = (name: string, labels: Record<string, string> = {}) =>
      after.value(name, labels) - before.value(name, labels)
    expect(added('gateway_cost_cents_total', { provider: 'openai' })).to.be.greaterThan(0)
    expect(added('gateway_tokens_total', { kind: 'prompt', model: 'gpt-4o' })).to.equal(3)
    expect(added('gateway_tokens_total', { kind: 'completion', model: 'gpt-4o' })).to.equal(2)
    expect(added('gateway_overhead_seconds_count')).to.equal(1)
    expect(added('gateway_upstream_seconds_count', { provider: 'openai' })).to.equal(1)
    expect(added('gateway_attempts_total', { virtual_key: 'main', outcome: 'success' })).to.equal(1)
    expect(added('gateway_cache_total', { status: 'MISS' })).to.equal(1)
    expect(added('gateway_cache_total', { status: 'HIT' })).to.equal(1)
    expect(after.value('gateway_telemetry_dropped_total')).to.equal(0)
  })

  it('separates gateway time from the time of a slow provider', async () => {
    const before = await metrics()
    await send('gpt-4o', { ...target(upstream.url), custom_host: `${upstream.url}/slow` })
    const after = await metrics()
    const added = (name: string) => after.value(name) - before.value(name)
    expect(added('gateway_upstream_seconds_sum')).to.be.at.least(600)
    expect(added('gateway_overhead_seconds_sum')).to.be.lessThan(600)
  })

  it('has no series for unknown models', async () => {
    await send('first')
    const before = await metrics()
    for (let count = 0; count < 100; count += 1) await send(`made-up-${count}`)
    await send('with "quotes"\nand a line\\')
    const after = await metrics()
    expect(after.faults).to.deep.equal([])
    expect(after.series).to.equal(before.series)
    expect(after.text).not.to.include('made-up')
  })

  it('reports models with a price as "other" after the first 200', async () => {
    const { registry, tokens } = createMetrics({
      circuitStates: () => ({}),
      areLimitsUnshared: () => false,
      waitingRequests: () => 0,
    })
    for (let count = 0; count < 1000; count += 1)
      tokens.record({ provider: 'openai', model: `gpt-4o-${count}`, prompt: 1, completion: 1 })
    const read = readMetrics(await registry.metrics())
    expect(read.values('gateway_tokens_total', 'model')).to.have.length(201)
    expect(read.value('gateway_tokens_total', { model: 'other', kind: 'prompt' })).to.equal(800)
  })

  it('needs no key and contains no secret', async () => {
    const answer = await fetch(`${gateway.url}/metrics`)
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/)
    expect(await answer.text()).not.to.include('sk-secret')
  })
})
