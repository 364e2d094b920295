/** JWTs as credentials (management contract, section 8): verification, claims and permissions. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { firstOrganisationId } from '@gateway/domain'
import { expect } from 'chai'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'

const toEcho = { 'x-gateway-provider': 'echo' }
const chatBody = { model: 'echo-1', messages: [{ role: 'user', content: 'hello' }] }

interface Signer {
  jwk: JWK
  sign(payload: JWTPayload, header?: { alg?: string; kid?: string }): Promise<string>
}

async function createSigner(kid: string, alg = 'RS256'): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
  return {
    jwk,
    sign: (payload, header = {}) =>
      new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  }
}

const seconds = () => Math.floor(Date.now() / 1000)
/** Undefined claims are omitted. */
const valid = (more: Record<string, unknown> = {}): JWTPayload =>
  JSON.parse(
    JSON.stringify({ exp: seconds() + 600, iat: seconds(), scope: 'openid completions.write', ...more }),
  )

/** Settings of an earlier test would otherwise be merged. */
const unset = Object.fromEntries(
  [
    ...['jwks_uri', 'issuer', 'audience', 'algorithms', 'clock_tolerance', 'max_token_age'],
    ...['cache_max_age', 'default_scopes', 'claims'],
  ].map((name) => [name, null]),
)

