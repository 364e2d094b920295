/** The token check with fetched keys: through a gateway, and with a scripted network and a fake clock. */
import type { Check, CheckIo, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { type CheckOutcome, createTestInput, createTestIo, prepareCheck, runCheck } from '@gateway/testing'
import { expect } from 'chai'
import { createKeySets } from '#core/tenancy/identity/jwks'
import { packageDirectory } from '../support/fixture-package.ts'
import { adminKey, chat, configHeader, startGateway, type TestGateway } from '../support/gateway.ts'
import { openUpstream, sendJson, type Upstream } from '../support/upstream.ts'
import { createKey, createToken, nowSeconds, type SigningKey } from './jwt-tokens.ts'

const jwt = plugin.checks.find(({ id }) => id === 'jwt') as Check
const first = createKey('first')
const second = createKey('second')

/** A key set that is served by a network and a clock that are played. */
function openKeySet(...keys: SigningKey[]) {
  const jwksUri = 'https://id.example/keys'
  const set = { keys, fetched: 0, nowMs: nowSeconds * 1000, answer: () => Promise.resolve(200) }
  const now = () => set.nowMs
  const keySets = createKeySets({
    now,
    async fetch({ url }) {
      expect(url).to.equal(jwksUri)
      set.fetched += 1
      const status = await set.answer()
      const body = JSON.stringify({ keys: set.keys.map(({ jwk }) => jwk) })
      return { status, headers: {}, bytes: Buffer.from(body) }
    },
  })
  const ask = (key: SigningKey, parameters: JsonObject = {}): Promise<CheckOutcome> =>
    runCheck(jwt, {
      parameters: { jwksUri, algorithms: ['ES256'], ...parameters },
      io: { keySets, now, header: createToken(key, {}, { now: set.nowMs / 1000 }) },
    })
  return Object.assign(set, { ask })
}

const reasonOf = ({ data }: CheckOutcome) => (data as { reason?: string }).reason

describe('a token verified with fetched keys', () => {
  it('is verified with the keys at the URL, which are fetched once', async () => {
    const set = openKeySet(first)
    expect((await set.ask(first)).verdict).to.equal(true)
    expect((await set.ask(first)).verdict).to.equal(true)
    expect(set.fetched).to.equal(1)
  })

  it('shares one fetch with concurrent requests', async () => {
    const set = openKeySet(first)
    const outcomes = await Promise.all([set.ask(first), set.ask(first), set.ask(first)])
    expect(outcomes.map(({ verdict }) => verdict)).to.deep.equal([true, true, true])
    expect(set.fetched).to.equal(1)
  })

  it('fetches keys again when they are older than cacheMaxAge', async () => {
    const set = openKeySet(first)
    await set.ask(first, { cacheMaxAge: 60 })
    set.nowMs += 61_000
    set.keys = [second]
    expect((await set.ask(second, { cacheMaxAge: 60 })).verdict).to.equal(true)
    expect(set.fetched).to.equal(2)
  })

  it('fetches keys again when its key is unknown, but not for every such token', async () => {
    const set = openKeySet(first)
    await set.ask(first)
    set.nowMs += 31_000
    set.keys = [first, second]
    expect((await set.ask(second)).verdict).to.equal(true)
    expect(set.fetched).to.equal(2)
    const unknown = createKey('unknown')
    expect(reasonOf(await set.ask(unknown))).to.equal('jwt_key_not_found')
    expect(set.fetched).to.equal(2)
    set.nowMs += 31_000
    expect(reasonOf(await set.ask(unknown))).to.equal('jwt_key_not_found')
    expect(set.fetched).to.equal(3)
  })

  it('is verified with older keys for a day while newer ones cannot be fetched', async () => {
    const set = openKeySet(first)
    await set.ask(first, { cacheMaxAge: 60 })
    set.answer = () => Promise.reject(new Error('unreachable'))
    set.nowMs += 3_600_000
    expect((await set.ask(first, { cacheMaxAge: 60 })).verdict).to.equal(true)
    set.nowMs += 86_400_000
    const fault = await set.ask(first, { cacheMaxAge: 60 }).catch((error: Error) => error.message)
    expect(fault).to.equal('unreachable')
  })

  it('is refused when its key is unknown and newer keys cannot be fetched', async () => {
    const set = openKeySet(first)
    await set.ask(first)
    set.answer = () => Promise.reject(new Error('unreachable'))
    expect(reasonOf(await set.ask(second))).to.equal('jwt_key_not_found')
  })

  it('is an error when no keys can be fetched', async () => {
    const set = openKeySet(first)
    set.answer = () => Promise.resolve(500)
    expect(await set.ask(first).catch((error: Error) => error.message)).to.contain('status 500')
  })

  it('is refused for its algorithm before any key is fetched', async () => {
    const set = openKeySet(first)
    const outcome = await set.ask(first, { algorithms: ['RS256'] })
    expect(reasonOf(outcome)).to.equal('jwt_algorithm_not_allowed')
    expect(set.fetched).to.equal(0)
  })
})

describe('a token verified by introspection', () => {
  const seen: Parameters<CheckIo['fetch']>[0][] = []
  const ask = (
    claims: JsonObject,
    parameters: JsonObject = {},
    { status = 200, nowMs = nowSeconds * 1000 }: { status?: number; nowMs?: number } = {},
  ) =>
    runCheck(jwt, {
      parameters: { introspectEndpoint: 'https://id.example/introspect', ...parameters },
      io: {
        header: 'Bearer opaque-token',
        now: () => nowMs,
        fetch(request) {
          seen.push(request)
          return Promise.resolve({ status, headers: {}, bytes: Buffer.from(JSON.stringify(claims)) })
        },
      },
    })
  beforeEach(() => {
    seen.length = 0
  })

  it('passes when it is active', async () => {
    expect((await ask({ active: true })).verdict).to.equal(true)
    expect(seen[0]).to.deep.include({
      method: 'POST',
      body: 'token=opaque-token&token_type_hint=access_token',
    })
    expect(seen[0]?.headers).to.deep.equal({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    })
  })

  it("is sent as JSON, with the gateway's credentials, when the parameters set that", async () => {
    await ask(
      { active: true },
      {
        introspectContentType: 'application/json',
        introspectClientId: 'gate way',
        introspectClientSecret: 's&p',
      },
    )
    expect(JSON.parse(String(seen[0]?.body))).to.deep.equal({
      token: 'opaque-token',
      token_type_hint: 'access_token',
    })
    const credentials = Buffer.from('gate+way:s%26p').toString('base64')
    expect(seen[0]?.headers?.authorization).to.equal(`Basic ${credentials}`)
  })

  const refusals: [string, JsonObject, JsonObject, string][] = [
    ['it is not active', { active: false }, {}, 'jwt_inactive'],
    ['it has expired', { active: true, exp: nowSeconds - 6 }, {}, 'jwt_expired'],
    ['it is not valid yet', { active: true, nbf: nowSeconds + 6 }, {}, 'jwt_not_yet_valid'],
    ['it is too old', { active: true, iat: nowSeconds - 90_000 }, {}, 'jwt_too_old'],
    ['it is for another audience', { active: true, aud: ['a'] }, { audience: 'b' }, 'jwt_claim_mismatch'],
    ['it has no audience', { active: true }, { audience: 'b' }, 'jwt_claim_missing'],
    ['it is of another issuer', { active: true, iss: 'a' }, { issuer: 'b' }, 'jwt_claim_mismatch'],
    ['it lacks a claim', { active: true }, { requiredClaims: ['sub'] }, 'jwt_claim_missing'],
    [
      'a claim is another',
      { active: true, scope: 'read' },
      { claimValues: { scope: { values: 'write' } } },
      'jwt_claim_mismatch',
    ],
    [
      'it has no header to compare',
      { active: true, tid: 't' },
      { headerPayloadMatch: ['tid'] },
      'jwt_claim_mismatch',
    ],
  ]
  for (const [name, claims, parameters, reason] of refusals)
    it(`is refused when ${name}`, async () => {
      const outcome = await ask(claims, parameters)
      expect([outcome.verdict, reasonOf(outcome)]).to.deep.equal([false, reason])
    })

  it('is introspected again after introspectCacheMaxAge, and refused when it expires', async () => {
    const prepared = prepareCheck(jwt, {
      introspectEndpoint: 'https://id.example/introspect',
      introspectCacheMaxAge: 60,
    })
    let seconds = nowSeconds
    let asked = 0
    const io = createTestIo({
      header: 'Bearer opaque-token',
      now: () => seconds * 1000,
      fetch() {
        asked += 1
        const claims = { active: true, exp: nowSeconds + 40 + asked * 60 }
        return Promise.resolve({ status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(claims)) })
      },
    })
    const judge = async () => (await prepared.run(createTestInput(jwt, {}), io)).verdict
    expect([await judge(), await judge(), asked]).to.deep.equal([true, true, 1])
    seconds += 61
    expect([await judge(), asked]).to.deep.equal([true, 2])
    seconds += 59
    expect([await judge(), asked]).to.deep.equal([true, 2])
  })

  it('is an error when the server returns no valid answer', async () => {
    const faults = await Promise.all([
      ask({ active: true }, {}, { status: 401 }).catch((error: Error) => error.message),
      ask({ ok: 'yes' }).catch((error: Error) => error.message),
    ])
    expect(faults[0]).to.contain('status 401')
    expect(faults[1]).to.contain('active')
  })
})

