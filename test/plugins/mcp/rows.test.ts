/** Rows of management of MCP servers: syncs, guardrails on results, secret references, headers, connections, the registry. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { createTools, type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'
import { until } from '../../support/until.ts'
import { openUpstream, sendJson } from '../../support/upstream.ts'

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

const config = {
  logs: { bodies: 'full' },
  guardrails: {
    results: {
      checks: [{ id: 'default.contains', parameters: { words: ['forbidden'], operator: 'none' } }],
      deny: true,
    },
    redacting: {
      checks: [{ id: 'default.regexReplace', parameters: { rule: 'hunter\\d+', redactText: '[hidden]' } }],
    },
  },
  workspaces: {
    results: { defaults: { output_guardrails: ['results'] } },
    redacting: { defaults: { input_guardrails: ['redacting'] } },
  },
}

describe('MCP management: special cases', () => {
  const api = openManagement(config)
  let upstream: McpUpstream
  before(async () => {
    upstream = await openMcpUpstream()
  })
  after(() => upstream.close())
  const make = (more: Parameters<typeof makeMcpServer>[2] = {}) => makeMcpServer(api, upstream.url, more)
  const integrationPath = ({ integration }: MadeServer) => `/v1/mcp-integrations/${integration.id}`
  const serverPath = ({ server }: MadeServer) => `/v1/mcp-servers/${server.id}`
  const inWorkspace = (workspace: string) => ({ headers: { 'x-gateway-workspace-id': workspace } })

  it('keeps new capabilities disabled when the integration sets that, until they are enabled', async () => {
    const made = await make({ integration: { new_capabilities_enabled: false } })
    const { body } = await api.get(`${serverPath(made)}/capabilities?type=tool&page=1`)
    expect(body.counts).to.deep.include({ tool: { total: 5, enabled: 0 } })
    expect((await rpc(api, made.slug, { message: list })).body.result).to.deep.equal({ tools: [] })
    expect(
      (await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })).body.error.code,
    ).to.equal(-32602)
    await api.put(`${integrationPath(made)}/capabilities`, {
      capabilities: [{ name: 'echo', type: 'tool', enabled: true }],
    })
    expect((await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })).status).to.equal(200)
    // A sync leaves switches unchanged.
    expect((await api.post(`${integrationPath(made)}/sync`)).status).to.equal(200)
    expect((await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })).status).to.equal(200)
    expect((await rpc(api, made.slug, { message: toolCall('fail') })).body.error.code).to.equal(-32602)
  })

  it('removes deleted capabilities in a sync, and keeps the known ones when a sync fails', async () => {
    let isShort = false
    const own = await openMcpUpstream({
      isStateless: true,
      createServer: () => {
        const server = createTools()
        if (isShort) server.registerTool('only_now', {}, async () => ({ content: [] }))
        return server
      },
    })
    const made = await makeMcpServer(api, own.url)
    const names = async () =>
      (await api.get(`${integrationPath(made)}/capabilities?type=tool`)).data.map(({ name }) => name)
    expect(await names()).not.to.include('only_now')
    isShort = true
    await api.post(`${serverPath(made)}/sync`)
    expect(await names()).to.include('only_now')
    isShort = false
    await api.post(`${serverPath(made)}/sync`)
    expect(await names()).not.to.include('only_now')
    await own.close()
    const failed = await api.post(`${serverPath(made)}/sync`)
    expect([failed.status, failed.error.code]).to.deep.equal([502, 'upstream_unreachable'])
    const { body } = await api.get(`${integrationPath(made)}/metadata`)
    expect(body.sync_status).to.equal('failed')
    expect(body.sync_error).to.be.a('string')
    expect(body.last_synced_at).to.be.a('string')
    expect(await names()).to.have.length(5)
    const trial = await api.post(`${serverPath(made)}/test`)
    expect(trial.body.success).to.equal(false)
    expect(trial.body).not.to.have.property('status_code')
  })

  it('reports the status with which an upstream refused a test', async () => {
    const own = await openUpstream((_, response) => sendJson(response, 418, { no: true }))
    const made = await makeMcpServer(api, own.origin)
    const { body } = await api.post(`${integrationPath(made)}/test`)
    expect(body).to.deep.include({ success: false, status_code: 418 })
    await own.close()
  })

  it('syncs a server of the config file when a client asks for its list', async () => {
    await api.gateway.writeConfig({ ...config, mcp_servers: { declared: { url: upstream.url } } })
    expect(await api.gateway.reload()).to.equal(true)
    expect((await rpc(api, 'declared', { message: list })).status).to.equal(200)
    await until('the sync', async () => {
      const { body } = await api.get('/v1/mcp-servers/declared/metadata')
      return body.sync_status === 'ok'
    })
    // The sync may still be closing its session.
    const lists = () => upstream.seen.filter(({ method }) => method === 'tools/list').length
    const before = lists()
    expect((await rpc(api, 'declared', { message: list })).body.result).to.have.property('tools')
    expect(lists()).to.equal(before)
  })

  it('denies results, and neither forwards nor logs a text that a guardrail removed', async () => {
    const made = await make({ workspace: 'results' })
    const denied = await rpc(api, made.slug, {
      message: toolCall('echo', { text: 'forbidden' }),
      ...inWorkspace('results'),
    })
    expect(denied.body.error).to.deep.include({ code: -32000 })
    expect(denied.body.error.message).to.match(/^Guardrail "results" denied the answer/)
    expect(denied.text).not.to.contain('"text":"forbidden"')
    const redacting = await make({ workspace: 'redacting' })
    const reply = await rpc(api, redacting.slug, {
      message: toolCall('echo', { text: 'password hunter2' }, 'r'),
      ...inWorkspace('redacting'),
    })
    expect(reply.body.result).to.deep.equal({ content: [{ type: 'text', text: 'password [hidden]' }] })
    let entry: Record<string, unknown> = {}
    await until('the log entry', async () => {
      const found = await api.get(`/v1/logs/${reply.headers.get('x-request-id')}`)
      entry = found.body
      return found.status === 200
    })
    expect(entry).to.deep.include({ endpoint_type: 'mcp', mcp_server: redacting.slug, mcp_tool: 'echo' })
    const text = JSON.stringify(entry)
    expect(text).to.contain('password [hidden]').and.not.contain('hunter2')
  })

  it('keeps a secret reference while an MCP or agent integration uses it', async () => {
    const reference = await api.post('/v1/secret-references', {
      name: 'Vault',
      manager_type: 'hashicorp_vault',
      auth_config: {
        vault_auth_type: 'token',
        vault_addr: 'http://127.0.0.1:1',
        vault_token: 'vault-token-1',
      },
      secret_path: 'secret/mcp',
    })
    expect(reference.status, reference.text).to.equal(200)
    const mapping = {
      target_field: 'configurations.custom_headers',
      secret_reference_id: reference.body.slug,
      value_format: 'json',
    }
    const users = await Promise.all(
      [
        ['/v1/mcp-integrations', { transport: 'http' }],
        ['/v1/agent-integrations', {}],
      ].map(async ([path, more]) => {
        const made = await api.post(String(path), {
          name: 'Mapped',
          url: upstream.url,
          auth_type: 'headers',
          secret_mappings: [mapping],
          ...(more as object),
        })
        expect(made.status, made.text).to.equal(200)
        return `${path}/${made.body.id}`
      }),
    )
    for (const user of users) {
      const refused = await api.delete(`/v1/secret-references/${reference.body.id}`)
      expect([refused.status, refused.error.code]).to.deep.equal([409, 'conflict'])
      expect(refused.error.message).to.contain('integration mapped')
      expect((await api.delete(user)).status).to.equal(200)
    }
    expect((await api.delete(`/v1/secret-references/${reference.body.id}`)).status).to.equal(200)
  })

  it('forwards the headers in a plain list of names, and no user claims for a key without a user', async () => {
    const made = await make({
      integration: {
        configurations: {
          forward_headers: ['X-Tenant'],
          user_identity_forwarding: { method: 'claims_header', header_name: 'x-caller' },
        },
      },
    })
    const workspace = String(made.server.workspace_id)
    const service = await api.people.key({ type: 'workspace-service', workspace, scopes: ['mcp.invoke'] })
    await rpc(api, made.slug, {
      message: toolCall('echo', { text: 'a' }),

      key: service,
      headers: { 'x-tenant': 't', 'x-caller': 'forged', 'x-more': 'no' },
    })
    const headers = { ...upstream.seen.at(-1)?.headers }
    expect(headers).to.include({ 'x-tenant': 't' })
    expect(headers).not.to.have.any.keys('x-caller', 'x-more')
  })

  const forwarded: [string, unknown, string][] = [
    ...[
      'authorization',
      'Cookie',
      'host',
      'user-agent',
      'accept-encoding',
      'x-gateway-api-key',
      'connection',
    ].map((name): [string, unknown, string] => [name, ['x-fine', name], '/1']),
    ['cookie by a mode', { mode: 'allowlist', headers: ['cookie'] }, '/headers/0'],
    [
      'authorization by another name',
      { mode: 'allowlist', headers: [{ from: 'Authorization', to: 'x-token' }] },
      '/headers/0/from',
    ],
    ['a header as host', { mode: 'allowlist', headers: [{ from: 'x-a', to: 'Host' }] }, '/headers/0/to'],
    ['a header of the protocol', ['mcp-session-id'], '/0'],
  ]
  for (const [what, forward_headers, at] of forwarded)
    for (const [path, more] of [
      ['/v1/mcp-integrations', { transport: 'http' }],
      ['/v1/agent-integrations', {}],
    ] as const)
      it(`refuses to forward ${what} at ${path}`, async () => {
        const { status, error } = await api.post(path, {
          name: 'Greedy',
          url: upstream.url,
          auth_type: 'none',
          ...more,
          configurations: { forward_headers },
        })
        const param = `/configurations/forward_headers${at}`
        expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', param])
      })

  it('accepts a forwarding rule that excludes headers, and never forwards a cookie', async () => {
    const made = await make({
      integration: {
        configurations: { forward_headers: { mode: 'all-except', headers: ['authorization', 'x-a'] } },
      },
    })
    await rpc(api, made.slug, {
      message: toolCall('echo', { text: 'a' }),

      headers: { cookie: 'canary=1', 'x-a': 'no', 'x-b': 'yes' },
    })
    const headers = { ...upstream.seen.at(-1)?.headers }
    expect(headers).to.include({ 'x-b': 'yes' })
    expect(headers).not.to.have.any.keys('cookie', 'x-a', 'authorization', 'x-gateway-api-key')
  })

  it('refuses to set the same capability twice in one body', async () => {
    const made = await make()
    const entry = { name: 'echo', type: 'tool', enabled: false }
    const { status, error } = await api.put(`${serverPath(made)}/capabilities`, {
      capabilities: [entry, { ...entry, enabled: true }],
    })
    expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', '/capabilities/1/name'])
    expect((await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })).body.error).to.equal(
      undefined,
    )
  })

  it("lets only admins and managers see and end other users' connections", async () => {
    const made = await make()
    const workspace = String(made.server.workspace_id)
    const [ann, boss] = await Promise.all(
      ['ann', 'boss'].map((name) => api.people.user(`${name}-${made.slug}@rows.example`)),
    )
    await api.people.member(workspace, String(ann), 'member')
    await api.people.member(workspace, String(boss), 'manager')
    const path = `${serverPath(made)}/connections`
    const as = async (user: unknown) => api.as(await api.people.session(String(user)))
    const [member, manager] = [await as(ann), await as(boss)]
    const refused = await member.get(`${path}?user_id=${boss}`)
    expect([refused.status, refused.error.code, refused.error.param]).to.deep.equal([
      403,
      'forbidden',
      'query/user_id',
    ])
    expect((await member.get(`${path}?all=true`)).status).to.equal(403)
    expect((await member.get(path)).status).to.equal(200)
    expect((await manager.get(`${path}?user_id=${ann}`)).status).to.equal(200)
    expect((await manager.get(`${path}?all=true`)).status).to.equal(200)
    expect((await member.delete(path, { user_id: boss })).status).to.equal(403)
    expect((await manager.delete(path, { user_id: ann })).status).to.equal(404)
    expect((await member.delete(path)).status).to.equal(404)
  })

  it('refuses user access for people outside the workspace', async () => {
    const made = await make()
    const stranger = await api.people.user(`stranger-${made.slug}@rows.example`)
    const { status, error } = await api.put(`${serverPath(made)}/user-access`, {
      user_access: [{ user_id: stranger, enabled: true }],
    })
    expect([status, error.param]).to.deep.equal([400, '/user_access/0/user_id'])
    const closed = await api.put(`${serverPath(made)}/user-access`, { default_user_access: 'deny' })
    expect(closed.body.default_user_access).to.equal('deny')
  })

  it('pages through the registry, by time, with the servers that the caller can see', async () => {
    const made = await make()
    const first = await api.get('/v0.1/servers?limit=1')
    const { nextCursor } = first.body.metadata as { nextCursor: string }
    expect(first.body.servers).to.have.length(1)
    const second = await api.get(`/v0.1/servers?limit=1&cursor=${nextCursor}`)
    expect(second.body.servers).not.to.deep.equal(first.body.servers)
    const later = new Date(Date.now() + 60_000).toISOString()
    expect((await api.get(`/v0.1/servers?updated_since=${later}`)).body.servers).to.deep.equal([])
    expect((await api.get('/v0.1/servers?updated_since=never')).error.param).to.equal('query/updated_since')
    expect((await api.get('/v0.1/servers?cursor=!!')).status).to.equal(400)
    const elsewhere = await api.people.workspace('Elsewhere')
    const key = await api.people.key({
      type: 'workspace-service',
      workspace: elsewhere,
      scopes: ['mcp_servers.list'],
    })
    expect((await api.as(key).get('/v0.1/servers')).body.servers).to.deep.equal([])
    const none = await api.people.key({
      type: 'workspace-service',
      workspace: elsewhere,
      scopes: ['mcp.invoke'],
    })
    expect((await api.as(none).get(`/v0.1/servers?search=${made.slug}`)).status).to.equal(403)
  })
})
