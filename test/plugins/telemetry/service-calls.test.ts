/** Calls of MCP servers and agents as spans: names and outcomes, and no texts. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Collector, openCollector, type Span } from '../../support/collector.ts'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { rpc, toolCall } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'
import { until } from '../../support/until.ts'
import { openUpstream, sendEvents, sendJson, type Upstream } from '../../support/upstream.ts'

const parentId = 'b7ad6b7169203331'

describe('traces of MCP servers and agents', () => {
  let collector: Collector
  let upstream: McpUpstream
  let agent: Upstream
  let gateway: TestGateway
  let traceId = ''
  before(async () => {
    collector = await openCollector()
    upstream = await openMcpUpstream()
    agent = await openUpstream((request, response) => {
      if (request.path === '/.well-known/agent-card.json')
        return sendJson(response, 200, { name: 'Agent', url: `${agent.origin}/rpc` })
      if (request.json?.method === 'message/stream') return sendEvents(response, ['data: {"a":1}\n\n'])
      if (request.json?.method === 'tasks/get') return sendJson(response, 500, {})
      sendJson(response, 200, { jsonrpc: '2.0', id: 1, result: {} })
    })
    gateway = await startGateway({
      telemetry: { otlp_endpoint: collector.origin, export_interval_ms: 100 },
      mcp_servers: { tools: { url: upstream.url } },
      agent_servers: { helper: { url: agent.origin } },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await agent.close()
    await collector.close()
  })
  beforeEach(() => {
    collector.spans.length = 0
    traceId = randomBytes(16).toString('hex')
  })

  const traced = (flags = '01') => ({ traceparent: `00-${traceId}-${parentId}-${flags}` })
  const call = (message: object, headers: Record<string, string> = traced()) =>
    rpc({ gateway }, 'tools', { message, headers })
  const send = (method: string) =>
    fetch(`${gateway.url}/v1/agent/helper`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json', ...traced() },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { text: 'a private text' } }),
    }).then((answer) => answer.text())

  async function clientSpans(): Promise<{ server: Span; clients: Span[] }> {
    const own = () => collector.spans.filter((span) => span.traceId === traceId)
    const server = await until('a server span', () => own().find(({ kind }) => kind === 'SERVER'))
    return { server, clients: own().filter(({ kind }) => kind === 'CLIENT') }
  }

  it('contain a client span for a tool call, which the upstream continues', async () => {
    expect((await call(toolCall('echo', { text: 'a private text' }))).status).to.equal(200)
    const { server, clients } = await clientSpans()
    expect(clients).to.have.length(1)
    const [client] = clients as [Span]
    expect(client).to.include({ name: 'tools/call echo', parentSpanId: server.spanId, isError: false })
    expect(client.attributes).to.deep.equal({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'echo',
      'gateway.endpoint': 'mcp',
      'gateway.server': 'tools',
    })
    const sent = upstream.seen.findLast(({ method }) => method === 'tools/call')
    expect(sent?.headers.traceparent).to.equal(`00-${traceId}-${client.spanId}-01`)
    expect(collector.requests.map(({ text }) => text).join()).not.to.include('private text')
  })

  it('mark failing tools and unavailable upstreams as errors', async () => {
    await call(toolCall('fail'))
    const { clients } = await clientSpans()
    expect(clients[0]).to.include({ isError: true })
    expect(clients[0]?.attributes['error.type']).to.equal('tool_error')
    traceId = randomBytes(16).toString('hex')
    upstream.intercept = (_, response) => {
      response.writeHead(503).end()
      return true
    }
    try {
      await call(toolCall('echo', { text: 'a' }))
    } finally {
      upstream.intercept = null
    }
    const down = await clientSpans()
    expect(down.clients[0]?.attributes['error.type']).to.equal('upstream_unreachable')
    expect(down.server.isError).to.equal(true)
  })

  it('contain a tool name only when it has the form of a name', async () => {
    await call(toolCall('a text of a person, not a name'))
    const { clients } = await clientSpans()
    expect(clients[0]?.name).to.equal('tools/call other')
  })

  it('are not exported when the caller did not sample, which is forwarded to the upstream', async () => {
    await call(toolCall('echo', { text: 'a' }), traced('00'))
    const sent = upstream.seen.findLast(({ method }) => method === 'tools/call')
    expect(sent?.headers.traceparent).to.match(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  })

  it('contain a client span for an agent call, also when it streams or fails', async () => {
    const cases: [string, string | undefined][] = [
      ['message/send', undefined],
      ['message/stream', undefined],
      ['tasks/get', '500'],
    ]
    for (const [method, fault] of cases) {
      traceId = randomBytes(16).toString('hex')
      await send(method)
      const { clients, server } = await clientSpans()
      expect(clients.map(({ name }) => name)).to.deep.equal([method])
      const [client] = clients as [Span]
      expect(client.attributes).to.deep.equal({
        'rpc.method': method,
        'gateway.endpoint': 'agent',
        'gateway.server': 'helper',
        ...(fault === undefined ? {} : { 'error.type': fault }),
      })
      expect(client.isError, method).to.equal(fault !== undefined)
      expect(client.endMs).to.be.at.most(server.endMs)
      expect(agent.seen.at(-1)?.headers.traceparent).to.equal(`00-${traceId}-${client.spanId}-01`)
    }
    expect(collector.requests.map(({ text }) => text).join()).not.to.include('private text')
  })
})
