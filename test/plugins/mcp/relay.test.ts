/** An MCP server of the gateway, with the official SDK on both sides. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { connect, type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'
import { until } from '../../support/until.ts'

describe('an MCP server of the gateway', () => {
  const api = openManagement()
  let upstream: McpUpstream
  let made: MadeServer
  before(async () => {
    upstream = await openMcpUpstream()
    made = await makeMcpServer(api, upstream.url)
  })
  after(() => upstream.close())

  it('works with the official client', async () => {
    const client = await connect(api, made.slug)
    expect(client.getServerVersion()).to.deep.include({ name: 'upstream', version: '1.2.3' })
    expect(client.getInstructions()).to.equal('Use it well.')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).to.have.members(['echo', 'delete_file', 'fail', 'count', 'wait'])
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } })
    expect(result.content).to.deep.equal([{ type: 'text', text: 'hello' }])
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).to.deep.equal(['greet'])
    const prompt = await client.getPrompt({ name: 'greet', arguments: { name: 'Ann' } })
    expect(prompt.messages[0]?.content).to.deep.equal({ type: 'text', text: 'Greet Ann' })
    expect((await client.listResources()).resources.map(({ uri }) => uri)).to.deep.equal([
      'file:///readme.md',
    ])
    const templates = (await client.listResourceTemplates()).resourceTemplates
    expect(templates.map(({ uriTemplate }) => uriTemplate)).to.deep.equal(['users://{id}/profile'])
    const read = await client.readResource({ uri: 'users://7/profile' })
    expect(read.contents[0]).to.deep.include({ text: 'profile of 7' })
    await client.close()
  })

  it('streams the progress of a call as it arrives, for its own progress token', async () => {
    const client = await connect(api, made.slug)
    const seen: number[] = []
    const result = await client.callTool({ name: 'count', arguments: { to: 3 } }, undefined, {
      onprogress: ({ progress }) => seen.push(progress),
    })
    expect(result.content).to.deep.equal([{ type: 'text', text: 'counted to 3' }])
    expect(seen).to.deep.equal([1, 2, 3])
    await client.close()
  })

  it("returns a tool's own error", async () => {
    const { status, body } = await rpc(api, made.slug, { message: toolCall('fail', {}, 'a') })
    expect(status).to.equal(200)
    expect(body).to.deep.include({ jsonrpc: '2.0', id: 'a' })
    expect(body.result.isError).to.equal(true)
  })

  it('answers on every path, and only in the workspace of the server', async () => {
    for (const path of [`/v1/mcp/${made.slug}`, `/${made.slug}/mcp`, `/default/${made.slug}/mcp`]) {
      const { status } = await rpc(api, made.slug, {
        message: toolCall('echo', { text: 'a' }),
        path,
      })
      expect(status, path).to.equal(200)
    }
    const { status, body } = await rpc(api, made.slug, {
      message: toolCall('echo', { text: 'a' }),

      path: `/other/${made.slug}/mcp`,
    })
    expect(status).to.equal(404)
    expect(body.error.code).to.equal('not_found')
  })

  it('accepts only POST', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${api.gateway.url}/${made.slug}/mcp`, { method })
      expect(response.status).to.equal(405)
      expect(response.headers.get('allow')).to.equal('POST')
    }
  })

  it('aborts the upstream call when its client disconnects', async () => {
    const caller = new AbortController()
    const before = upstream.calls.length
    const asked = fetch(`${api.gateway.url}/${made.slug}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer test-admin-key-0123456789`,
      },
      body: JSON.stringify(toolCall('wait')),
      signal: caller.signal,
    }).catch(() => null)
    await until('the call', () => upstream.calls.length > before)
    const cancelled = upstream.cancelled.length
    caller.abort()
    await asked
    await until('the cancellation', () => upstream.cancelled.length > cancelled)
  })

  it('aborts a call that its client cancels', async () => {
    const client = await connect(api, made.slug)
    const caller = new AbortController()
    const before = upstream.calls.length
    const cancelled = upstream.cancelled.length
    const asked = client
      .callTool({ name: 'wait' }, undefined, { signal: caller.signal })
      .then(() => 'done')
      .catch(() => 'cancelled')
    await until('the call', () => upstream.calls.length > before)
    caller.abort()
    expect(await asked).to.equal('cancelled')
    await until('the cancellation', () => upstream.cancelled.length > cancelled)
    await client.close()
  })

  it('opens a new session when the upstream has lost it', async () => {
    const call = () => rpc(api, made.slug, { message: toolCall('echo', { text: 'again' }) })
    await call()
    upstream.forget()
    const { status, body } = await call()
    expect(status).to.equal(200)
    expect(body.result).to.deep.equal({ content: [{ type: 'text', text: 'again' }] })
  })

  it('logs each call with its server, method and tool', async () => {
    await rpc(api, made.slug, { message: toolCall('echo', { text: 'logged' }) })
    const line = api.gateway.logs.findLast((one) => one.mcp_tool === 'echo')
    expect(line).to.deep.include({
      endpoint: 'mcp',
      mcp_server: made.slug,
      mcp_method: 'tools/call',
      path: `/v1/mcp/${made.slug}`,
      status: 200,
    })
  })
})
