/** Upstreams with only the stateless protocol 2026-07-28, called by clients of every version. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { connect, type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { openStatelessUpstream, type StatelessUpstream } from '../../support/mcp-stateless-upstream.ts'
import { openMcpUpstream } from '../../support/mcp-upstream.ts'

const version = '2026-07-28'
const prefix = 'io.modelcontextprotocol/'

describe('an MCP upstream of the stateless protocol', () => {
  const api = openManagement()
  let upstream: StatelessUpstream
  let made: MadeServer
  before(async () => {
    upstream = await openStatelessUpstream()
    made = await makeMcpServer(api, upstream.url)
  })
  after(() => upstream.close())

  async function connectStateless(): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: version } }, capabilities: { elicitation: { form: {} } } },
    )
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept' as const,
      content: { confirm: true },
    }))
    const transport = new StreamableHTTPClientTransport(new URL(`${api.gateway.url}/${made.slug}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${adminKey}` } },
    })
    await client.connect(transport)
    return client
  }

  it('is synced in its protocol version', async () => {
    const { body } = await api.get(`/v1/mcp-servers/${made.server.id}/metadata`)
    expect(body).to.deep.include({
      protocol_version: version,
      server_name: 'stateless',
      server_version: '2.0.0',
      sync_status: 'ok',
    })
    const { body: listed } = await api.get(`/v1/mcp-servers/${made.server.id}/capabilities?type=tool`)
    expect(listed.total).to.equal(4)
  })

  it('serves clients of the versions with sessions', async () => {
    const client = await connect(api, made.slug)
    expect(client.getServerVersion()).to.deep.include({ name: 'stateless', version: '2.0.0' })
    const seen: number[] = []
    const result = await client.callTool({ name: 'count', arguments: { to: 2 } }, undefined, {
      onprogress: ({ progress }) => seen.push(progress),
    })
    expect(result).to.deep.equal({ content: [{ type: 'text', text: 'counted to 2' }] })
    expect(seen).to.deep.equal([1, 2])
    await client.setLoggingLevel('warning')
    await client.callTool({ name: 'echo', arguments: { text: 'a' } })
    const params = upstream.seen.at(-1)?.body.params as { _meta: object } | undefined
    expect(params?._meta).to.deep.include({ [`${prefix}logLevel`]: 'warning' })
    await client.close()
  })

  it('receives in each request the members that the headers repeat', async () => {
    const { body } = await rpc(api, made.slug, { message: toolCall('route', { region: 'Köln' }) })
    expect(body.result).to.deep.equal({ content: [{ type: 'text', text: 'routed to Köln' }] })
    const call = upstream.seen.at(-1)
    expect(call?.headers).to.deep.include({
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': 'route',
      'mcp-param-region': `=?base64?${Buffer.from('Köln').toString('base64')}?=`,
    })
    expect(call?.headers).not.to.have.property('mcp-session-id')
    const params = call?.body.params as { _meta: object } | undefined
    expect(params?._meta).to.deep.include({
      [`${prefix}protocolVersion`]: version,
      [`${prefix}clientCapabilities`]: {},
    })
  })

  it("is called only when a stateless client's headers repeat the marked arguments", async () => {
    const ask = (region: string | null) =>
      rpc(api, made.slug, {
        message: {
          ...toolCall('route', { region: 'north' }),
          params: {
            name: 'route',
            arguments: { region: 'north' },
            _meta: { [`${prefix}protocolVersion`]: version, [`${prefix}clientCapabilities`]: {} },
          },
        },

        headers: {
          'mcp-protocol-version': version,
          'mcp-method': 'tools/call',
          'mcp-name': 'route',
          ...(region === null ? {} : { 'mcp-param-region': region }),
        },
      })
    expect((await ask('north')).status).to.equal(200)
    expect((await ask('=?base64?bm9ydGg=?=')).status).to.equal(200)
    const before = upstream.seen.length
    for (const wrong of [null, 'south', '=?base64?bm9ydGg?=']) {
      const { status, body } = await ask(wrong)
      expect([status, body.error.code], String(wrong)).to.deep.equal([400, -32020])
    }
    expect(upstream.seen.length).to.equal(before)
  })

  it('can request input from a stateless client, and receives it with the next request', async () => {
    const client = await connectStateless()
    const result = await client.callTool({ name: 'deploy', arguments: {} })
    expect(result.content).to.deep.equal([{ type: 'text', text: 'deployed' }])
    await client.close()
  })

  it('returns its own errors with 200, for any original status', async () => {
    const { status, body } = await rpc(api, made.slug, {
      message: {
        jsonrpc: '2.0',
        id: 'p',
        method: 'prompts/get',
        params: { name: 'nothing' },
      },
    })
    expect([status, body.id]).to.deep.equal([200, 'p'])
    expect(body.error.code).to.be.oneOf([-32601, -32602])
  })

  it('is detected once; other servers are not probed before every session', async () => {
    const older = await openMcpUpstream()
    try {
      const { slug } = await makeMcpServer(api, older.url)
      for (const text of ['a', 'b', 'c']) await rpc(api, slug, { message: toolCall('echo', { text }) })
      const asked = older.seen.filter(({ method }) => method === 'server/discover')
      expect(asked).to.have.length(1)
    } finally {
      await older.close()
    }
  })
})
