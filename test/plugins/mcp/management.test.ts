/** Managing MCP servers: integrations, capabilities, workspaces, users, limits, guardrails, the config file. */
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'

const list = (method: string) => ({ jsonrpc: '2.0', id: 1, method })

describe('managing MCP servers', () => {
  const api = openManagement({
    guardrails: {
      secret: {
        checks: [{ id: 'default.contains', parameters: { words: ['forbidden'], operator: 'none' } }],
        deny: true,
      },
    },
    workspaces: { checked: { defaults: { input_guardrails: ['secret'], output_guardrails: ['secret'] } } },
  })
  let upstream: McpUpstream
  before(async () => {
    upstream = await openMcpUpstream()
  })
  after(() => upstream.close())
  const make = (more: Parameters<typeof makeMcpServer>[2] = {}) => makeMcpServer(api, upstream.url, more)
  const integrationPath = ({ integration }: MadeServer) => `/v1/mcp-integrations/${integration.id}`
  const serverPath = ({ server }: MadeServer) => `/v1/mcp-servers/${server.id}`
  const toolsOf = async ({ slug }: MadeServer) => {
    const { body } = await rpc(api, slug, { message: list('tools/list') })
    return (body.result.tools as { name: string }[]).map(({ name }) => name)
  }

  it('stores an integration completely, with its secrets masked', async () => {
    const { status, body, text } = await api.post('/v1/mcp-integrations', {
      name: 'Secretive',
      url: upstream.url,
      auth_type: 'headers',
      transport: 'http',
      configurations: { custom_headers: { 'x-team': 'very-secret-value' }, timeout_ms: 5000 },
    })
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({
      object: 'mcp-integration',
      type: 'organisation',
      slug: 'secretive',
      workspaces_count: 0,
    })
    expect(body.configurations).to.deep.equal({
      timeout_ms: 5000,
      custom_headers: { 'x-team': 'ver****alue' },
    })
    const put = await api.put(`/v1/mcp-integrations/${body.id}`, {
      configurations: { custom_headers: { 'x-team': 'ver****alue' } },
    })
    expect(put.status, put.text).to.equal(200)
    const made = await makeMcpServer(api, upstream.url, {
      integration: {
        auth_type: 'headers',
        configurations: { custom_headers: { 'x-team': 'very-secret-value' } },
      },
    })
    await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })
    expect(upstream.seen.at(-1)?.headers['x-team']).to.equal('very-secret-value')
    const stored = await api.stored('mcp_integration', String(body.id))
    expect(JSON.stringify(stored)).not.to.contain('very-secret-value')
  })

  const faults: [string, object, string, string][] = [
    ['a host that is not allowed', { url: 'http://10.0.0.1/mcp' }, 'host_not_allowed', '/url'],
    ['an unknown way to authenticate', { auth_type: 'magic' }, 'invalid_body', '/auth_type'],
    [
      'claim values of a form that no claim has',
      {
        configurations: {
          jwt_validation: { jwksUri: 'http://127.0.0.1/k', claimValues: { role: { values: ['a'] } } },
        },
      },
      'invalid_body',
      '/configurations/jwt_validation/claimValues/role',
    ],
    [
      'an empty list of claim values',
      { configurations: { jwt_validation: { jwksUri: 'http://127.0.0.1/k', claimValues: { role: [] } } } },
      'invalid_body',
      '/configurations/jwt_validation/claimValues/role',
    ],
    ['a local process', { transport: 'stdio' }, 'invalid_body', '/transport'],
    [
      'two sources of keys',
      {
        configurations: {
          jwt_validation: { jwksUri: 'http://127.0.0.1/k', introspectEndpoint: 'http://127.0.0.1/i' },
        },
      },
      'invalid_body',
      '/configurations/jwt_validation',
    ],
    [
      'no client',
      { auth_type: 'oauth_client_credentials' },
      'invalid_body',
      '/configurations/oauth_metadata/client_id',
    ],
    [
      'a token endpoint that is not allowed',
      { configurations: { oauth_metadata: { token_endpoint: 'http://169.254.169.254/token' } } },
      'host_not_allowed',
      '/configurations/oauth_metadata/token_endpoint',
    ],
  ]
  for (const [what, more, code, param] of faults) {
    it(`refuses an integration with ${what}`, async () => {
      const { status, error } = await api.post('/v1/mcp-integrations', {
        name: 'Faulty',
        url: upstream.url,
        auth_type: 'none',
        transport: 'http',
        ...more,
      })
      expect([status, error.code, error.param]).to.deep.equal([400, code, param])
    })
  }

  it('requires an integration that the workspace can use, and keeps it while servers need it', async () => {
    const body = (id: unknown) => ({ name: 'Orphan', mcp_integration_id: id, workspace_id: 'default' })
    const unknown = await api.post('/v1/mcp-servers', body('nothing'))
    expect([unknown.status, unknown.error.param]).to.deep.equal([404, '/mcp_integration_id'])
    const made = await make()
    expect((await api.delete(integrationPath(made))).status).to.equal(409)
    const closed = await api.put(`${integrationPath(made)}/workspaces`, {
      global_workspace_access: { enabled: false },
    })
    expect(closed.status, closed.text).to.equal(200)
    expect((await api.post('/v1/mcp-servers', body(made.integration.id))).error.param).to.equal(
      '/mcp_integration_id',
    )
    expect((await rpc(api, made.slug, { message: toolCall('echo') })).status).to.equal(403)
  })

  it("takes a workspace's own integration by id and by slug, and no other workspace's", async () => {
    const workspace = await api.people.workspace('Own integrations')
    const integration = await api.post('/v1/mcp-integrations', {
      name: 'Own',
      slug: 'own-integration',
      url: upstream.url,
      auth_type: 'none',
      transport: 'http',
      workspace_id: workspace,
    })
    expect(integration.status, integration.text).to.equal(200)
    for (const [at, named] of [integration.body.id, 'own-integration'].entries()) {
      const body = { name: `Own ${at}`, mcp_integration_id: named }
      const made = await api.post('/v1/mcp-servers', { ...body, workspace_id: workspace })
      expect([made.status, made.body.mcp_integration_id], made.text).to.deep.equal([200, integration.body.id])
      const foreign = await api.post('/v1/mcp-servers', { ...body, workspace_id: 'default' })
      expect([foreign.status, foreign.error.param]).to.deep.equal([404, '/mcp_integration_id'])
    }
  })

  it('limits the slugs of servers', async () => {
    const { integration } = await make()
    for (const slug of ['ab', 'x'.repeat(51), 'mcp']) {
      const { status, error } = await api.post('/v1/mcp-servers', {
        name: 'Short',
        slug,
        mcp_integration_id: integration.id,
        workspace_id: 'default',
      })
      expect([status, error.param], slug).to.deep.equal([400, '/slug'])
    }
  })

  it('lists the tools of an upstream, and disables one for clients in any spelling', async () => {
    const made = await make()
    const { body } = await api.get(`${serverPath(made)}/capabilities?type=tool`)
    expect(body).to.deep.include({ total: 5, current_page: 0 })
    expect((body.counts as { tool: object }).tool).to.deep.equal({ total: 5, enabled: 5 })
    const off = await api.put(`${serverPath(made)}/capabilities`, {
      capabilities: [{ name: 'delete_file', type: 'tool', enabled: false }],
    })
    expect(off.body).to.deep.equal({ success: true })
    expect(await toolsOf(made)).not.to.include('delete_file')
    const before = upstream.calls.length
    for (const name of [
      'delete_file',
      'Delete_File',
      'delete-file',
      ' delete_file',
      'delete_file\u200b',
      'ｄelete_file',
    ]) {
      const { status, body: answer } = await rpc(api, made.slug, { message: toolCall(name, { path: 'x' }) })
      expect([status, answer.error?.code], name).to.deep.equal([200, -32602])
    }
    expect(upstream.calls.length).to.equal(before)
    const wrong = await api.put(`${serverPath(made)}/capabilities`, {
      capabilities: [{ name: 'nothing', type: 'tool', enabled: false }],
    })
    expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/capabilities/0/name'])
  })

  it('never allows a server more than its integration allows', async () => {
    const made = await make()
    await api.put(`${integrationPath(made)}/capabilities`, {
      capabilities: [{ name: 'echo', type: 'tool', enabled: false }],
    })
    const { data } = await api.get(`${serverPath(made)}/capabilities?search=echo`)
    expect(data[0]).to.deep.include({ name: 'echo', enabled: false, integration_enabled: false })
    const on = await api.put(`${serverPath(made)}/capabilities`, {
      capabilities: [{ name: 'echo', type: 'tool', enabled: true }],
    })
    expect(on.status).to.equal(400)
    expect(
      (await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })).body.error.code,
    ).to.equal(-32602)
  })

  it('hides a disabled resource, and resources of a disabled template', async () => {
    const made = await make()
    await api.put(`${serverPath(made)}/capabilities`, {
      capabilities: [
        { name: 'file:///readme.md', type: 'resource', enabled: false },
        { name: 'users://{id}/profile', type: 'resource_template', enabled: false },
      ],
    })
    for (const uri of [
      'file:///readme.md',
      'file:///a/../readme.md',
      'file:///%72eadme.md',
      'users://7/profile',
    ]) {
      const { body } = await rpc(api, made.slug, { message: { ...list('resources/read'), params: { uri } } })
      expect(body.error.code, uri).to.equal(-32002)
    }
  })

  it('reports the result of a sync, also of a failed one', async () => {
    const made = await make()
    const { body } = await api.get(`${serverPath(made)}/metadata`)
    expect(body).to.deep.include({
      server_name: 'upstream',
      server_version: '1.2.3',
      sync_status: 'ok',
      sync_error: null,
    })
    expect((await api.post(`${serverPath(made)}/test`)).body).to.deep.include({ success: true })
    upstream.intercept = (_, response) => {
      response.writeHead(503).end()
      return true
    }
    try {
      const failed = await api.post(`${integrationPath(made)}/sync`)
      expect([failed.status, failed.error.code]).to.deep.equal([502, 'upstream_unreachable'])
      expect((await api.get(`${serverPath(made)}/metadata`)).body.sync_status).to.equal('failed')
      expect((await api.post(`${serverPath(made)}/test`)).body.success).to.equal(false)
      const call = await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }, 'x') })
      expect([call.status, call.body.id, call.body.error.code]).to.deep.equal([502, 'x', -32603])
    } finally {
      upstream.intercept = null
    }
  })

  it('answers 408 when an upstream times out', async () => {
    const made = await make({ integration: { configurations: { timeout_ms: 200 } } })
    const { status, body } = await rpc(api, made.slug, { message: toolCall('wait') })
    expect([status, body.error.code]).to.deep.equal([408, -32001])
  })

  it("applies the server's user access settings", async () => {
    const made = await make()
    const workspace = String(made.server.workspace_id)
    const user = await api.people.user(`user-${made.slug}@mcp.example`)
    await api.people.member(workspace, user, 'member')
    const key = await api.people.key({ type: 'workspace-user', workspace, user, scopes: ['mcp.invoke'] })
    expect((await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }), key })).status).to.equal(
      200,
    )
    const put = await api.put(`${serverPath(made)}/user-access`, {
      user_access: [{ user_id: user, enabled: false }],
    })
    expect(put.status, put.text).to.equal(200)
    expect(put.data.find(({ user_id }) => user_id === user)).to.deep.include({
      enabled: false,
      has_override: true,
    })
    const refused = await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }), key })
    expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'forbidden'])
    const none = await api.people.key({ type: 'workspace-service', workspace, scopes: ['completions.write'] })
    expect((await rpc(api, made.slug, { message: toolCall('echo'), key: none })).body.error.code).to.equal(
      'missing_scope',
    )
  })

  it('limits tool calls by policy', async () => {
    const made = await make()
    const policy = await api.post('/v1/policies/rate-limits', {
      conditions: [
        { key: 'mcp_server', value: made.slug },
        { key: 'mcp_tool', value: 'ec*' },
      ],
      group_by: [{ key: 'mcp_tool' }],
      type: 'requests',
      unit: 'rph',
      value: 2,
      target: 'mcp_tools',
      workspace_id: 'default',
    })
    expect(policy.status, policy.text).to.equal(200)
    const call = (tool: string) => rpc(api, made.slug, { message: toolCall(tool, { text: 'a', path: 'b' }) })
    for (let index = 0; index < 2; index += 1) expect((await call('echo')).status).to.equal(200)
    const refused = await call('echo')
    expect([refused.status, refused.body.error.code]).to.deep.equal([429, 'rate_limit_exceeded'])
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/)
    expect((await call('delete_file')).status).to.equal(200)
  })

  it('runs the guardrails of the workspace on arguments and results', async () => {
    const made = await make({ workspace: 'checked' })
    const call = (text: string) =>
      rpc(api, made.slug, {
        message: toolCall('echo', { text }),
        headers: { 'x-gateway-workspace-id': 'checked' },
      })
    expect((await call('fine')).body.result).to.deep.equal({ content: [{ type: 'text', text: 'fine' }] })
    const before = upstream.calls.length
    const denied = await call('this is forbidden')
    expect(denied.body.error).to.deep.include({ code: -32000 })
    expect(denied.body.error.message).to.match(/^Guardrail "secret" denied the request.* \(default\.\w+\)\.$/)
    expect(denied.body.error.data).to.have.property('hook_results')
    expect(upstream.calls.length).to.equal(before)
  })

  it('lists the server in the registry', async () => {
    const made = await make()
    const { status, body } = await api.get(`/v0.1/servers?search=${made.slug}&limit=1`)
    expect(status).to.equal(200)
    expect(body.metadata).to.deep.equal({ count: 1 })
    const [entry] = body.servers as { server: { name: string; remotes: object[] } }[]
    expect(entry?.server.name).to.equal(made.slug)
    expect(entry?.server.remotes[0]).to.deep.include({ type: 'streamable-http' })
  })

  it("forwards the headers that the integration names, and the caller's identity", async () => {
    const made = await make({
      integration: {
        configurations: {
          forward_headers: { mode: 'allowlist', headers: ['x-trace', { from: 'x-old', to: 'x-new' }] },
          user_identity_forwarding: { method: 'claims_header', include_claims: ['sub', 'email'] },
        },
      },
    })
    const workspace = String(made.server.workspace_id)
    const user = await api.people.user(`claims-${made.slug}@mcp.example`)
    await api.people.member(workspace, user, 'member')
    const key = await api.people.key({ type: 'workspace-user', workspace, user, scopes: ['mcp.invoke'] })
    await rpc(api, made.slug, {
      message: toolCall('echo', { text: 'a' }),

      key,
      headers: { 'x-trace': 't', 'x-old': 'o', 'x-other': 'no', 'x-user-claims': 'forged' },
    })
    const headers = upstream.seen.at(-1)?.headers ?? {}
    expect(headers).to.deep.include({ 'x-trace': 't', 'x-new': 'o' })
    expect(headers).not.to.have.any.keys('x-other', 'x-old', 'x-gateway-api-key', 'authorization')
    expect(JSON.parse(String(headers['x-user-claims']))).to.deep.equal({
      sub: user,
      email: `claims-${made.slug}@mcp.example`,
    })
  })

  it("forwards the caller's identity in a header that can contain any person's name", async () => {
    const configurations = {
      user_identity_forwarding: { method: 'claims_header', include_claims: ['name'] },
    }
    const made = await make({ integration: { configurations } })
    const workspace = String(made.server.workspace_id)
    const user = await api.people.user(`zoë-李-${made.slug}@mcp.example`)
    await api.people.member(workspace, user, 'member')
    const key = await api.people.key({ type: 'workspace-user', workspace, user, scopes: ['mcp.invoke'] })
    const { body } = await rpc(api, made.slug, {
      message: toolCall('echo', { text: 'a' }),
      key,
    })
    expect(body.error).to.equal(undefined)
    const headers = upstream.seen.at(-1)?.headers ?? {}
    expect(JSON.parse(String(headers['x-user-claims']))).to.deep.equal({ name: `zoë-李-${made.slug}` })
  })

  for (const header_name of ['host', 'Content-Length', 'connection', 'x-gateway-api-key', 'not a name'])
    it(`refuses to forward the caller's identity in the header ${header_name}`, async () => {
      const reply = await api.post('/v1/mcp-integrations', {
        name: 'Claims',
        url: upstream.url,
        auth_type: 'none',
        transport: 'http',
        configurations: { user_identity_forwarding: { method: 'claims_header', header_name } },
      })
      const param = '/configurations/user_identity_forwarding/header_name'
      expect([reply.status, reply.error.param]).to.deep.equal([400, param])
    })

  it('serves servers of the config file read-only', async () => {
    await api.gateway.writeConfig({
      mcp_servers: {
        'from-file': {
          url: upstream.url,
          auth_type: 'headers',
          configurations: { custom_headers: { 'x-file': 'file-secret-value' } },
        },
      },
    })
    expect(await api.gateway.reload()).to.equal(true)
    const { body, status } = await rpc(api, 'from-file', { message: toolCall('echo', { text: 'file' }) })
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(upstream.seen.at(-1)?.headers['x-file']).to.equal('file-secret-value')
    const shown = await api.get('/v1/mcp-servers/from-file')
    expect(shown.body).to.deep.include({ source: 'file', slug: 'from-file', name: 'from-file' })
    expect((await api.put('/v1/mcp-servers/from-file', { name: 'x' })).status).to.equal(409)
    expect((await api.get('/v1/mcp-servers')).data.map(({ slug }) => slug)).to.include('from-file')
    expect((await api.get('/v1/mcp-integrations?page_size=1000')).text).not.to.contain('from-file')
    await api.gateway.writeConfig({ mcp_servers: { ab: { url: upstream.url } } })
    expect(await api.gateway.reload()).to.equal(false)
    expect(adminKey).to.be.a('string')
  })
})
