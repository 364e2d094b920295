/** Agents behind the gateway: cards, skills, JSON-RPC, streams and REST, byte for byte. */
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { openUpstream, sendEvents, sendJson, type Upstream } from '../../support/upstream.ts'

const skills = [
  { id: 'sum', name: 'Sum', description: 'Adds', tags: ['maths'] },
  { id: 'leak', name: 'Leak', description: 'Leaks', tags: [] },
]

interface Strange {
  status: number
  type: string
  body: string
}

describe('an agent of the gateway', () => {
  const api = openManagement()
  let upstream: Upstream
  let card: Record<string, unknown> = {}
  let slug = ''
  let server: Record<string, unknown> = {}
  let integration: Record<string, unknown> = {}
  /** The agent's answer instead of the usual one. */
  let strange: Strange | null = null
  const events = [
    'data: {"jsonrpc":"2.0","id":1,"result":{"kind":"a"}}\n\n',
    ': kept\n\ndata: {"jsonrpc":"2.0",  "id":1}\n\n',
  ]

  before(async () => {
    upstream = await openUpstream((request, response) => {
      if (request.path === '/agent/.well-known/agent-card.json') return sendJson(response, 200, card)
      if (request.path === '/agent/rpc') {
        if (request.json?.method === 'message/stream') return sendEvents(response, events)
        if (strange !== null) {
          response.writeHead(strange.status, { 'content-type': strange.type })
          response.end(strange.body)
          return
        }
        response.writeHead(200, { 'content-type': 'application/json', 'a2a-version': '0.3' })
        response.end(
          `{"jsonrpc":"2.0", "id": ${JSON.stringify(request.json?.id)},  "result": {"spaces": "kept"} }`,
        )
        return
      }
      if (request.path.startsWith('/agent/rest/') && strange !== null) {
        response.writeHead(strange.status, { 'content-type': strange.type })
        response.end(strange.body)
        return
      }
      if (request.path.startsWith('/agent/rest/'))
        return sendJson(response, 200, { path: request.path, text: request.text })
      sendJson(response, 404, {})
    })
    card = {
      name: 'Adder',
      description: 'Adds',
      version: '1',
      protocolVersion: '0.3.0',
      url: `${upstream.origin}/agent/rpc`,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: `${upstream.origin}/agent/rest`, transport: 'HTTP+JSON' },
        { url: 'grpc.example:443', transport: 'GRPC' },
      ],
      securitySchemes: { oauth: { type: 'oauth2' } },
      security: [{ oauth: [] }],
      signatures: [{ protected: 'x', signature: 'y' }],
      skills,
    }
    const made = await api.post('/v1/agent-integrations', {
      name: 'Adder',
      url: `${upstream.origin}/agent`,
      auth_type: 'headers',
      configurations: { custom_headers: { authorization: 'Bearer upstream-secret-token' } },
    })
    expect(made.status, made.text).to.equal(200)
    integration = made.body
    await api.put(`/v1/agent-integrations/${made.body.id}/workspaces`, {
      global_workspace_access: { enabled: true },
    })
    const served = await api.post('/v1/agent-servers', {
      name: 'Adder',
      agent_integration_id: made.body.id,
      workspace_id: 'default',
    })
    expect(served.status, served.text).to.equal(200)
    server = served.body
    slug = String(served.body.slug)
  })
  after(() => upstream.close())

  const call = (path: string, body: string | null, headers: Record<string, string> = {}) =>
    fetch(`${api.gateway.url}/v1/agent/${slug}${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': adminKey, ...headers },
      ...(body === null ? {} : { body }),
    })

  it('is stored with its secrets masked', async () => {
    expect(integration).to.deep.include({ object: 'agent-integration', protocol: 'a2a' })
    expect(integration.configurations).to.deep.equal({ custom_headers: { authorization: 'Bea****oken' } })
    expect(server.url).to.match(new RegExp(`/v1/agent/${slug}$`))
  })

  it('returns its card unchanged to managers, and rewritten to clients', async () => {
    expect((await api.get(`/v1/agent-servers/${server.id}/agent-card`)).body).to.deep.equal(card)
    for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
      const shown = (await (await call(path, null)).json()) as Record<string, unknown>
      expect(shown.url).to.equal(server.url)
      expect(shown.additionalInterfaces).to.deep.equal([{ url: server.url, transport: 'HTTP+JSON' }])
      expect(shown.security).to.deep.equal([{ gateway: [] }])
      expect(shown.securitySchemes).to.deep.equal({
        gateway: { type: 'apiKey', in: 'header', name: 'x-gateway-api-key' },
      })
      expect(shown).not.to.have.property('signatures')
    }
  })

  it('hides skills that are disabled', async () => {
    const listed = await api.get(`/v1/agent-servers/${server.id}/skills`)
    expect(listed.data.map(({ id, enabled }) => [id, enabled])).to.deep.equal([
      ['sum', true],
      ['leak', true],
    ])
    const put = await api.put(`/v1/agent-servers/${server.id}/skills`, {
      skills: [{ id: 'leak', enabled: false }],
    })
    expect(put.status, put.text).to.equal(200)
    const shown = (await (await call('/.well-known/agent-card.json', null)).json()) as {
      skills: { id: string }[]
    }
    expect(shown.skills.map(({ id }) => id)).to.deep.equal(['sum'])
    const wrong = await api.put(`/v1/agent-servers/${server.id}/skills`, {
      skills: [{ id: 'none', enabled: false }],
    })
    expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/skills/0/id'])
  })

  it('forwards JSON-RPC byte for byte, with the credential of its integration', async () => {
    const body = '{"jsonrpc": "2.0",   "id": "q", "method": "message/send", "params": {"n": 1.0}}'
    const response = await call('', body, { 'a2a-version': '0.3' })
    expect(await response.text()).to.equal('{"jsonrpc":"2.0", "id": "q",  "result": {"spaces": "kept"} }')
    expect(response.headers.get('a2a-version')).to.equal('0.3')
    const seen = upstream.seen.at(-1)
    expect(seen?.text).to.equal(body)
    expect(seen?.headers.authorization).to.equal('Bearer upstream-secret-token')
    expect(seen?.headers).not.to.have.property('x-gateway-api-key')
  })

  it('forwards streams byte for byte', async () => {
    const response = await call('', '{"jsonrpc":"2.0","id":1,"method":"message/stream"}')
    expect(response.headers.get('content-type')).to.contain('text/event-stream')
    expect(await response.text()).to.equal(events.join(''))
  })

  const page = '<html><body>Sign in</body></html>'
  const strangers: [what: string, answer: Strange][] = [
    ['a page', { status: 200, type: 'text/html', body: page }],
    ['a page that is labelled as JSON', { status: 200, type: 'application/json', body: page }],
    ['an error page', { status: 404, type: 'text/html', body: page }],
  ]
  for (const [what, answer] of strangers)
    it(`answers ${what} of the agent with upstream_invalid_response`, async () => {
      strange = answer
      const rpc = await call('', '{"jsonrpc":"2.0","id":7,"method":"message/send"}')
      const { id, error } = (await rpc.json()) as { id: number; error: { code: number; message: string } }
      expect([rpc.status, id, error.code]).to.deep.equal([502, 7, -32603])
      expect(error.message).to.contain('JSON-RPC').and.not.to.contain('Sign in')
      const rest = await call('/v1/message:send', '{"a": 1}')
      expect([rest.status, ((await rest.json()) as { error: { code: string } }).error.code]).to.deep.equal([
        502,
        'upstream_invalid_response',
      ])
      strange = null
    })

  it('answers JSON that is not JSON-RPC with upstream_invalid_response, and forwards an empty answer', async () => {
    strange = { status: 200, type: 'application/json', body: '{"hello": "world"}' }
    expect((await call('', '{"jsonrpc":"2.0","id":7,"method":"message/send"}')).status).to.equal(502)
    strange = { status: 202, type: 'application/json', body: '' }
    const empty = await call('', '{"jsonrpc":"2.0","method":"message/send"}')
    expect([empty.status, await empty.text()]).to.deep.equal([202, ''])
    strange = {
      status: 200,
      type: 'application/json',
      body: `{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(5_000_000)}"}`,
    }
    const large = await call('', '{"jsonrpc":"2.0","id":7,"method":"message/send"}')
    expect(await large.text()).to.equal(strange.body)
    strange = null
  })

  it("counts calls as requests of the key's rate limits", async () => {
    const { body } = await api.post('/v1/api-keys/workspace/service', {
      name: 'limited',
      workspace_id: 'default',
      scopes: ['agents.invoke'],
      rate_limits: [{ type: 'requests', unit: 'rpd', value: 1 }],
    })
    const send = () =>
      call('', '{"jsonrpc":"2.0","id":1,"method":"message/send"}', { 'x-gateway-api-key': String(body.key) })
    expect((await send()).status).to.equal(200)
    const refused = await send()
    expect(refused.status).to.equal(429)
    expect(Number(refused.headers.get('retry-after'))).to.be.above(0)
  })

  it('forwards REST calls, and refuses path traversal', async () => {
    const response = await call('/v1/message:send?x=1', '{"a": 1}')
    expect(await response.json()).to.deep.equal({ path: '/agent/rest/v1/message:send?x=1', text: '{"a": 1}' })
    for (const path of ['/v1/a%2e%2eb', '/v1%2fsecret', '/v1//secret'])
      expect((await call(path, '{}')).status, path).to.equal(404)
  })

  it('refuses callers without the scope or with access disabled', async () => {
    const workspace = String(server.workspace_id)
    const none = await api.people.key({ type: 'workspace-service', workspace, scopes: ['mcp.invoke'] })
    const refused = await call('', '{}', { 'x-gateway-api-key': none })
    expect(refused.status).to.equal(403)
    const user = await api.people.user('agent@agents.example')
    await api.people.member(workspace, user, 'member')
    const key = await api.people.key({ type: 'workspace-user', workspace, user, scopes: ['agents.invoke'] })
    const message = '{"jsonrpc":"2.0","id":1,"method":"message/send"}'
    expect((await call('', message, { 'x-gateway-api-key': key })).status).to.equal(200)
    const put = await api.put(`/v1/agent-servers/${server.id}/user-access`, { default_user_access: 'deny' })
    expect(put.status, put.text).to.equal(200)
    const denied = await call('', message, { 'x-gateway-api-key': key })
    expect(denied.status).to.equal(403)
    expect(((await denied.json()) as { error: { code: string } }).error.code).to.equal('forbidden')
  })

  it("takes a workspace's own integration by id and by slug, and no other workspace's", async () => {
    const workspace = await api.people.workspace('Own agents')
    const made = await api.post('/v1/agent-integrations', {
      name: 'Own',
      slug: 'own-agent',
      url: `${upstream.origin}/agent`,
      auth_type: 'none',
      workspace_id: workspace,
    })
    expect(made.status, made.text).to.equal(200)
    for (const [at, named] of [made.body.id, 'own-agent'].entries()) {
      const body = { name: `Own ${at}`, agent_integration_id: named }
      const served = await api.post('/v1/agent-servers', { ...body, workspace_id: workspace })
      expect([served.status, served.body.agent_integration_id], served.text).to.deep.equal([
        200,
        made.body.id,
      ])
      const foreign = await api.post('/v1/agent-servers', { ...body, workspace_id: 'default' })
      expect([foreign.status, foreign.error.param]).to.deep.equal([404, '/agent_integration_id'])
    }
  })

  it('reports failures of the agent', async () => {
    const make = async (url: string) => {
      const { body } = await api.post('/v1/agent-integrations', { name: 'Broken', url, auth_type: 'none' })
      await api.put(`/v1/agent-integrations/${body.id}/workspaces`, {
        global_workspace_access: { enabled: true },
      })
      const made = await api.post('/v1/agent-servers', {
        name: 'Broken',
        agent_integration_id: body.id,
        workspace_id: 'default',
      })
      return made.body
    }
    const down = await make('http://127.0.0.1:1')
    expect((await api.get(`/v1/agent-servers/${down.id}/agent-card`)).error.code).to.equal(
      'upstream_unreachable',
    )
    const response = await fetch(`${api.gateway.url}/v1/agent/${down.slug}`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":7,"method":"message/send"}',
    })
    expect(response.status).to.equal(502)
    expect((await response.json()) as { id: number; error: { code: number } }).to.deep.include({ id: 7 })
    card = { ...card, url: 'http://127.0.0.1:2/elsewhere' }
    const foreign = await make(`${upstream.origin}/agent`)
    const moved = await fetch(`${api.gateway.url}/v1/agent/${foreign.slug}`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":8,"method":"message/send"}',
    })
    expect(moved.status).to.equal(502)
    const fetched = await api.post('/v1/agent-integrations/fetch-agent-card', {
      url: `${upstream.origin}/agent`,
    })
    expect(fetched.body.name).to.equal('Adder')
    const refused = await api.post('/v1/agent-integrations/fetch-agent-card', { url: 'http://10.0.0.1/' })
    expect([refused.status, refused.error.code]).to.deep.equal([400, 'host_not_allowed'])
  })
})