describe('a JWT as credential', () => {
  const admin = openManagement()
  let signer: Signer
  let stranger: Signer

  before(async () => {
    signer = await createSigner('key-1')
    stranger = await createSigner('key-1')
  })

  const configure = async (jwt: Record<string, unknown>) => {
    const reply = await admin.put('/v1/organisation', {
      auth_settings: { jwt: { ...unset, enabled: true, jwks: { keys: [signer.jwk] }, ...jwt } },
    })
    expect(reply.status, reply.text).to.equal(200)
  }

  beforeEach(() => configure({}))

  const call = (token: string, headers: Record<string, string> = {}) =>
    admin.as(token).post('/v1/chat/completions', chatBody, { ...toEcho, ...headers })

  it('calls models, in either credential header', async () => {
    const token = await signer.sign(valid())
    expect((await call(token)).status).to.equal(200)
    const bearer = await admin
      .as(null)
      .post('/v1/chat/completions', chatBody, { ...toEcho, authorization: `Bearer ${token}` })
    expect(bearer.status).to.equal(200)
  })

  it("can contain scopes as an array, with the gateway's prefix, and gets defaults without any", async () => {
    expect(
      (await call(await signer.sign(valid({ scope: undefined, scopes: ['gateway.completions.write'] }))))
        .status,
    ).to.equal(200)
    const bare = await signer.sign(valid({ scope: undefined }))
    const refused = await call(bare)
    expect([refused.status, refused.error.code]).to.deep.equal([403, 'jwt_no_scopes'])
    await configure({ default_scopes: ['completions.write'] })
    expect((await call(bare)).status).to.equal(200)
  })

  it('has at most the scopes of a workspace key', async () => {
    const reply = await call(
      await signer.sign(valid({ scope: 'audit_logs.list organisation_settings.read' })),
    )
    expect([reply.status, reply.error.code]).to.deep.equal([403, 'jwt_no_scopes'])
    const token = await signer.sign(valid({ scope: '*' }))
    expect((await admin.as(token).get('/v1/organisation')).status).to.equal(403)
    expect((await admin.as(token).get('/v1/configs')).status).to.equal(200)
  })

  const cases: {
    title: string
    jwt?: Record<string, unknown>
    payload?: () => JWTPayload
    header?: { alg?: string; kid?: string }
    code: string
    says?: string
    status?: number
  }[] = [
    { title: 'no exp', payload: () => valid({ exp: undefined }), code: 'jwt_claim_missing', says: 'exp' },
    {
      title: 'expired',
      payload: () => valid({ exp: seconds() - 60 }),
      code: 'jwt_expired',
      says: 'tolerance is 5 s',
    },
    { title: 'not yet valid', payload: () => valid({ nbf: seconds() + 60 }), code: 'jwt_not_yet_valid' },
    {
      title: 'too old',
      jwt: { max_token_age: 60 },
      payload: () => valid({ iat: seconds() - 120 }),
      code: 'jwt_too_old',
      says: 'at most 60 s old',
    },
    {
      title: 'without an age',
      jwt: { max_token_age: 60 },
      payload: () => valid({ iat: undefined }),
      code: 'jwt_claim_missing',
      says: 'iat',
    },
    {
      title: 'of another issuer',
      jwt: { issuer: 'https://a.example' },
      payload: () => valid({ iss: 'https://b.example' }),
      code: 'jwt_claim_mismatch',
      says: 'https://a.example',
    },
    { title: 'of no issuer', jwt: { issuer: 'https://a.example' }, code: 'jwt_claim_missing', says: 'iss' },
    {
      title: 'for another audience',
      jwt: { audience: ['x', 'y'] },
      payload: () => valid({ aud: ['z'] }),
      code: 'jwt_claim_mismatch',
      says: 'x, y',
    },
    {
      title: 'of another algorithm',
      jwt: { algorithms: ['ES256'] },
      code: 'jwt_algorithm_not_allowed',
      says: 'ES256',
    },
    { title: 'without a kid', header: { kid: '' }, code: 'jwt_kid_missing' },
    { title: 'of an unknown key', header: { kid: 'key-2' }, code: 'jwt_key_not_found', says: 'key-2' },
    {
      title: 'for an unknown organisation',
      payload: () => valid({ organisation_id: 'elsewhere' }),
      code: 'jwt_organisation_unknown',
      says: 'elsewhere',
    },
    {
      title: 'for an unknown workspace',
      payload: () => valid({ workspace_slug: 'nowhere' }),
      code: 'jwt_workspace_unknown',
      says: 'nowhere',
      status: 403,
    },
    {
      title: 'with invalid limits',
      payload: () => valid({ rate_limits: [{ type: 'requests' }] }),
      code: 'jwt_claim_mismatch',
      says: 'rate_limits',
    },
    {
      title: 'with limits that contradict themselves',
      payload: () =>
        valid({ usage_limits: [{ credit_limit: 1, periodic_reset: 'weekly', periodic_reset_days: 2 }] }),
      code: 'jwt_claim_mismatch',
      says: 'usage_limits',
    },
    {
      title: 'with two limits of one kind',
      payload: () =>
        valid({ rate_limits: [1, 2].map((value) => ({ type: 'requests', unit: 'rpm', value })) }),
      code: 'jwt_claim_mismatch',
      says: 'rate_limits',
    },
    { title: 'switched off', jwt: { enabled: false }, code: 'jwt_not_configured', status: 403 },
  ]
  for (const { title, jwt = {}, payload = valid, header = {}, code, says = '', status = 401 } of cases) {
    it(`is refused: ${title}`, async () => {
      await configure(jwt)
      const reply = await call(await signer.sign(payload(), header))
      expect([reply.status, reply.error.code]).to.deep.equal([status, code])
      expect(reply.error.message).to.contain(says)
    })
  }

  it('is refused with the signature of another key, and without a signature', async () => {
    const forged = await call(await stranger.sign(valid()))
    expect([forged.status, forged.error.code]).to.deep.equal([401, 'jwt_signature_invalid'])
    const [header, payload] = (await signer.sign(valid())).split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'key-1' })).toString('base64url')
    expect((await call(`${none}.${payload}.AA`)).error.code).to.equal('jwt_algorithm_not_allowed')
    expect((await call(`${header}.bm90IGpzb24.AA`)).error.code).to.equal('jwt_malformed')
  })

  it('is refused with the public key as an HMAC secret', async () => {
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: 'key-1' })).toString('base64url')
    const payload = Buffer.from(JSON.stringify(valid())).toString('base64url')
    expect((await call(`${header}.${payload}.c2lnbmF0dXJl`)).error.code).to.equal('jwt_algorithm_not_allowed')
  })

  it('reflects a change of the settings at once, even for a token that was already used', async () => {
    const token = await signer.sign(valid())
    expect((await call(token)).status).to.equal(200)
    await configure({ issuer: 'https://a.example' })
    expect((await call(token)).error.code).to.equal('jwt_claim_missing')
  })

  it('is limited to its workspace', async () => {
    await admin.people.workspace('Named')
    const token = await signer.sign(valid({ gateway_workspace: 'named', gateway_oid: firstOrganisationId }))
    expect((await call(token)).status).to.equal(200)
    const other = await call(token, { 'x-gateway-workspace-id': 'default' })
    expect([other.status, other.error.code]).to.deep.equal([404, 'not_found'])
  })

  it('can have its claims under names that the organisation configures', async () => {
    await configure({ claims: { scopes: ['realm.roles'], workspace: ['realm.place'] } })
    const token = await signer.sign(
      valid({ scope: undefined, realm: { roles: ['completions.write'], place: 'nowhere' } }),
    )
    expect((await call(token)).error.code).to.equal('jwt_workspace_unknown')
  })

  it("of a member has the member's role", async () => {
    const workspace = await admin.people.workspace('Staff')
    const user = await admin.people.user('staff@example.com')
    await admin.people.member(workspace, user, 'member')
    const claims = { workspace_slug: 'staff', scope: 'configs.create configs.list' }
    const config = { name: 'c', config: { provider: 'echo' } }
    const machine = admin.as(await signer.sign(valid({ ...claims, sub: 'machine' })))
    expect((await machine.post('/v1/configs', config)).status).to.equal(200)
    const person = admin.as(await signer.sign(valid({ ...claims, email_id: 'Staff@Example.com' })))
    expect((await person.get('/v1/configs')).status).to.equal(200)
    expect((await person.post('/v1/configs', config)).status).to.equal(403)
    expect((await person.get('/v1/auth/self')).body.user).to.include({ email: 'staff@example.com' })
    await admin.put(`/v1/users/${user}`, { status: 'deactivated' })
    expect((await person.get('/v1/configs')).error.code).to.equal('jwt_no_scopes')
  })

  it('can contain limits, counted for that token', async () => {
    const limits = { usage_limits: [{ type: 'requests', credit_limit: 1 }] }
    const token = await signer.sign(valid({ ...limits, jti: 'one' }))
    expect((await call(token)).status).to.equal(200)
    expect((await call(token)).status).to.equal(412)
    expect((await call(await signer.sign(valid({ ...limits, jti: 'two' })))).status).to.equal(200)
  })

  it('can name a default config, which is ignored when it does not exist', async () => {
    await admin.post('/v1/configs', {
      name: 'd',
      slug: 'cfg-default',
      workspace_id: 'default',
      config: { provider: 'echo' },
    })
    const bare = (token: string) => admin.as(token).post('/v1/chat/completions', chatBody)
    const named = await signer.sign(valid({ defaults: { config_id: 'cfg-default' } }))
    expect((await bare(named)).status).to.equal(200)
    const missing = await signer.sign(valid({ defaults: { config_id: 'cfg-nowhere' } }))
    expect((await bare(missing)).error.code).to.equal('no_provider')
    expect((await call(missing)).status).to.equal(200)
    const configFor = async (token: string) => {
      const asked = { endpoint: 'chatComplete', body: chatBody }
      return (await admin.as(token).post('/v1/dry-run', asked)).body.config as Record<string, unknown>
    }
    expect(await configFor(named)).to.include({ source: 'key' })
    expect(await configFor(missing)).to.include({ source: 'none' })
    await admin.put('/v1/workspaces/default', { defaults: { config_id: 'cfg-default' } })
    expect(await configFor(missing)).to.include({ source: 'workspace' })
    await admin.put('/v1/workspaces/default', { defaults: { config_id: null } })
  })

  it('causes an audit record when it is refused, without the token', async () => {
    const token = await signer.sign(valid({ exp: seconds() - 60 }))
    expect((await call(token)).error.code).to.equal('jwt_expired')
    // The record is written after the answer.
    const record = await until('a record of it', async () => {
      const [newest] = await admin.audit('action=authenticate')
      return newest?.uri === '/v1/chat/completions' ? newest : null
    })
    expect(record).to.include({
      resource_type: 'jwt',
      response_status_code: 401,
    })
    expect(JSON.stringify(record)).not.to.contain(token.split('.')[2] ?? '')
  })

  describe('with fetched keys', () => {
    let server: Server
    let keys: JWK[] = []
    let fetches = 0
    let isDown = false
    let uri = ''

    before(async () => {
      server = createServer((_request, response) => {
        fetches += 1
        if (isDown) response.writeHead(500).end()
        else response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    after(() => new Promise((resolve) => server.close(resolve)))

    /** Another path is another source without a cache. */
    const configureSource = (path: string) => configure({ jwks: undefined, jwks_uri: `${uri}/${path}` })

    it('fetches them once, and again for an unknown key', async () => {
      keys = [signer.jwk]
      fetches = 0
      await configureSource('one')
      const token = await signer.sign(valid())
      expect(
        await Promise.all([call(token), call(token)]).then((all) => all.map(({ status }) => status)),
      ).to.deep.equal([200, 200])
      expect(fetches).to.equal(1)
      const next = await createSigner('key-next', 'ES256')
      keys = [signer.jwk, next.jwk]
      await configure({ jwks: undefined, jwks_uri: `${uri}/one`, algorithms: ['RS256', 'ES256'] })
      expect((await call(await next.sign(valid()))).status).to.equal(200)
      expect(fetches).to.equal(2)
      expect((await call(await signer.sign(valid(), { kid: 'key-3' }))).error.code).to.equal(
        'jwt_key_not_found',
      )
      expect(fetches).to.equal(2)
    })

    it('uses the cached keys while the source fails', async () => {
      keys = [signer.jwk]
      await configureSource('two')
      expect((await call(await signer.sign(valid()))).status).to.equal(200)
      isDown = true
      expect((await call(await signer.sign(valid({ jti: 'later' })))).status).to.equal(200)
      isDown = false
    })

    it('answers 503 when there are none', async () => {
      isDown = true
      await configureSource('three')
      const reply = await call(await signer.sign(valid()))
      expect([reply.status, reply.error.code]).to.deep.equal([503, 'dependency_unavailable'])
      isDown = false
    })
  })
})