describe('a token through the gateway', () => {
  const packages = packageDirectory()
  const source = `
const schema = { type: 'object', additionalProperties: false, properties: { name: { type: 'string', description: 'x' } } }
const common = { title: 't', description: 'd', kind: 'guardrail', phases: ['before'], parameters: schema }
const prepare = () => ({ run: (_input, io) => ({ verdict: true, data: { header: io.header } }) })
export default {
  name: 'probe', title: 'Probe',
  checks: [{ ...common, id: 'named', headerParameter: 'name', prepare }, { ...common, id: 'plain', prepare }],
}`
  let upstream: Upstream
  let gateway: TestGateway
  const token = () => createToken(first, { sub: 'ada' }, { now: Math.floor(Date.now() / 1000) })

  before(async () => {
    upstream = await openUpstream((_request, response) => sendJson(response, 200, { keys: [first.jwk] }))
    gateway = await startGateway({
      plugins: { packages: [await packages.write({ name: 'probe', kind: 'guardrail', source })] },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const ask = async (check: object, headers: Record<string, string>, rest: object = {}) => {
    const config = { provider: 'echo', input_guardrails: [{ id: 'who', deny: true, ...rest, ...check }] }
    const response = await gateway.post('/v1/chat/completions', chat(), {
      ...configHeader(config),
      ...headers,
    })
    const body = (await response.json()) as {
      hook_results?: {
        before_request_hooks: { checks: { data: unknown; error: { name: string } | null }[] }[]
      }
    }
    const [check_] = body.hook_results?.before_request_hooks[0]?.checks ?? []
    return { status: response.status, data: check_?.data, error: check_?.error ?? null }
  }
  const rule = (parameters: object = {}) => ({
    jwt: { jwksUri: `${upstream.origin}/keys`, algorithms: ['ES256'], ...parameters },
  })

  it('lets the request pass when it is valid', async () => {
    const { status, data } = await ask(rule({ extractClaims: ['sub'] }), {
      authorization: `Bearer ${token()}`,
    })
    expect([status, data]).to.deep.equal([200, { claims: { 'x-jwt-sub': 'ada' } }])
  })

  it('is read from another header', async () => {
    const { status } = await ask(rule({ headerKey: 'X-Caller' }), { 'x-caller': token() })
    expect(status).to.equal(200)
  })

  it('denies the request when it is missing or invalid', async () => {
    expect(await ask(rule(), {})).to.deep.equal({ status: 446, data: { reason: 'jwt_missing' }, error: null })
    const { status, data } = await ask(rule(), { authorization: `Bearer ${createToken(createKey('first'))}` })
    expect([status, data]).to.deep.equal([446, { reason: 'jwt_signature_invalid' }])
  })

  it('appears in no log line', async () => {
    const written = token()
    await ask(rule(), { authorization: `Bearer ${written}` })
    expect(JSON.stringify(gateway.logs)).not.to.contain(written)
  })

  it('denies the request when its keys are unreachable and the hook has fail_closed', async () => {
    const unreachable = { jwt: { jwksUri: 'http://169.254.169.254/keys', algorithms: ['ES256'] } }
    const headers = { authorization: `Bearer ${token()}` }
    const closed = await ask(unreachable, headers, { fail_closed: true })
    expect([closed.status, closed.error?.name]).to.deep.equal([446, 'host_not_allowed'])
  })

  const named = (name: string) => ({ 'probe.named': { name } })
  const headers = { authorization: 'Bearer theirs', 'x-caller': 'theirs', cookie: 'a=b' }
  const handed: [string, object, Record<string, string>, string | null][] = [
    ['the header that a parameter names', named('Authorization'), headers, 'Bearer theirs'],
    ['any header, in any case', named('X-Caller'), headers, 'theirs'],
    ['nothing without such a parameter', { 'probe.plain': { name: 'authorization' } }, headers, null],
    ['nothing that is absent', named('x-other'), headers, null],
    ['nothing that every object has', named('constructor'), headers, null],
    ['no cookie', named('cookie'), headers, null],
    ['no header of the gateway', named('x-gateway-api-key'), headers, null],
    ['no header with the gateway key', named('x-caller'), { 'x-caller': `key ${adminKey}` }, null],
  ]
  for (const [name, check, sent, expected] of handed)
    it(`is read from one header: ${name}`, async () => {
      expect((await ask(check, sent)).data).to.deep.equal({ header: expected })
    })
})
