/** Rate-limit policies for tools: which calls each one counts. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'

describe('a rate-limit policy for tools', () => {
  const api = openManagement()
  let upstream: McpUpstream
  let made: MadeServer
  before(async () => {
    upstream = await openMcpUpstream()
  })
  after(() => upstream.close())
  beforeEach(async () => {
    made = await makeMcpServer(api, upstream.url)
  })

  interface Caller {
    key?: string
    metadata?: object
  }

  const headersOf = ({ metadata }: Caller) =>
    metadata === undefined ? {} : { 'x-gateway-metadata': JSON.stringify(metadata) }

  async function statusOf({ key, ...caller }: Caller = {}, tool = 'echo'): Promise<number> {
    const options = { headers: headersOf(caller), ...(key === undefined ? {} : { key }) }
    return (await rpc(api, made.slug, { message: toolCall(tool, { text: 'a', path: 'b' }), ...options }))
      .status
  }

  async function policy(more: object): Promise<void> {
    const { status, text } = await api.post('/v1/policies/rate-limits', {
      target: 'mcp_tools',
      type: 'requests',
      unit: 'rpw',
      value: 1,
      workspace_id: 'default',
      group_by: [{ key: 'mcp_server' }],
      ...more,
      // Every test has a separate server.
      conditions: [
        { key: 'mcp_server', value: made.slug },
        ...('conditions' in more ? Object(more.conditions) : []),
      ],
    })
    expect(status, text).to.equal(200)
  }

  async function serviceKey(metadata?: object): Promise<{ id: string; key: string }> {
    const { status, text, body } = await api.post('/v1/api-keys/workspace/service', {
      name: `Key of ${made.slug}`,
      workspace_id: 'default',
      scopes: ['mcp.invoke'],
      ...(metadata === undefined ? {} : { defaults: { metadata } }),
    })
    expect(status, text).to.equal(200)
    return { id: String(body.id), key: String(body.key) }
  }

  it('counts each key separately when it groups by key', async () => {
    await policy({ group_by: [{ key: 'api_key' }] })
    const [{ key: first }, { key: second }] = [await serviceKey(), await serviceKey()]
    const seen = []
    for (const key of [first, first, second, second]) seen.push(await statusOf({ key }))
    expect(seen).to.deep.equal([200, 429, 200, 429])
  })

  it('counts only the calls of one key when its condition names that key', async () => {
    const { id, key } = await serviceKey()
    await policy({ conditions: [{ key: 'api_key', value: id }] })
    const seen = []
    for (const caller of [{ key }, { key }, {}, {}]) seen.push(await statusOf(caller))
    expect(seen).to.deep.equal([200, 429, 200, 200])
  })

  it('counts by request metadata', async () => {
    await policy({
      conditions: [{ key: 'metadata.team', value: 're*' }],
      group_by: [{ key: 'metadata.team' }],
    })
    const seen = []
    for (const team of ['red', 'red', 'reddish', 'blue', 'blue'])
      seen.push(await statusOf({ metadata: { team } }))
    expect(seen).to.deep.equal([200, 429, 200, 200, 200])
  })

  it('counts by key metadata, which no request can change', async () => {
    const { key } = await serviceKey({ team: 'red' })
    await policy({ conditions: [{ key: 'metadata.team', value: 'red' }] })
    const seen = []
    for (const team of ['red', 'blue', 'green']) seen.push(await statusOf({ key, metadata: { team } }))
    expect(seen).to.deep.equal([200, 429, 429])
  })

  it('counts each end user separately', async () => {
    await policy({ group_by: [{ key: 'metadata._user' }] })
    const seen = []
    for (const _user of ['ann', 'ann', 'bob', 'bob']) seen.push(await statusOf({ metadata: { _user } }))
    expect(seen).to.deep.equal([200, 429, 200, 429])
  })

  it('counts each call of a batch', async () => {
    await policy({ value: 2 })
    const batch = [1, 2, 3].map((id) => toolCall('echo', { text: 'a' }, id))
    const { status, body } = await rpc(api, made.slug, {
      message: batch,

      headers: { 'mcp-protocol-version': '2025-03-26' },
    })
    expect(status).to.equal(200)
    const answers = body as unknown as { id: number; error?: { data: { code: string } } }[]
    expect(answers.map(({ error }) => error?.data.code ?? 'fine').sort()).to.deep.equal([
      'fine',
      'fine',
      'rate_limit_exceeded',
    ])
  })

  it('counts a quarter of the bytes of arguments and results as tokens', async () => {
    await policy({ type: 'tokens', unit: 'rpw', value: 100 })
    const text = 'x'.repeat(240)
    const ask = async () => (await rpc(api, made.slug, { message: toolCall('echo', { text }) })).status
    expect([await ask(), await ask()]).to.deep.equal([200, 429])
  })

  it('counts no lists, no disabled or unknown tools, and no model calls', async () => {
    const off = await api.put(`/v1/mcp-servers/${made.server.id}/capabilities`, {
      capabilities: [{ name: 'delete_file', type: 'tool', enabled: false }],
    })
    expect(off.status).to.equal(200)
    await policy({})
    for (let count = 0; count < 3; count += 1) {
      const list = await rpc(api, made.slug, { message: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
      expect(list.status).to.equal(200)
      expect(await statusOf({}, 'delete_file')).to.equal(200)
    }
    expect([await statusOf(), await statusOf()]).to.deep.equal([200, 429])
    const refused = await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }, 'late') })
    expect(refused.body.error).to.deep.include({ type: 'rate_limit_error', code: 'rate_limit_exceeded' })
    expect(refused.body).not.to.have.property('jsonrpc')
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 604_800)
  })

  it('does not forward requests that it refuses', async () => {
    await policy({})
    await statusOf()
    const before = upstream.calls.length
    expect(await statusOf()).to.equal(429)
    expect(upstream.calls.length).to.equal(before)
  })
})

describe("a key's rate limit", () => {
  const api = openManagement()
  let upstream: McpUpstream
  let made: MadeServer
  before(async () => {
    upstream = await openMcpUpstream()
    made = await makeMcpServer(api, upstream.url)
  })
  after(() => upstream.close())

  it('counts tool calls as requests, together with inference', async () => {
    const { body } = await api.post('/v1/api-keys/workspace/service', {
      name: 'limited',
      workspace_id: 'default',
      scopes: ['mcp.invoke'],
      rate_limits: [{ type: 'requests', unit: 'rpd', value: 2 }],
    })
    const call = (message: unknown) => rpc(api, made.slug, { message, key: String(body.key) })
    expect((await call({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).to.equal(200)
    expect((await call(toolCall('echo', { text: 'a' }))).status).to.equal(200)
    expect((await call(toolCall('echo', { text: 'a' }))).status).to.equal(200)
    const refused = await call(toolCall('echo', { text: 'a' }))
    expect(refused.status).to.equal(429)
    expect(Number(refused.headers.get('retry-after'))).to.be.above(0)
    expect(refused.text).to.contain('rate_limit_exceeded')
  })
})
