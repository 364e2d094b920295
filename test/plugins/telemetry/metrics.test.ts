/** Metrics over OTLP/HTTP: their names, units and attributes, and bounded series. */
import { expect } from 'chai'
import { type Collector, openCollector } from '../../support/collector.ts'
import { chat, configHeader, startGateway, target } from '../../support/gateway.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

describe('metrics over OTLP/HTTP', () => {
  let collector: Collector
  let upstream: Upstream
  before(async () => {
    collector = await openCollector()
    upstream = await openUpstream((request, response) =>
      sendJson(response, 200, chatAnswer('ok', { model: request.json?.model })),
    )
    const gateway = await startGateway({
      telemetry: { otlp_endpoint: collector.origin, export_interval_ms: 60_000, traces: false },
    })
    const config = configHeader(target(upstream.url))
    await gateway.post('/v1/chat/completions', chat('x', { model: 'gpt-4o' }), config)
    for (let count = 0; count < 20; count += 1)
      await gateway.post('/v1/chat/completions', chat('x', { model: `made-up-${count}` }), config)
    await gateway.stop()
  })
  after(async () => {
    await upstream.close()
    await collector.close()
  })
  const points = (name: string) => collector.metrics.get(name) ?? []

  it('exports the durations of calls by operation, provider and model', () => {
    const durations = points('gen_ai.client.operation.duration')
    expect(durations.map(({ attributes, count }) => ({ ...attributes, count }))).to.have.deep.members([
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        count: 1,
      },
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'other',
        count: 20,
      },
    ])
  })

  it('exports tokens by type', () => {
    const tokens = points('gen_ai.client.token.usage').filter(
      ({ attributes }) => attributes['gen_ai.request.model'] === 'gpt-4o',
    )
    const sums = tokens.map(({ attributes, sum }) => [attributes['gen_ai.token.type'], sum])
    expect(sums).to.have.deep.members([
      ['input', 3],
      ['output', 2],
    ])
  })

  it('exports request durations, gateway time and cost', () => {
    const [requests] = points('http.server.request.duration')
    expect(requests).to.deep.include({ count: 21 })
    expect(requests?.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'http.route': '/v1/chat/completions',
    })
    const [overhead] = points('gateway.overhead.duration')
    expect(overhead?.count).to.equal(21)
    const [cost] = points('gateway.cost')
    expect(cost?.attributes).to.deep.equal({ 'gen_ai.provider.name': 'openai' })
    expect(cost?.sum).to.be.greaterThan(0)
  })

  it('sends only JSON, and only to the metrics path', () => {
    expect([...new Set(collector.requests.map(({ path }) => path))]).to.deep.equal(['/v1/metrics'])
    expect(collector.requests[0]?.headers['content-type']).to.equal('application/json')
  })
})
