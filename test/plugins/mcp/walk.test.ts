/** Clients that know only a URL: discovery, registration, sign-in, consent and a call, without a console. */
import {
  Client as NewerClient,
  StreamableHTTPClientTransport as NewerTransport,
  auth as newerAuth,
} from '@modelcontextprotocol/client'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { createBrowser } from '../../support/browser.ts'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'

const redirect = 'http://127.0.0.1:39999/callback'
const password = 'correct horse battery'
const withoutConsole = { plugins: { disabled: ['console'] } }

describe('a client that knows only the URL of an MCP server', () => {
  const api = openManagement(withoutConsole)
  let upstream: McpUpstream
  let made: MadeServer
  before(async () => {
    upstream = await openMcpUpstream()
    await api.gateway.writeConfig({ ...withoutConsole, public_url: api.gateway.url })
    expect(await api.gateway.reload()).to.equal(true)
    made = await makeMcpServer(api, upstream.url)
    const invite = await api.post('/v1/users/invites', {
      email: 'ann@walk.example',
      role: 'member',
      workspaces: [{ id: 'default', role: 'member' }],
    })
    const token = new URL(String(invite.body.invite_link)).searchParams.get('token')
    const joined = await api.as(null).post('/v1/users/invites/accept', { token, first_name: 'Ann', password })
    expect(joined.status, joined.text).to.equal(200)
  })
  after(() => upstream.close())

  /** Stores the client's data; records the address that the browser is sent to. */
  function createProvider() {
    const kept: { client?: unknown; tokens?: unknown; verifier?: string; url?: URL } = {}
    return {
      kept,
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
  }

  const echo = { name: 'echo', arguments: { text: 'walked' } }
  const generations = [
    {
      name: 'the SDK 1.x',
      authorize: auth,
      async call(url: string, provider: ReturnType<typeof createProvider>) {
        const client = new Client({ name: 'walker', version: '1' })
        const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider })
        await client.connect(transport as Parameters<typeof client.connect>[0])
        const { content } = await client.callTool(echo)
        await client.close()
        return content
      },
    },
    {
      name: 'the client 2.x',
      authorize: newerAuth,
      async call(url: string, provider: ReturnType<typeof createProvider>) {
        const client = new NewerClient({ name: 'walker', version: '1' })
        await client.connect(new NewerTransport(new URL(url), { authProvider: provider }))
        const { content } = await client.callTool(echo)
        await client.close()
        return content
      },
    },
  ] as const

  for (const { name, authorize, call } of generations) {
    it(`gets from the URL to a call with ${name}`, async () => {
      const url = String(made.server.url)
      const provider = createProvider()
      expect(await authorize(provider, { serverUrl: url })).to.equal('REDIRECT')
      const browser = createBrowser(api.gateway.url)
      const signIn = await browser.open(provider.kept.url?.href ?? '')
      expect(new URL(signIn.url).pathname).to.equal('/oauth/sign-in')
      const wrong = await browser.submit(signIn, { email: 'ann@walk.example', password: 'not the password' })
      expect([wrong.status, wrong.text.includes('role="alert"')]).to.deep.equal([401, true])
      const consent = await browser.submit(wrong, { email: 'ann@walk.example', password })
      expect(consent.text).to.contain('SDK').and.contain(String(made.server.name))
      const back = new URL((await browser.submit(consent, { decision: 'allow' })).url)
      expect(back.origin + back.pathname).to.equal(redirect)
      const authorizationCode = back.searchParams.get('code') ?? ''
      const iss = back.searchParams.get('iss') ?? ''
      expect(await authorize(provider, { serverUrl: url, authorizationCode, iss })).to.equal('AUTHORIZED')
      expect(await call(url, provider)).to.deep.equal([{ type: 'text', text: 'walked' }])
    })
  }

  it('can sign in with an API key', async () => {
    const provider = createProvider()
    await auth(provider, { serverUrl: String(made.server.url) })
    const browser = createBrowser(api.gateway.url)
    const signIn = await browser.open(provider.kept.url?.href ?? '')
    const consent = await browser.submit(signIn, { api_key: adminKey })
    expect(consent.text).to.contain('Allow')
  })

  it('is not signed in by a form on another site, nor redirected to another site', async () => {
    const send = (form: Record<string, string>, headers: Record<string, string>) =>
      fetch(`${api.gateway.url}/oauth/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(form).toString(),
      })
    const own = { email: 'ann@walk.example', password }
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
      expect((await send(own, headers)).status).to.equal(403)
    const away = await send({ ...own, return_to: '//evil.example' }, {})
    expect([away.status, away.headers.get('set-cookie')]).to.deep.equal([400, null])
    expect((await api.as(null).get('/oauth/sign-in?return_to=https://evil.example')).status).to.equal(400)
    expect((await send(own, {})).headers.get('set-cookie')).to.contain('gateway_session=gws_')
  })
})
