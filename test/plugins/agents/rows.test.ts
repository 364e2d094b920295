/** Requests to agents: bodies of any depth, unchanged queries, failures of an agent, headers when a card is fetched. */
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('requests to agents', () => {
  const api = openManagement()
  let upstream: Upstream
  let status = 200
  let answer = '{}'
  let isCardDeep = false
  let id: unknown
  before(async () => {
    upstream = await openUpstream((request, response) => {
      if (request.path.startsWith('/.well-known/')) {
        const card = { name: 'Agent', url: `${upstream.origin}/rpc`, skills: [{ id: 'a' }, { id: 'b' }] }
        const interfaces = [{ url: `${upstream.origin}/rest`, transport: 'HTTP+JSON' }]
        if (!isCardDeep) return sendJson(response, 200, { ...card, additionalInterfaces: interfaces })
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(`{"name":"Agent","extra":${nested(200_000)}}`)
        return
      }
      const headers = status === 302 ? { location: 'http://127.0.0.1:1/' } : {}
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(answer)
    })
    const made = await api.post('/v1/agent-integrations', {
      name: 'Agent',
      url: upstream.origin,
      auth_type: 'none',
    })
    await api.put(`/v1/agent-integrations/${made.body.id}/workspaces`, {
      global_workspace_access: { enabled: true },
    })
    const served = await api.post('/v1/agent-servers', {
      name: 'Rows',
      slug: 'rows',
      agent_integration_id: made.body.id,
      workspace_id: 'default',
    })
    expect(served.status, served.text).to.equal(200)
    id = served.body.id
  })
  after(() => upstream.close())
  beforeEach(() => {
    status = 200
    answer = '{}'
    isCardDeep = false
  })

  const call = async (path: string, body: string) => {
    const response = await fetch(`${api.gateway.url}/v1/agent/rows${path}`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' },
      body,
    })
    return { status: response.status, text: await response.text() }
  }
  const message = '{"jsonrpc":"2.0","id":"m","method":"message/send"}'

  it('forward deeply nested bodies, and bodies that are not JSON, unchanged', async () => {
    answer = '{"jsonrpc":"2.0","id":null,"result":{}}'
    for (const text of [nested(200_000), 'no JSON', '']) {
      expect(await call('', text)).to.deep.equal({ status: 200, text: answer })
      expect(upstream.seen.at(-1)?.text).to.equal(text)
    }
  })

  it('forward deeply nested answers unchanged, and empty ones', async () => {
    for (const text of [`{"jsonrpc":"2.0","id":"m","result":${nested(200_000)}}`, '']) {
      answer = text
      expect(await call('', message)).to.deep.equal({ status: 200, text })
    }
    answer = nested(200_000)
    expect(await call('/v1/message:send', '{}')).to.deep.equal({ status: 200, text: answer })
  })

  it('forward the query unchanged', async () => {
    await call('/v1/tasks/1?state=a&state=b&text=%2F+x', '{}')
    expect(upstream.seen.at(-1)?.path).to.equal('/rest/v1/tasks/1?state=a&state=b&text=%2F+x')
  })

  const refusals: [number, number][] = [
    [500, -32603],
    [401, -32603],
    [403, -32603],
    [302, -32603],
  ]
  for (const [said, code] of refusals)
    it(`return ${code} with 502 when the agent answers ${said}, and do not follow its redirect`, async () => {
      status = said
      const reply = await call('', message)
      const body = JSON.parse(reply.text) as { id: unknown; error: { code: number } }
      expect([reply.status, body.id, body.error.code]).to.deep.equal([502, 'm', code])
      if (said === 500) return
      const rest = await call('/v1/message:send', '{}')
      expect([rest.status, JSON.parse(rest.text).error.code]).to.deep.equal([
        502,
        'upstream_invalid_response',
      ])
    })

  it('return any other answer of the agent with its status', async () => {
    status = 400
    answer = '{"of": "its own"}'
    expect(await call('/v1/message:send', message)).to.deep.equal({ status: 400, text: answer })
    answer = '{"jsonrpc": "2.0", "id": "m", "error": {"code": -32602, "message": "its own"}}'
    expect(await call('', message)).to.deep.equal({ status: 400, text: answer })
  })

  it('refuse a card that is nested too deeply', async () => {
    isCardDeep = true
    const reply = await api.get(`/v1/agent-servers/${id}/agent-card`)
    expect([reply.status, reply.error.code]).to.deep.equal([502, 'upstream_invalid_response'])
  })

  const trials: [object, string][] = [
    [{ custom_headers: { Host: 'elsewhere.example' } }, '/configurations/custom_headers/Host'],
    [{ custom_headers: { 'x-a': 'a\r\nb: c' } }, '/configurations/custom_headers/x-a'],
    [{ custom_headers: { 'x-gateway-api-key': 'a' } }, '/configurations/custom_headers/x-gateway-api-key'],
    [{ forward_headers: ['cookie'] }, '/configurations/forward_headers/0'],
  ]
  for (const [configurations, param] of trials)
    it(`refuse ${param} when a card is fetched`, async () => {
      const before = upstream.seen.length
      const reply = await api.post('/v1/agent-integrations/fetch-agent-card', {
        url: upstream.origin,
        auth_type: 'headers',
        configurations,
      })
      expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([400, 'invalid_body', param])
      expect(upstream.seen.length).to.equal(before)
    })

  it('refuse to set the same skill twice in one body', async () => {
    const { status: refused, error } = await api.put(`/v1/agent-servers/${id}/skills`, {
      skills: [
        { id: 'a', enabled: true },
        { id: 'a', enabled: false },
      ],
    })
    expect([refused, error.code, error.param]).to.deep.equal([400, 'invalid_body', '/skills/1/id'])
  })
})
