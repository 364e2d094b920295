/** The caller's identity, sent to the upstream and checked before the call: signed claims, and users' JWTs. */
import { expect } from 'chai'
import { createLocalJWKSet, exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer, rpc, toolCall } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'
import { openUpstream, sendJson } from '../../support/upstream.ts'

describe('the forwarded identity of an MCP caller', () => {
  const api = openManagement()
  let upstream: McpUpstream
  before(async () => {
    upstream = await openMcpUpstream()
  })
  after(() => upstream.close())
  const make = (configurations: object) =>
    makeMcpServer(api, upstream.url, { integration: { configurations } })

  async function keyOf({ server, slug }: MadeServer) {
    const workspace = String(server.workspace_id)
    const user = await api.people.user(`${slug}@identity.example`)
    await api.people.member(workspace, user, 'member')
    return {
      user,
      key: await api.people.key({ type: 'workspace-user', workspace, user, scopes: ['mcp.invoke'] }),
    }
  }

  it('is signed with the published key', async () => {
    const made = await make({ user_identity_forwarding: { method: 'jwt_header', jwt_expiry_seconds: 60 } })
    const { key, user } = await keyOf(made)
    await rpc(api, made.slug, { message: toolCall('echo', { text: 'a' }), key })
    const token = String(upstream.seen.at(-1)?.headers['x-user-jwt'])
    const keys = (await (await fetch(`${api.gateway.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet
    expect(keys.keys[0]).not.to.have.property('d')
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { audience: upstream.url })
    expect(payload).to.deep.include({ sub: user, role: 'member' })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(60)
  })

  it('never contains a gateway key', async () => {
    const made = await make({ user_identity_forwarding: { method: 'bearer' } })
    const { key } = await keyOf(made)
    const { status, body } = await rpc(api, made.slug, {
      message: toolCall('echo', { text: 'a' }),
      key,
    })
    expect([status, body.error.code]).to.deep.equal([400, 'invalid_header'])
  })

  it('is checked by introspection, for tokens of any form', async () => {
    const asked: string[] = []
    const server = await openUpstream((request, response) => {
      const token = new URLSearchParams(String(request.text)).get('token') ?? ''
      asked.push(token)
      sendJson(response, 200, { active: token === 'opaque-token.1', team: 'red' })
    })
    const made = await make({
      jwt_validation: { introspectEndpoint: `${server.origin}/introspect`, claimValues: { team: 'red' } },
    })
    const { key } = await keyOf(made)
    const call = async (authorization?: string) => {
      const headers = { 'x-gateway-api-key': key, ...(authorization === undefined ? {} : { authorization }) }
      const { status } = await rpc(api, made.slug, {
        message: toolCall('echo', { text: 'a' }),
        headers,
      })
      return status
    }
    expect(await call('Bearer opaque-token.1')).to.equal(200)
    expect(await call('Bearer another')).to.equal(401)
    expect(await call()).to.equal(401)
    expect(await call(`Bearer ${key}`)).to.equal(401)
    expect(asked).to.deep.equal(['opaque-token.1', 'another'])
    await server.close()
  })

  it('is checked as the JWT that the integration requires', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
    const made = await make({
      jwt_validation: {
        jwks: { keys: [jwk] },
        headerKey: 'x-person-token',
        algorithms: ['ES256'],
        requiredClaims: ['email'],
        claimValues: { team: ['red', 'blue'] },
      },
    })
    const { key } = await keyOf(made)
    const call = (token: string | null) =>
      rpc(api, made.slug, {
        message: toolCall('echo', { text: 'a' }),

        key,
        headers: token === null ? {} : { 'x-person-token': token },
      })
    const sign = (
      claims: Record<string, string>,
      expires = '5m',
      { signer = privateKey, kid = 'one' }: { signer?: typeof privateKey; kid?: string } = {},
    ) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).setExpirationTime(expires).sign(signer)
    const good = { email: 'a@b.example', team: 'red' }
    expect((await call(await sign(good))).status).to.equal(200)
    const other = await generateKeyPair('ES256')
    const before = upstream.calls.length
    const own = () => new SignJWT(good).setProtectedHeader({ alg: 'ES256', kid: 'one' })
    const signedOtherwise = new SignJWT(good).setProtectedHeader({ alg: 'ES384', kid: 'one' })
    const unsigned = [{ alg: 'none' }, { ...good, exp: 9_999_999_999 }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const cases: [string | null, number, string][] = [
      ['no.jwt.here', 401, 'jwt_malformed'],
      ['opaque', 401, 'jwt_malformed'],
      [`${unsigned.join('.')}.`, 401, 'jwt_malformed'],
      [await own().sign(privateKey), 401, 'jwt_claim_missing'],
      [await own().setExpirationTime('1h').setNotBefore('30m').sign(privateKey), 401, 'jwt_not_yet_valid'],
      [await sign(good, '5m', { signer: privateKey, kid: 'unknown' }), 401, 'jwt_key_not_found'],
      [
        await signedOtherwise.setExpirationTime('5m').sign((await generateKeyPair('ES384')).privateKey),
        401,
        'jwt_algorithm_not_allowed',
      ],
      [null, 401, 'jwt_malformed'],
      [await sign(good, '-5m'), 401, 'jwt_expired'],
      [await sign({ team: 'red' }), 401, 'jwt_claim_missing'],
      [await sign({ ...good, team: 'green' }), 403, 'forbidden'],
      [await sign(good, '5m', { signer: other.privateKey }), 401, 'jwt_signature_invalid'],
    ]
    for (const [token, status, code] of cases) {
      const reply = await call(token)
      expect([reply.status, reply.body.error.code], code).to.deep.equal([status, code])
    }
    expect(upstream.calls.length).to.equal(before)
  })
})
