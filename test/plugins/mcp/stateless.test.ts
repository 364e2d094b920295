/** The stateless protocol 2026-07-28 towards clients: the official client, and what its headers must say. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer, rpc } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'

const version = '2026-07-28'
const meta = (named = version) => ({
  'io.modelcontextprotocol/protocolVersion': named,
  'io.modelcontextprotocol/clientCapabilities': {},
})

describe('the stateless protocol at an MCP server', () => {
  const api = openManagement()
  let upstream: McpUpstream
  let made: MadeServer
  before(async () => {
    upstream = await openMcpUpstream()
    made = await makeMcpServer(api, upstream.url)
  })
  after(() => upstream.close())

  const call = (params: object, headers: Record<string, string>, method = 'tools/call') =>
    rpc(api, made.slug, {
      message: { jsonrpc: '2.0', id: 1, method, params },

      headers: { 'mcp-protocol-version': version, 'mcp-method': method, ...headers },
    })

  it('works with the official client', async () => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: version } } },
    )
    const transport = new StreamableHTTPClientTransport(new URL(`${api.gateway.url}/${made.slug}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${adminKey}` } },
    })
    await client.connect(transport)
    expect(client.getServerVersion()).to.deep.include({ name: 'upstream' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).to.include('echo')
    const result = await client.callTool({ name: 'echo', arguments: { text: 'stateless' } })
    expect(result.content).to.deep.equal([{ type: 'text', text: 'stateless' }])
    await client.close()
  })

  it('describes the server without a handshake', async () => {
    const { status, body } = await call({ _meta: meta() }, {}, 'server/discover')
    expect(status).to.equal(200)
    expect(body.result).to.deep.include({ resultType: 'complete', cacheScope: 'private' })
    expect(body.result.supportedVersions).to.include(version)
  })

  const echo = { name: 'echo', arguments: { text: 'a' } }
  const cases: [string, object, Record<string, string>, number][] = [
    ['another version in the body', { ...echo, _meta: meta('2025-11-25') }, { 'mcp-name': 'echo' }, -32020],
    [
      'another method in its header',
      { ...echo, _meta: meta() },
      { 'mcp-name': 'echo', 'mcp-method': 'ping' },
      -32020,
    ],
    ['another tool in its header', { ...echo, _meta: meta() }, { 'mcp-name': 'delete_file' }, -32020],
    ['no name in its header', { ...echo, _meta: meta() }, {}, -32020],
    [
      'an unknown version',
      { ...echo, _meta: meta('2030-01-01') },
      { 'mcp-name': 'echo', 'mcp-protocol-version': '2030-01-01' },
      -32022,
    ],
  ]
  for (const [what, params, headers, code] of cases) {
    it(`refuses ${what} with ${code}`, async () => {
      const { status, body } = await call(params, headers)
      expect([status, body.error.code]).to.deep.equal([400, code])
    })
  }

  it('refuses a message without its version or its capabilities with -32602', async () => {
    const onlyVersion = { 'io.modelcontextprotocol/protocolVersion': version }
    for (const params of [echo, { ...echo, _meta: {} }, { ...echo, _meta: onlyVersion }]) {
      const { status, body } = await call(params, { 'mcp-name': 'echo' })
      expect([status, body.error.code]).to.deep.equal([400, -32602])
    }
  })

  it('answers 404 with -32601 to methods of the session protocol, and to unknown ones', async () => {
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'nothing']) {
      const { status, body } = await call({ _meta: meta() }, {}, method)
      expect([status, body.error.code], method).to.deep.equal([404, -32601])
    }
  })

  it("does not forward the protocol's reserved member names to the upstream", async () => {
    const { status } = await call(
      { ...echo, _meta: { ...meta(), own: 1 } },
      { 'mcp-name': '=?base64?ZWNobw==?=' },
    )
    expect(status).to.equal(200)
    const params = upstream.seen.at(-1)?.body?.params as { _meta?: object } | undefined
    expect(params?._meta).to.deep.equal({ own: 1 })
  })
})
