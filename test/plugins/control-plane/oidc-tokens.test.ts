/** ID tokens that were not issued for this sign-in: none of them opens a session. */
import { expect } from 'chai'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { openManagement } from '../../support/management.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const clientId = 'gateway'
const clientSecret = 'a-secret-of-the-client-0123456789'

type Keys = Awaited<ReturnType<typeof generateKeyPair>>

describe('an ID token', () => {
  const admin = openManagement()
  let idp: Upstream
  let own: Keys
  let foreign: Keys
  /** The members of the token endpoint's answer in addition to the access token. */
  let answered: Record<string, unknown> = {}

  before(async () => {
    ;[own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
    const jwk = { ...(await exportJWK(own.publicKey)), kid: 'test', alg: 'RS256', use: 'sig' }
    idp = await openUpstream(({ path }, response) => {
      const at = (end: string) => `${idp.origin}/${end}`
      if (path === '/jwks') sendJson(response, 200, { keys: [jwk] })
      else if (path === '/token')
        sendJson(response, 200, { access_token: 'a', token_type: 'Bearer', expires_in: 60, ...answered })
      else
        sendJson(response, 200, {
          issuer: idp.origin,
          authorization_endpoint: at('authorize'),
          token_endpoint: at('token'),
          jwks_uri: at('jwks'),
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        })
    })
    const { url } = admin.gateway
    await admin.gateway.writeConfig({ public_url: url })
    await admin.gateway.reload()
    const oidc = { issuer: idp.origin, client_id: clientId, client_secret: clientSecret }
    const { status, text } = await admin.put('/v1/organisation', { auth_settings: { oidc } })
    expect(status, text).to.equal(200)
  })
  after(() => idp.close())

  const now = () => Math.floor(Date.now() / 1000)
  const claimsFor = (nonce: string): JWTPayload => ({
    iss: idp.origin,
    aud: clientId,
    sub: 'ada',
    iat: now(),
    exp: now() + 300,
    nonce,
    email: 'ada@example.com',
  })
  const sign = (claims: JWTPayload, key: Keys['privateKey'] = own.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign(key)
  const signWithText = (claims: JWTPayload, secret: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'test' })
      .sign(new TextEncoder().encode(secret))

  /** Signs in with the provider's answer for this nonce. */
  async function signIn(make: (nonce: string) => Promise<Record<string, unknown>>) {
    const { url } = admin.gateway
    const begun = await fetch(`${url}/v1/auth/oidc`, { redirect: 'manual' })
    const sent = new URL(begun.headers.get('location') ?? '').searchParams
    answered = await make(sent.get('nonce') ?? '')
    const query = new URLSearchParams({ code: 'c', state: sent.get('state') ?? '' })
    const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';')
    const response = await fetch(`${url}/v1/auth/callback?${query}`, {
      redirect: 'manual',
      headers: { cookie },
    })
    const isIn = response.headers.getSetCookie().some((one) => one.startsWith('gateway_session='))
    return { status: response.status, isIn, text: await response.text() }
  }
  const withToken = (make: (claims: JWTPayload) => Promise<string>) =>
    signIn(async (nonce) => ({ id_token: await make(claimsFor(nonce)) }))

  it('for the current sign-in opens a session', async () => {
    const { status, isIn, text } = await withToken((claims) => sign(claims))
    expect([status, isIn], text).to.deep.equal([302, true])
  })

  const without = (name: string) => (claims: JWTPayload) => {
    const { [name]: _, ...rest } = claims
    return sign(rest)
  }
  const cases: Record<string, (claims: JWTPayload) => Promise<string>> = {
    'for another client': (claims) => sign({ ...claims, aud: 'other' }),
    'for several clients, authorised to another one': (claims) =>
      sign({ ...claims, aud: [clientId, 'other'], azp: 'other' }),
    'of another issuer': (claims) => sign({ ...claims, iss: 'https://other.example' }),
    'with another nonce': (claims) => sign({ ...claims, nonce: 'another' }),
    'without a nonce': without('nonce'),
    'without an audience': without('aud'),
    'without an issuer': without('iss'),
    'without an end': without('exp'),
    'without a subject': without('sub'),
    'that has expired': (claims) => sign({ ...claims, iat: now() - 7200, exp: now() - 3600 }),
    'that is not valid yet': (claims) => sign({ ...claims, nbf: now() + 3600 }),
    'signed with another key': (claims) => sign(claims, foreign.privateKey),
    'without a signature': async (claims) => new UnsecuredJWT(claims).encode(),
    'signed with the secret of the client': (claims) => signWithText(claims, clientSecret),
    'signed with the public key as a secret': async (claims) =>
      signWithText(claims, await exportSPKI(own.publicKey)),
    'that is none': async () => 'no token',
  }
  for (const [title, make] of Object.entries(cases)) {
    it(`${title} is refused`, async () => {
      const { status, isIn, text } = await withToken(make)
      expect([status, isIn], text).to.deep.equal([401, false])
      expect(JSON.parse(text).error.code).to.equal('invalid_api_key')
      expect(text).not.to.contain(clientSecret)
    })
  }

  it('is required', async () => {
    const { status, isIn, text } = await signIn(async () => ({}))
    expect([status, isIn], text).to.deep.equal([401, false])
  })

  const ownPaths = ['/console', '/console/keys?x=1#y', '/%2f%2fevil.example', '/.//evil.example', '/a:b@c']
  for (const path of ownPaths) {
    it(`redirects to ${path}, which stays on the gateway in every browser`, async () => {
      const begun = await fetch(`${admin.gateway.url}/v1/auth/oidc?return_to=${encodeURIComponent(path)}`, {
        redirect: 'manual',
      })
      expect(begun.status).to.equal(302)
      expect(new URL(path, admin.gateway.url).origin).to.equal(admin.gateway.url)
    })
  }
  const elsewhere = [
    ...['//evil.example', '///evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example'],
    ...[
      '/\n/evil.example',
      '\u00a0//evil.example',
      ' //evil.example',
      'javascript:alert(1)',
      'HTTPS://evil.example',
    ],
    ...[
      '/\u0000/evil.example',
      '/console\\@evil.example',
      'evil.example',
      '?x=//evil.example',
      '@evil.example',
    ],
  ]
  for (const path of elsewhere) {
    it(`does not redirect to ${JSON.stringify(path)}`, async () => {
      const reply = await admin.as(null).get(`/v1/auth/oidc?return_to=${encodeURIComponent(path)}`)
      expect([reply.status, reply.error.param]).to.deep.equal([400, 'query/return_to'])
    })
  }
})
