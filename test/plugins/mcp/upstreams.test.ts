/**
 * The protocols between gateway and upstreams: the older transport, servers without sessions, and OAuth with consent.
 */
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { connect, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { createTools, openMcpUpstream } from '../../support/mcp-upstream.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

describe('an upstream of an MCP server', () => {
  const api = openManagement()
  before(async () => {
    await api.gateway.writeConfig({ public_url: api.gateway.url })
    expect(await api.gateway.reload()).to.equal(true)
  })

  it('can use HTTP with SSE', async () => {
    const transports = new Map<string, SSEServerTransport>()
    const server: Server = createServer(async (request, response) => {
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response)
        transports.set(transport.sessionId, transport)
        await createTools().connect(transport)
        return
      }
      const id = new URL(request.url ?? '', 'http://x').searchParams.get('sessionId') ?? ''
      await transports.get(id)?.handlePostMessage(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`
    try {
      const made = await makeMcpServer(api, url, { integration: { transport: 'sse' } })
      const client = await connect(api, made.slug)
      const seen: number[] = []
      const counted = await client.callTool({ name: 'count', arguments: { to: 2 } }, undefined, {
        onprogress: ({ progress }) => seen.push(progress),
      })
      expect(counted.content).to.deep.equal([{ type: 'text', text: 'counted to 2' }])
      expect(seen).to.deep.equal([1, 2])
      const answers = await Promise.all(
        ['a', 'b', 'c'].map((text) => rpc(api, made.slug, { message: toolCall('echo', { text }, text) })),
      )
      for (const { body } of answers)
        expect(body.result).to.deep.equal({ content: [{ type: 'text', text: body.id }] })
      await client.close()
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it('is told the name and the version of the gateway', async () => {
    const upstream = await openMcpUpstream()
    const made = await makeMcpServer(api, upstream.url)
    expect((await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })).status).to.equal(200)
    const hello = upstream.seen.find(({ method }) => method === 'initialize')
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
    expect(hello?.body?.params).to.have.deep.property('clientInfo', {
      name: 'ai-gateway',
      version: manifest.version,
    })
    await upstream.close()
  })

  for (const [what, options] of [
    ['have no sessions', { isStateless: true }],
    ['answer with JSON', { isJson: true }],
  ] as const) {
    it(`can ${what}`, async () => {
      const upstream = await openMcpUpstream(options)
      const made = await makeMcpServer(api, upstream.url)
      const { status, body } = await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })
      expect([status, body.result]).to.deep.equal([200, { content: [{ type: 'text', text: 'a' }] }])
      await upstream.close()
    })
  }

  describe('with OAuth', () => {
    let issuer: Upstream
    let tokens = 0
    const revoked: string[] = []
    /** Tokens that the upstream takes. */
    const valid = new Set<string>()
    before(async () => {
      issuer = await openUpstream((request, response) => {
        const form = new URLSearchParams(request.text)
        if (request.path === '/.well-known/oauth-authorization-server')
          return sendJson(response, 200, {
            issuer: issuer.origin,
            authorization_endpoint: `${issuer.origin}/authorize`,
            token_endpoint: `${issuer.origin}/token`,
            registration_endpoint: `${issuer.origin}/register`,
            revocation_endpoint: `${issuer.origin}/revoke`,
          })
        if (request.path === '/register') return sendJson(response, 201, { client_id: 'registered' })
        if (request.path === '/revoke') {
          revoked.push(form.get('token') ?? '')
          return sendJson(response, 200, {})
        }
        if (request.path === '/token') {
          tokens += 1
          valid.add(`token-${tokens}`)
          return sendJson(response, 200, {
            access_token: `token-${tokens}`,
            refresh_token: `refresh-${tokens}`,
            expires_in: 3600,
            token_type: 'Bearer',
          })
        }
        sendJson(response, 404, {})
      })
    })
    after(() => issuer.close())

    /** A server that requires a token, and names its authorization server. */
    async function protectedServer(auth_type: string, oauth_metadata: object = {}) {
      const upstream = await openMcpUpstream()
      upstream.intercept = (request, response) => {
        if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
          sendJson(response, 200, { resource: upstream.url, authorization_servers: [issuer.origin] })
          return true
        }
        if (valid.has((request.headers.authorization ?? '').replace('Bearer ', ''))) return false
        response.writeHead(401).end()
        return true
      }
      const made = await makeMcpServer(api, upstream.url, {
        integration: { auth_type, configurations: { oauth_metadata } },
      })
      return { upstream, made }
    }

    it("receives the integration's own token, which is renewed when it is refused", async () => {
      const { upstream, made } = await protectedServer('oauth_client_credentials', {
        client_id: 'me',
        client_secret: 'a-secret-of-mine',
      })
      const call = () => rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }) })
      const before = tokens
      const answers = await Promise.all([call(), call(), call()])
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
      valid.clear()
      expect((await call()).status).to.equal(200)
      expect(tokens - before).to.be.at.most(2)
      const form = new URLSearchParams(issuer.seen.findLast(({ path }) => path === '/token')?.text)
      expect(Object.fromEntries(form)).to.include({
        grant_type: 'client_credentials',
        client_id: 'me',
        resource: upstream.url,
      })
      await upstream.close()
    })

    it("receives a person's token after consent, until the person ends it", async () => {
      const { upstream, made } = await protectedServer('oauth_auto')
      const workspace = String(made.server.workspace_id)
      const ann = await api.people.user(`ann-${made.slug}@mcp.example`)
      const bob = await api.people.user(`bob-${made.slug}@mcp.example`)
      for (const user of [ann, bob]) await api.people.member(workspace, user, 'member')
      const keyOf = (user: string) =>
        api.people.key({ type: 'workspace-user', workspace, user, scopes: ['mcp.invoke'] })
      const [annKey, bobKey] = [await keyOf(ann), await keyOf(bob)]
      const service = await api.people.key({ type: 'workspace-service', workspace, scopes: ['mcp.invoke'] })
      const call = (key: string) => rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }), key })
      expect((await call(service)).body.error.code).to.equal('forbidden')
      const missing = await call(annKey)
      expect([missing.status, missing.body.error.code]).to.deep.equal([200, -32042])
      const data = missing.body.error.data as {
        authorization_url: string
        elicitations: { url: string; mode: string }[]
      }
      const url = new URL(data.authorization_url)
      expect(data.elicitations[0]).to.deep.include({ mode: 'url', url: data.authorization_url })
      expect(Object.fromEntries(url.searchParams)).to.include({
        response_type: 'code',
        client_id: 'registered',
        code_challenge_method: 'S256',
        resource: upstream.url,
      })
      const callback = `/oauth/upstream-callback?${new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' })}`
      const open = async (user: string) => {
        const session = await api.people.session(user)
        return fetch(api.gateway.url + callback, { headers: { cookie: `gateway_session=${session}` } })
      }
      expect((await fetch(api.gateway.url + callback)).status, 'nobody').to.equal(400)
      expect((await open(bob)).status, 'another person').to.equal(400)
      expect((await open(ann)).status).to.equal(200)
      expect((await open(ann)).status, 'a second time').to.equal(400)
      expect((await call(annKey)).status).to.equal(200)
      expect((await call(annKey)).body.result).to.deep.equal({ content: [{ type: 'text', text: 'a' }] })
      expect((await call(bobKey)).body.error.code).to.equal(-32042)
      const path = `/v1/mcp-servers/${made.server.id}/connections`
      const own = await api.as(annKey).get(path)
      expect(own.data.map(({ user_id, connected }) => [user_id, connected])).to.deep.equal([[ann, true]])
      expect(own.text).not.to.contain('token-')
      expect((await api.as(bobKey).get(`${path}?user_id=${ann}`)).error.code).to.equal('forbidden')
      expect((await api.get(path)).data).to.have.length(1)
      expect((await api.delete(path)).status).to.equal(400)
      // A token that the upstream takes no more is renewed, by one of many calls.
      valid.clear()
      const before = tokens
      const renewed = await Promise.all([call(annKey), call(annKey), call(annKey)])
      expect(renewed.map(({ body }) => body.result !== undefined)).to.deep.equal([true, true, true])
      expect(tokens - before).to.equal(1)
      const ended = await api.as(annKey).delete(path)
      expect([ended.status, ended.body]).to.deep.equal([200, { success: true }])
      expect(revoked).to.deep.equal([`refresh-${tokens}`])
      expect((await api.as(annKey).delete(path)).status).to.equal(404)
      expect((await call(annKey)).body.error.code).to.equal(-32042)
      expect(JSON.stringify(api.gateway.logs)).not.to.match(/token-\d|refresh-\d/)
      await upstream.close()
    })

    it("does not receive a person's token after its integration's URL was changed", async () => {
      const { upstream, made } = await protectedServer('oauth_auto')
      const workspace = String(made.server.workspace_id)
      const ann = await api.people.user(`ann-${made.slug}@mcp.example`)
      await api.people.member(workspace, ann, 'member')
      const key = await api.people.key({
        type: 'workspace-user',
        workspace,
        user: ann,
        scopes: ['mcp.invoke'],
      })
      const call = () => rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }), key })
      const { authorization_url } = (await call()).body.error.data as { authorization_url: string }
      const state = new URL(authorization_url).searchParams.get('state') ?? ''
      const session = await api.people.session(ann)
      const callback = `${api.gateway.url}/oauth/upstream-callback?${new URLSearchParams({ code: 'c', state })}`
      await fetch(callback, { headers: { cookie: `gateway_session=${session}` } })
      expect((await call()).body.result).to.deep.equal({ content: [{ type: 'text', text: 'a' }] })

      const seen: string[] = []
      const elsewhere = await openMcpUpstream()
      elsewhere.intercept = (request, response) => {
        seen.push(JSON.stringify(request.headers))
        if (request.url?.startsWith('/.well-known/') !== true) return false
        sendJson(response, 200, { resource: elsewhere.url, authorization_servers: [issuer.origin] })
        return true
      }
      const integration = `/v1/mcp-integrations/${made.server.mcp_integration_id}`
      const moved = await api.put(integration, { url: elsewhere.url })
      expect(moved.status, moved.text).to.equal(200)
      expect((await call()).body.error.code).to.equal(-32042)
      expect(seen.join()).not.to.match(/token-\d/)
      expect((await api.put(integration, { url: upstream.url })).status).to.equal(200)
      expect((await call()).body.result, 'back again').to.deep.equal({
        content: [{ type: 'text', text: 'a' }],
      })
      await upstream.close()
      await elsewhere.close()
    })
  })
})
