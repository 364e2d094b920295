/** OAuth for clients: discovery, registration, consent, tokens, and what ends them. */
import { createHash } from 'node:crypto'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { expiryJob } from '#mcp/oauth-server/expiry'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'

const redirect = 'http://127.0.0.1:39999/callback'
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

describe('OAuth at the gateway', () => {
  const api = openManagement()
  let upstream: McpUpstream
  let made: MadeServer
  let session = ''
  before(async () => {
    upstream = await openMcpUpstream()
    await api.gateway.writeConfig({ public_url: api.gateway.url })
    expect(await api.gateway.reload()).to.equal(true)
    made = await makeMcpServer(api, upstream.url)
    session = await api.people.session(await api.people.user('ann@oauth.example', 'owner'))
  })
  after(() => upstream.close())

  const resource = () => `${api.gateway.url}/${made.slug}/mcp`
  const cookie = () => ({ cookie: `gateway_session=${session}` })

  async function register(more: object = {}) {
    const response = await fetch(`${api.gateway.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [redirect],
        token_endpoint_auth_method: 'none',
        client_name: 'Tester',
        ...more,
      }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  const authorizeUrl = (query: Record<string, string>) =>
    `${api.gateway.url}/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      redirect_uri: redirect,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: resource(),
      state: 'st',
      ...query,
    })}`

  /** Allows or denies; returns the address that the browser is sent to. */
  async function consent(url: string, decision = 'allow'): Promise<URL> {
    const page = await fetch(url, { headers: cookie(), redirect: 'manual' })
    const text = await page.text()
    expect(page.status, text).to.equal(200)
    const ticket = /name="ticket" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const answer = await fetch(`${api.gateway.url}/oauth/authorize`, {
      method: 'POST',
      headers: { ...cookie(), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ticket, decision }).toString(),
      redirect: 'manual',
    })
    expect(answer.status).to.equal(302)
    return new URL(answer.headers.get('location') ?? '')
  }

  async function token(form: Record<string, string>) {
    const response = await fetch(`${api.gateway.url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  async function codeFor(clientId: string, scope = 'mcp'): Promise<string> {
    return (await consent(authorizeUrl({ client_id: clientId, scope }))).searchParams.get('code') ?? ''
  }

  const redeem = (clientId: string, code: string, more: Record<string, string> = {}) =>
    token({
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: redirect,
      code_verifier: verifier,
      resource: resource(),
      ...more,
    })

  it('is announced to a client without a credential', async () => {
    const { status, headers } = await rpc(api, made.slug, {
      message: toolCall('echo'),

      key: '',
      path: `/${made.slug}/mcp`,
    })
    expect(status).to.equal(401)
    const url = `${api.gateway.url}/.well-known/oauth-protected-resource/${made.slug}/mcp`
    expect(headers.get('www-authenticate')).to.equal(`Bearer resource_metadata="${url}"`)
    const metadata = (await (await fetch(url)).json()) as Record<string, unknown>
    expect(metadata).to.deep.include({ resource: resource(), authorization_servers: [api.gateway.url] })
    const server = (await (
      await fetch(`${api.gateway.url}/.well-known/oauth-authorization-server`)
    ).json()) as object
    expect(server).to.deep.include({ issuer: api.gateway.url, code_challenge_methods_supported: ['S256'] })
  })

  it('is completed by the official client with only the URL', async () => {
    const kept: { client?: unknown; tokens?: unknown; verifier?: string; url?: URL } = {}
    const provider = {
      redirectUrl: redirect,
      clientMetadata: { redirect_uris: [redirect], client_name: 'SDK', token_endpoint_auth_method: 'none' },
      clientInformation: () => kept.client as never,
      saveClientInformation: (client: unknown) => {
        kept.client = client
      },
      tokens: () => kept.tokens as never,
      saveTokens: (tokens: unknown) => {
        kept.tokens = tokens
      },
      redirectToAuthorization: (url: URL) => {
        kept.url = url
      },
      saveCodeVerifier: (text: string) => {
        kept.verifier = text
      },
      codeVerifier: () => kept.verifier ?? '',
    }
    expect(await auth(provider, { serverUrl: resource() })).to.equal('REDIRECT')
    const back = await consent(kept.url?.href ?? '')
    const authorizationCode = back.searchParams.get('code') ?? ''
    expect(await auth(provider, { serverUrl: resource(), authorizationCode })).to.equal('AUTHORIZED')
    const client = new Client({ name: 'sdk', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(resource()), { authProvider: provider })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    const result = await client.callTool({ name: 'echo', arguments: { text: 'by OAuth' } })
    expect(result.content).to.deep.equal([{ type: 'text', text: 'by OAuth' }])
    await client.close()
  })

  it('registers only https and loopback redirects', async () => {
    expect((await register()).status).to.equal(201)
    for (const uri of ['http://evil.example/cb', 'javascript:alert(1)', 'https://a.example/#x', 'nothing']) {
      const { status, body } = await register({ redirect_uris: [uri] })
      expect([status, body.error], uri).to.deep.equal([400, 'invalid_redirect_uri'])
    }
  })

  it('answers the same for unknown servers and for those of workspaces that the person is not in', async () => {
    const { body } = await register()
    const member = await api.people.user('outsider@oauth.example')
    const home = await api.people.workspace('Outsiders')
    await api.people.member(home, member, 'member')
    const outsider = { cookie: `gateway_session=${await api.people.session(member)}` }
    const answerFor = async (target: string) => {
      const url = authorizeUrl({ client_id: body.client_id ?? '', resource: target })
      const answer = await fetch(url, { headers: outsider, redirect: 'manual' })
      return [answer.status, answer.headers.get('location')]
    }
    const foreign = await answerFor(resource())
    expect(foreign).to.deep.equal(await answerFor(`${api.gateway.url}/nowhere/mcp`))
    expect(String(foreign[1])).to.include('error=invalid_target')
    await api.people.member(String(made.server.workspace_id), member, 'member')
    expect((await answerFor(resource()))[0]).to.equal(200)
  })

  it('registers the clients of a whole office', async () => {
    for (let count = 0; count < 30; count += 1) expect((await register()).status).to.equal(201)
  })

  it('removes clients that were not used within a day, and keeps those that were', async () => {
    const unused = (await register()).body.client_id ?? ''
    const used = (await register()).body.client_id ?? ''
    await codeFor(used)
    const context = {
      documents: api.gateway.runtime.store.documents,
      stopping: new AbortController().signal,
    }
    const kept = async () => {
      const found = await Promise.all([unused, used].map((id) => api.stored('oauth_client', id)))
      return found.map((client) => client !== null)
    }
    const registeredAt = (await api.stored('oauth_client', unused))?.created_at ?? 0
    await expiryJob({ context }).run(registeredAt + 86_400_000)
    expect(await kept()).to.deep.equal([true, true])
    await expiryJob({ context }).run(registeredAt + 86_400_001)
    expect(await kept()).to.deep.equal([false, true])
    const page = await fetch(authorizeUrl({ client_id: unused }), { headers: cookie(), redirect: 'manual' })
    expect(page.status).to.equal(400)
    expect((await redeem(used, await codeFor(used))).status).to.equal(200)
  })

  it('shows only an error page for an unknown client or redirect', async () => {
    const { body } = await register()
    for (const query of [
      { client_id: 'nobody' },
      { client_id: body.client_id ?? '', redirect_uri: 'https://evil.example' },
    ]) {
      const response = await fetch(authorizeUrl(query), { headers: cookie(), redirect: 'manual' })
      expect(response.status).to.equal(400)
      expect(response.headers.get('content-type')).to.contain('text/html')
    }
  })

  const refusals: [string, Record<string, string>, string][] = [
    ['no PKCE', { code_challenge: '' }, 'invalid_request'],
    ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ["another server's resource", { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ]
  for (const [what, query, error] of refusals) {
    it(`sends ${error} back to the client for ${what}`, async () => {
      const { body } = await register()
      const response = await fetch(authorizeUrl({ client_id: body.client_id ?? '', ...query }), {
        headers: cookie(),
        redirect: 'manual',
      })
      expect(response.status).to.equal(302)
      const location = new URL(response.headers.get('location') ?? '')
      expect(location.origin + location.pathname).to.equal(redirect)
      expect(Object.fromEntries(location.searchParams)).to.include({ error, state: 'st' })
    })
  }

  it('asks a signed-in person for consent, on a page that cannot be framed', async () => {
    const { body } = await register()
    const url = authorizeUrl({ client_id: body.client_id ?? '' })
    const away = await fetch(url, { redirect: 'manual' })
    expect(away.status).to.equal(302)
    expect(away.headers.get('location')).to.contain('return_to=')
    const page = await fetch(url, { headers: cookie() })
    expect(page.headers.get('content-security-policy')).to.contain("frame-ancestors 'none'")
    expect(page.headers.get('x-frame-options')).to.equal('DENY')
    const text = await page.text()
    expect(text.match(/<form method="post"/g)).to.have.length(1)
    expect(text).to.contain('Tester')
    expect((await consent(url, 'deny')).searchParams.get('error')).to.equal('access_denied')
  })

  it('issues a code once, and revokes its tokens when the code is used twice', async () => {
    const { body } = await register()
    const id = body.client_id ?? ''
    const code = await codeFor(id)
    const first = await redeem(id, code)
    expect(first.status).to.equal(200)
    expect(first.body).to.include({ token_type: 'Bearer', expires_in: 3600, scope: 'mcp' })
    const call = () =>
      rpc(api, made.slug, {
        message: toolCall('echo', { text: 'a' }),

        key: '',
        headers: { authorization: `Bearer ${first.body.access_token}` },
      })
    expect((await call()).status).to.equal(200)
    const second = await redeem(id, code)
    expect([second.status, second.body.error]).to.deep.equal([400, 'invalid_grant'])
    const refused = await call()
    expect(refused.status).to.equal(401)
    expect(refused.headers.get('www-authenticate')).to.contain('invalid_token')
  })

  it('rotates refresh tokens, and revokes all of them when a used one is sent again', async () => {
    const { body } = await register()
    const id = body.client_id ?? ''
    const first = await redeem(id, await codeFor(id))
    const renew = (refresh_token: string) =>
      token({ grant_type: 'refresh_token', refresh_token, client_id: id })
    const second = await renew(first.body.refresh_token ?? '')
    expect(second.status).to.equal(200)
    expect(second.body.refresh_token).to.not.equal(first.body.refresh_token)
    expect((await renew(first.body.refresh_token ?? '')).body.error).to.equal('invalid_grant')
    expect((await renew(second.body.refresh_token ?? '')).body.error).to.equal('invalid_grant')
  })

  it('refuses a wrong verifier, redirect, client or resource', async () => {
    const { body } = await register()
    const id = body.client_id ?? ''
    const other = (await register()).body.client_id ?? ''
    for (const more of [
      { code_verifier: 'w'.repeat(43) },
      { redirect_uri: 'http://127.0.0.1:1/x' },
      { client_id: other },
    ])
      expect((await redeem(id, await codeFor(id), more)).body.error).to.equal('invalid_grant')
    expect((await redeem(id, await codeFor(id), { resource: 'https://x.example' })).body.error).to.equal(
      'invalid_target',
    )
    expect((await redeem('nobody', 'x')).status).to.equal(401)
    expect((await token({ grant_type: 'password' })).body.error).to.equal('unsupported_grant_type')
  })

  it('limits a token to its scopes and to its server', async () => {
    const { body } = await register()
    const id = body.client_id ?? ''
    const read = (await redeem(id, await codeFor(id, 'mcp:read'))).body.access_token ?? ''
    const headers = { authorization: `Bearer ${read}` }
    const listed = await rpc(api, made.slug, {
      message: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      key: '',
      headers,
    })
    expect(listed.status).to.equal(200)
    const called = await rpc(api, made.slug, {
      message: toolCall('echo', { text: 'a' }),
      key: '',
      headers,
    })
    expect(called.status).to.equal(403)
    expect(called.headers.get('www-authenticate')).to.contain('insufficient_scope')
    const elsewhere = await makeMcpServer(api, upstream.url)
    expect((await rpc(api, elsewhere.slug, { message: toolCall('echo'), key: '', headers })).status).to.equal(
      401,
    )
    expect((await api.as(read).get('/v1/mcp-servers')).status).to.equal(401)
  })

  it('introspects for the owning client or a key of the organisation, and revokes tokens', async () => {
    const { body } = await register()
    const id = body.client_id ?? ''
    const tokens = (await redeem(id, await codeFor(id))).body
    const post = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
      const response = await fetch(api.gateway.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(form).toString(),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const access = tokens.access_token ?? ''
    const own = await post('/oauth/introspect', { token: access, client_id: id })
    expect(own.body).to.include({ active: true, scope: 'mcp', aud: resource(), client_id: id })
    const byKey = await post(
      '/oauth/introspect',
      { token: access },
      { 'x-gateway-api-key': 'test-admin-key-0123456789' },
    )
    expect(byKey.body.active).to.equal(true)
    expect((await post('/oauth/introspect', { token: access })).status).to.equal(401)
    expect(
      (await post('/oauth/revoke', { token: tokens.refresh_token ?? '', client_id: id })).status,
    ).to.equal(200)
    expect((await post('/oauth/introspect', { token: access, client_id: id })).body).to.deep.equal({
      active: false,
    })
  })
})
