/**
 * Users' tokens are isolated: they appear in no log, no answer and no other user's call, and are gone once they have
 * ended.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'
import { until } from '../../support/until.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'echoing', version: '1' },
}

describe("a person's token at an MCP server", () => {
  const api = openManagement()
  let upstream: McpUpstream
  before(async () => {
    upstream = await openMcpUpstream()
    await api.gateway.writeConfig({ logs: { bodies: 'full' }, public_url: api.gateway.url })
    expect(await api.gateway.reload()).to.equal(true)
  })
  after(() => upstream.close())

  const lastHeaders = (): Record<string, unknown> => ({ ...upstream.seen.at(-1)?.headers })

  async function person(name: string, { server }: MadeServer) {
    const workspace = String(server.workspace_id)
    const user = await api.people.user(`${name}-${server.slug}@tokens.example`)
    await api.people.member(workspace, user, 'member')
    const key = await api.people.key({ type: 'workspace-user', workspace, user, scopes: ['mcp.invoke'] })
    return { user, key, session: await api.people.session(user) }
  }

  async function logEntry(id: string | null): Promise<string> {
    let text = ''
    await until('the log entry', async () => {
      const reply = await api.get(`/v1/logs/${id}`)
      text = reply.text
      return reply.status === 200
    })
    return text
  }

  describe('validated by the integration', () => {
    let made: MadeServer
    let sign: (subject: string) => Promise<string>
    before(async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256')
      const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
      sign = (subject) =>
        new SignJWT({ sub: subject })
          .setProtectedHeader({ alg: 'ES256', kid: 'one' })
          .setExpirationTime('5m')
          .sign(privateKey)
      made = await makeMcpServer(api, upstream.url, {
        integration: {
          configurations: {
            // A name that does not look like a secret, and headers that pass except some.
            jwt_validation: { jwks: { keys: [jwk] }, headerKey: 'x-who', algorithms: ['ES256'] },
            forward_headers: { mode: 'all-except', headers: ['x-other'] },
          },
        },
      })
    })

    it('appears neither upstream nor in a log', async () => {
      const { key } = await person('ann', made)
      const token = await sign('ann')
      const reply = await rpc(api, made.slug, {
        message: toolCall('echo', { text: 'a' }),

        key,
        headers: { 'x-who': token, 'x-passes': 'yes', 'x-other': 'no', cookie: 'a=b' },
      })
      expect(reply.status, reply.text).to.equal(200)
      const headers = lastHeaders()
      expect(headers).to.include({ 'x-passes': 'yes' })
      expect(headers).not.to.have.any.keys('x-who', 'x-other', 'cookie', 'x-gateway-api-key', 'authorization')
      const [, payload = ''] = token.split('.')
      for (const text of [
        await logEntry(reply.headers.get('x-request-id')),
        JSON.stringify(api.gateway.logs),
      ])
        expect(text).not.to.contain(payload)
    })

    it("is forwarded with the method bearer, and never in another person's session", async () => {
      const bearer = await makeMcpServer(api, upstream.url, {
        integration: {
          configurations: {
            ...(made.integration.configurations as object),
            user_identity_forwarding: { method: 'bearer' },
          },
        },
      })
      const people = [await person('ann', bearer), await person('bob', bearer)]
      const sessions: unknown[] = []
      for (const [index, { key }] of people.entries()) {
        const token = await sign(`person ${index}`)
        await rpc(api, bearer.slug, {
          message: toolCall('echo', { text: 'a' }),
          key,
          headers: { 'x-who': token },
        })
        const headers = lastHeaders()
        expect(headers.authorization).to.equal(`Bearer ${token}`)
        sessions.push(headers['mcp-session-id'])
      }
      expect(new Set(sessions).size).to.equal(2)
    })
  })

  it('is replaced by a signed token per call without a new session for each', async () => {
    const made = await makeMcpServer(api, upstream.url, {
      integration: { configurations: { user_identity_forwarding: { method: 'jwt_header' } } },
    })
    const [ann, bob] = [await person('ann', made), await person('bob', made)]
    const sessionOf = async (key: string) => {
      await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }), key })
      const headers = lastHeaders()
      expect(headers['x-user-jwt']).to.match(/^ey/)
      return headers['mcp-session-id']
    }
    const first = await sessionOf(ann.key)
    expect(await sessionOf(bob.key)).not.to.equal(first)
    // Another second is another token.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(await sessionOf(ann.key)).to.equal(first)
  })

  describe('issued by the upstream after consent', () => {
    let issuer: Upstream
    let issued = 0
    let isRefused = false
    let lifeSeconds = 3600
    const revoked: string[] = []
    const forms: URLSearchParams[] = []
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
        if (request.path !== '/token') return sendJson(response, 404, {})
        forms.push(form)
        if (isRefused) return sendJson(response, 400, { error: 'invalid_grant' })
        issued += 1
        sendJson(response, 200, {
          access_token: `canary-access-${issued}`,
          refresh_token: `canary-refresh-${issued}`,
          expires_in: lifeSeconds,
          token_type: 'Bearer',
        })
      })
    })
    after(() => issuer.close())

    async function protectedServer(metadataPath = '/nowhere/usual') {
      const own = await openMcpUpstream()
      own.intercept = (request, response) => {
        if (request.url === metadataPath) {
          sendJson(response, 200, { resource: own.url, authorization_servers: [issuer.origin] })
          return true
        }
        if (request.headers.authorization?.startsWith('Bearer canary-access-') === true) return false
        const metadata = new URL(metadataPath, own.url).href
        response.writeHead(request.method === 'POST' ? 401 : 404, {
          'www-authenticate': `Bearer resource_metadata="${metadata}", scope="read write"`,
        })
        response.end()
        return true
      }
      const configurations = { forward_headers: ['x-caller'] }
      const made = await makeMcpServer(api, own.url, {
        integration: { auth_type: 'oauth_auto', configurations },
      })
      return { own, made }
    }

    const call = (made: MadeServer, key: string) =>
      rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }), key })

    async function consent(made: MadeServer, { key, session }: { key: string; session: string }) {
      const { body } = await call(made, key)
      const { authorization_url } = body.error.data as { authorization_url: string }
      const url = new URL(authorization_url)
      const state = url.searchParams.get('state') ?? ''
      const back = `${api.gateway.url}/oauth/upstream-callback?${new URLSearchParams({ code: 'c', state })}`
      const page = await fetch(back, { headers: { cookie: `gateway_session=${session}` } })
      expect(page.status, await page.text()).to.equal(200)
      return url
    }

    it("is requested as the upstream's challenge says, with its scopes", async () => {
      const { own, made } = await protectedServer()
      const ann = await person('ann', made)
      const url = await consent(made, ann)
      expect(Object.fromEntries(url.searchParams)).to.include({ resource: own.url, scope: 'read write' })
      expect((await call(made, ann.key)).status).to.equal(200)
      await own.close()
    })

    it('is not requested when the upstream names another resource', async () => {
      const own = await openMcpUpstream()
      own.intercept = (request, response) => {
        if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
          const resource = 'https://bank.example/mcp'
          sendJson(response, 200, { resource, authorization_servers: [issuer.origin] })
        } else response.writeHead(401).end()
        return true
      }
      const made = await makeMcpServer(api, own.url, { integration: { auth_type: 'oauth_auto' } })
      const { status, body } = await call(made, (await person('ann', made)).key)
      expect([status, body.error.code]).to.deep.equal([502, -32603])
      await own.close()
    })

    it('is refreshed once for concurrent calls, and requested again when the refresh is refused', async () => {
      const { own, made } = await protectedServer()
      const ann = await person('ann', made)
      lifeSeconds = 1
      await consent(made, ann)
      lifeSeconds = 3600
      const before = forms.length
      const replies = await Promise.all([1, 2, 3, 4, 5].map(() => call(made, ann.key)))
      expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200])
      const refreshes = forms.slice(before)
      expect(refreshes.map((form) => form.get('grant_type'))).to.deep.equal(['refresh_token'])
      lifeSeconds = 1
      const { own: other, made: second } = await protectedServer()
      const bob = await person('bob', second)
      await consent(second, bob)
      isRefused = true
      const ended = await call(second, bob.key)
      isRefused = false
      lifeSeconds = 3600
      expect(ended.body.error.code).to.equal(-32042)
      expect(JSON.stringify(api.gateway.logs)).not.to.contain('canary-')
      for (const { headers } of replies)
        expect(await logEntry(headers.get('x-request-id'))).not.to.contain('canary-')
      await own.close()
      await other.close()
    })

    it("appears in no other person's answers, logs or calls, even if the upstream echoes it", async () => {
      const { own, made } = await protectedServer()
      const [ann, bob] = [await person('ann', made), await person('bob', made)]
      await consent(made, ann)
      await consent(made, bob)
      const usual = own.intercept
      const tokens = new Map<string, Set<string>>()
      let answerAs = 0
      own.intercept = (request, response) => {
        const token = String(request.headers.authorization ?? '')
        if (usual?.(request, response) === true) return true
        const caller = String(request.headers['x-caller'])
        tokens.set(caller, (tokens.get(caller) ?? new Set()).add(token))
        let text = ''
        request.on('data', (part) => {
          text += String(part)
        })
        request.on('end', () => {
          const message = JSON.parse(text) as { id?: number; method: string }
          const reply = (status: number, body: unknown) =>
            sendJson(response, { status, headers: { 'x-echo': token, 'www-authenticate': token } }, body)
          const result = { jsonrpc: '2.0', id: message.id }
          if (message.method !== 'tools/call') return reply(200, { ...result, result: initialized })
          const echo = { code: -31000, message: token, data: { headers: { ...request.headers } } }
          if (answerAs === 0)
            return reply(200, {
              ...result,
              result: { content: [{ type: 'text', text: `you are ${token}` }] },
            })
          if (answerAs === 1) return reply(200, { ...result, error: echo })
          if (answerAs === 2) return reply(403, { ...result, error: echo })
          return reply(answerAs === 3 ? 500 : 403, { error: token })
        })
        return true
      }
      const ids: (string | null)[] = []
      for (answerAs = 0; answerAs < 5; answerAs += 1)
        for (const { key } of [ann, bob]) {
          const reply = await rpc(api, made.slug, {
            message: toolCall('echo', { text: 'a' }),

            key,
            headers: { 'x-caller': key },
          })
          expect(reply.text, String(answerAs)).not.to.contain('canary-')
          expect(JSON.stringify([...reply.headers])).not.to.contain('canary-')
          ids.push(reply.headers.get('x-request-id'))
        }
      const entries = await Promise.all(ids.map(logEntry))
      for (const entry of entries) expect(entry).not.to.contain('canary-')
      expect(entries[0]).to.contain('you are Bearer [redacted]')
      expect(JSON.stringify(api.gateway.logs)).not.to.contain('canary-')
      const used = [ann, bob].map(({ key }) => [...(tokens.get(key) ?? [])])
      expect(used.map(({ length }) => length)).to.deep.equal([1, 1])
      expect(used[0]).not.to.deep.equal(used[1])
      await own.close()
    })

    it('is revoked when its server or its user is deleted, and never shown', async () => {
      const { own, made } = await protectedServer()
      const [ann, bob] = [await person('ann', made), await person('bob', made)]
      await consent(made, ann)
      await consent(made, bob)
      const listed = await api.get(`/v1/mcp-servers/${made.server.id}/connections`)
      expect(listed.data).to.have.length(2)
      expect(listed.text).not.to.contain('canary-')
      const users = await api.get(`/v1/mcp-servers/${made.server.id}/user-access`)
      expect(users.data.find(({ user_id }) => user_id === ann.user)?.connection_status).to.equal('connected')
      expect((await api.delete(`/v1/users/${ann.user}`)).status).to.equal(200)
      await until('the revocation', () => revoked.length === 1)
      expect((await api.get(`/v1/mcp-servers/${made.server.id}/connections`)).data).to.have.length(1)
      expect((await api.delete(`/v1/mcp-servers/${made.server.id}`)).status).to.equal(200)
      await until('the second revocation', () => revoked.length === 2)
      expect(revoked.every((token) => token.startsWith('canary-refresh-'))).to.equal(true)
      await own.close()
    })
  })

  it('is introspected when the integration sets that', async () => {
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (part) => {
        text += String(part)
      })
      request.on('end', () => {
        const active = new URLSearchParams(text).get('token')?.startsWith('good') === true
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ active, team: 'red' }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const introspectEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const made = await makeMcpServer(api, upstream.url, {
      integration: { configurations: { jwt_validation: { introspectEndpoint, headerKey: 'x-who' } } },
    })
    const ask = (token: string) =>
      rpc(api, made.slug, {
        message: toolCall('echo', { text: 'a' }),
        headers: { 'x-who': token },
      })
    expect((await ask('good.token.here')).status).to.equal(200)
    const refused = await ask('bad.token.here')
    expect([refused.status, refused.body.error.code]).to.deep.equal([401, 'jwt_expired'])
    server.closeAllConnections()
    server.close()
    const away = await ask('good.token.again')
    expect([away.status, away.body.error.code]).to.deep.equal([503, 'dependency_unavailable'])
  })
})
