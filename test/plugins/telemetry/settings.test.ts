/** Telemetry settings: config file, standard variables, sampling, content, switched off, unavailable collector. */
import { expect } from 'chai'
import { completed } from '#config-file/setting'
import { telemetry } from '#config-file/settings'
import { telemetrySettings } from '#core/boot/telemetry-settings'
import { type Collector, openCollector } from '../../support/collector.ts'
import { adminKey, chat, configHeader, startGateway, target } from '../../support/gateway.ts'
import { testStoreUrl } from '../../support/test-store.ts'
import { until } from '../../support/until.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'

const none = { tracesUrl: null, metricsUrl: null }
const at = (origin: string) => ({ tracesUrl: `${origin}/v1/traces`, metricsUrl: `${origin}/v1/metrics` })

describe('telemetry settings', () => {
  const rows: [string, object, Record<string, string>, object | null][] = [
    ['nothing is named', {}, {}, null],
    ['the file', { otlp_endpoint: 'http://c:4318/' }, {}, at('http://c:4318')],
    ['a variable', {}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://e:4318' }, at('http://e:4318')],
    [
      'the file beats a variable',
      { otlp_endpoint: 'http://c:4318' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://e:4318' },
      at('http://c:4318'),
    ],
    [
      'a variable of one signal',
      {},
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://e/path' },
      { ...none, tracesUrl: 'http://e/path' },
    ],
    [
      'traces alone',
      { otlp_endpoint: 'http://c', metrics: false },
      {},
      { tracesUrl: 'http://c/v1/traces', metricsUrl: null },
    ],
    ['neither signal', { otlp_endpoint: 'http://c', metrics: false, traces: false }, {}, null],
    [
      'headers of the environment',
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://e', OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=x%20y' },
      { headers: { a: '1', b: 'x y' } },
    ],
    [
      'resource attributes',
      { otlp_endpoint: 'http://c' },
      { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=a', OTEL_SERVICE_NAME: 'b' },
      { resource: { 'deployment.environment': 'test', 'service.name': 'b' } },
    ],
    [
      'the name of the file',
      { otlp_endpoint: 'http://c', service_name: 'f' },
      { OTEL_SERVICE_NAME: 'b' },
      { resource: { 'service.name': 'f' } },
    ],
    [
      'defaults',
      { otlp_endpoint: 'http://c' },
      {},
      {
        resource: { 'service.name': 'gateway' },
        sampleRatio: 1,
        capturesContent: false,
        tracesIntervalMs: 5000,
        metricsIntervalMs: 60_000,
      },
    ],
  ]
  for (const [what, file, environment, expected] of rows) {
    it(`reads ${what}`, () => {
      const settings = telemetrySettings(completed(telemetry, file), environment)
      if (expected === null) expect(settings).to.equal(null)
      else expect(settings).to.deep.include(expected)
    })
  }
})

describe('the telemetry of a gateway', () => {
  let collector: Collector
  let upstream: Upstream
  before(async () => {
    collector = await openCollector()
    upstream = await openUpstream()
  })
  after(async () => {
    await upstream.close()
    await collector.close()
  })
  beforeEach(() => {
    collector.spans.length = 0
    collector.requests.length = 0
    collector.status = 200
  })
  const open = (telemetry: object) =>
    startGateway({ telemetry: { otlp_endpoint: collector.origin, export_interval_ms: 100, ...telemetry } })
  const config = () => configHeader(target(upstream.url))

  it('sends no traceparent and exports nothing without a collector', async () => {
    const gateway = await startGateway()
    await gateway.post('/v1/chat/completions', chat(), config())
    expect(upstream.seen.at(-1)?.headers).not.to.have.property('traceparent')
    await gateway.stop()
    expect(collector.requests).to.deep.equal([])
  })

  it('reads the standard variables when the config file has no setting', async () => {
    const gateway = await startGateway({}, {
      environment: {
        GATEWAY_ADMIN_KEY: adminKey,
        GATEWAY_STORE_URL: await testStoreUrl('.'),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
        OTEL_SERVICE_NAME: 'named',
      },
    } as never)
    await gateway.post('/v1/chat/completions', chat(), config())
    await gateway.stop()
    expect(collector.spans.map(({ kind }) => kind)).to.deep.equal(['SERVER', 'CLIENT'])
    expect(collector.resource['service.name']).to.equal('named')
  })

  it('contains request and answer content when the config file enables it', async () => {
    const gateway = await open({ capture_content: true })
    await gateway.post('/v1/chat/completions', chat('a private text'), config())
    await (await gateway.post('/v1/chat/completions', chat('streamed', { stream: true }), config())).text()
    await gateway.stop()
    const [whole, stream] = collector.spans.filter(({ kind }) => kind === 'CLIENT')
    expect(JSON.parse(String(whole?.attributes['gen_ai.input.messages']))).to.deep.equal([
      { role: 'user', content: 'a private text' },
    ])
    expect(whole?.attributes['gen_ai.output.messages']).to.include('"content":"ok"')
    expect(stream?.attributes['gen_ai.output.messages']).to.include('"content":"ok"')
  })

  it('exports no trace at a ratio of 0 unless the caller sampled it, and counts every request', async () => {
    const gateway = await open({ sample_ratio: 0 })
    for (let count = 0; count < 5; count += 1) await gateway.post('/v1/chat/completions', chat(), config())
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    await gateway.post('/v1/chat/completions', chat(), { ...config(), traceparent })
    await gateway.stop()
    expect(collector.spans).to.have.length(2)
    expect(collector.metrics.get('gen_ai.client.operation.duration')?.[0]?.count).to.equal(6)
  })

  it('does not affect answers while the collector is unavailable, and counts dropped spans', async () => {
    const away = await openCollector()
    await away.close()
    const gateway = await open({ otlp_endpoint: away.origin, metrics: false })
    for (let count = 0; count < 3; count += 1)
      expect((await gateway.post('/v1/chat/completions', chat(), config())).status).to.equal(200)
    const dropped = /gateway_telemetry_dropped_total (\d+)/
    const text = await until('dropped spans', async () => {
      const found = dropped.exec(await (await gateway.get('/metrics')).text())
      return found?.[1] === '6' ? found[1] : null
    })
    expect(text).to.equal('6')
    await gateway.stop()
  })

  it('limits its queue while a collector does not answer', async () => {
    const silent = await openUpstream(() => new Promise(() => undefined))
    const gateway = await open({ otlp_endpoint: silent.origin, metrics: false })
    const check = { 'default.contains': { operator: 'none', words: ['forbidden'] } }
    const guarded = configHeader({ ...target(upstream.url), input_guardrails: Array(30).fill(check) })
    for (let count = 0; count < 70; count += 1) {
      const answer = await gateway.post('/v1/chat/completions', chat(), guarded)
      await answer.arrayBuffer()
    }
    // 70 requests have 32 spans each, 2240, of which at most 2048 may wait or be on their way.
    await until('dropped spans', async () => {
      const text = await (await gateway.get('/metrics')).text()
      return Number(/telemetry_dropped_total (\d+)/.exec(text)?.[1] ?? 0) >= 2240 - 2048
    })
    await silent.close()
    await gateway.stop()
  })

  it('starts with a reload that configures a collector', async () => {
    const gateway = await startGateway()
    await gateway.writeConfig({ telemetry: { otlp_endpoint: collector.origin, export_interval_ms: 100 } })
    await gateway.reload()
    await gateway.post('/v1/chat/completions', chat(), config())
    await until('a span', () => collector.spans.length > 0)
    await gateway.stop()
  })
})
