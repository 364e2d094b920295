/**
 * Google Cloud credentials: service accounts, unchanged keys, and data that is never sent or shown. Source:
 * https://developers.google.com/identity/protocols/oauth2/service-account
 */
import {
  isGatewayError,
  isUpstreamFault,
  type JsonObject,
  type ProviderFetchAnswer,
  type ProviderSettings,
  type UpstreamRequest,
} from '@gateway/contract'
import { googleAuth } from '@gateway/provider-kit'
import { expect } from 'chai'
import { jwtVerify } from 'jose'
import { turnUntil } from '../support/clock.ts'
import { createIo, nowMs } from './fixtures/context.ts'
import { privateKey, publicKey, serviceAccount } from './fixtures/service-account.ts'

const request: UpstreamRequest = { method: 'POST', url: 'https://api.example/v1', headers: {}, body: '{}' }
const withAccount = (rest: JsonObject = {}): ProviderSettings => ({
  provider: 'vertex-ai',
  cloudC_service_account_json: serviceAccount(rest),
})

const answer = (body: unknown, status = 200): Partial<ProviderFetchAnswer> => ({
  status,
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const token = (value: string, expires_in = 3600) => answer({ access_token: value, expires_in })

async function thrownBy(work: unknown): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}

describe('Google service accounts', () => {
  it('sign a token request and send the token as a bearer token', async () => {
    const io = createIo(() => token('ya29.a'))
    const sent = await googleAuth()(request, withAccount(), io)
    expect(sent.headers).to.deep.equal({ authorization: 'Bearer ya29.a' })
    const [asked] = io.fetched
    expect(asked).to.include({ method: 'POST', url: 'https://oauth2.googleapis.com/token' })
    const form = new URLSearchParams(String(asked?.body))
    expect(form.get('grant_type')).to.equal('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      currentDate: new Date(nowMs),
    })
    expect(protectedHeader).to.deep.equal({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
    expect(payload).to.deep.equal({
      iss: 'robot@sa-project.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://oauth2.googleapis.com/token',
      iat: 1_700_000_000,
      exp: 1_700_003_600,
    })
  })

  it('request one token for concurrent calls, and another shortly before it expires', async () => {
    let now = nowMs
    let count = 0
    const io = createIo(
      () => token(`t${++count}`),
      () => now,
    )
    const auth = googleAuth()
    const ask = async () => (await auth(request, withAccount(), io)).headers.authorization
    expect(await Promise.all([ask(), ask(), ask()])).to.deep.equal(['Bearer t1', 'Bearer t1', 'Bearer t1'])
    now += 3_000_000
    expect(await ask()).to.equal('Bearer t1')
    now += 400_000
    await ask()
    await turnUntil(() => count === 2, 'the renewal')
    await new Promise(setImmediate)
    now += 300_000
    expect(await ask()).to.equal('Bearer t2')
  })

  it('of different keys have different tokens', async () => {
    let count = 0
    const io = createIo(() => token(`t${++count}`))
    const auth = googleAuth()
    await auth(request, withAccount(), io)
    const other = await auth(request, withAccount({ client_email: 'other@x' }), io)
    expect(other.headers.authorization).to.equal('Bearer t2')
  })

  it('accept keys with escaped line breaks, which override an api_key', async () => {
    const settings = {
      ...withAccount({ private_key: privateKey.replaceAll('\n', '\\n') }),
      api_key: 'other',
    }
    const sent = await googleAuth()(
      request,
      settings,
      createIo(() => token('t')),
    )
    expect(sent.headers.authorization).to.equal('Bearer t')
  })

  it('are read from the configurations of a stored credential', async () => {
    const configurations = {
      vertex_auth_type: 'serviceAccount',
      vertex_service_account_json: serviceAccount(),
    }
    const settings = { provider: 'vertex-ai', configurations }
    const sent = await googleAuth()(
      request,
      settings,
      createIo(() => token('t')),
    )
    expect(sent.headers.authorization).to.equal('Bearer t')
  })

  it('can use a token service on a trusted host', async () => {
    const io = { ...createIo(() => token('t')), isTrusted: (url: string) => url.includes('127.0.0.1') }
    const settings = withAccount({ token_uri: 'http://127.0.0.1:9/token' })
    expect((await googleAuth()(request, settings, io)).headers.authorization).to.equal('Bearer t')
  })

  const addresses = [
    'https://tokens.example/token',
    'http://oauth2.googleapis.com/token',
    'https://oauth2.googleapis.com:8443/token',
    'https://oauth2.googleapis.com.evil.example/token',
    'https://oauth2.googleapis.com@evil.example/token',
  ]
  for (const token_uri of addresses) {
    it(`never send an assertion to ${token_uri}`, async () => {
      const io = createIo(() => token('t'))
      const error = await thrownBy(googleAuth()(request, withAccount({ token_uri }), io))
      expect(isGatewayError(error) && error.code).to.equal('host_not_allowed')
      expect(io.fetched).to.deep.equal([])
    })
  }

  const broken: [string, JsonObject][] = [
    ['an invalid key', { private_key: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----' }],
    ['no key', { private_key: 1 }],
    ['no e-mail', { client_email: null }],
    ['an invalid address', { token_uri: 'nowhere' }],
  ]
  for (const [what, rest] of broken) {
    it(`cannot be used with ${what}, which no message repeats`, async () => {
      const error = await thrownBy(googleAuth()(request, withAccount(rest), createIo()))
      if (!isGatewayError(error)) throw error
      expect(error.code).to.equal('invalid_config')
      expect(error.message).to.not.include('c2VjcmV0')
    })
  }

  for (const status of [400, 401, 403]) {
    it(`cause the provider's 401 when they are refused with ${status}`, async () => {
      const io = createIo(() => answer({ error: 'invalid_grant', error_description: 'secret' }, status))
      const error = await thrownBy(googleAuth()(request, withAccount(), io))
      if (!isUpstreamFault(error)) throw error
      expect(error.upstream).to.deep.equal({
        status: 401,
        message: "The provider's token service refused the credential (invalid_grant).",
        type: 'authentication_error',
        param: null,
        code: 'upstream_error',
      })
    })
  }

  const unusable: [string, Partial<ProviderFetchAnswer>][] = [
    ['fails', answer('', 503)],
    ['gives no JSON', answer('<html>')],
    ['gives no token', answer({ expires_in: 1 })],
  ]
  for (const [what, given] of unusable) {
    it(`cause dependency_unavailable when the token service ${what}`, async () => {
      const error = await thrownBy(
        googleAuth()(
          request,
          withAccount(),
          createIo(() => given),
        ),
      )
      expect(isGatewayError(error) && error.code).to.equal('dependency_unavailable')
    })
  }

  it('request a token again for a caller who waited with one that disconnected', async () => {
    const auth = googleAuth()
    const leaver = new AbortController()
    const leaving = {
      ...createIo(
        () =>
          new Promise((_, reject) =>
            leaver.signal.addEventListener('abort', () => reject(leaver.signal.reason)),
          ),
      ),
      signal: leaver.signal,
    }
    const first = thrownBy(auth(request, withAccount(), leaving))
    const second = auth(
      request,
      withAccount(),
      createIo(() => token('mine')),
    )
    await turnUntil(() => leaving.fetched.length === 1, 'the first request for a token')
    leaver.abort(new Error('left'))
    expect(await first).to.equal(leaver.signal.reason)
    expect((await second).headers.authorization).to.equal('Bearer mine')
  })
})

describe('Google credentials without a service account', () => {
  const cases: [string, ProviderSettings, string | undefined][] = [
    ['api_key as a bearer token', { provider: 'vertex-ai', api_key: 'ya29.key' }, 'Bearer ya29.key'],
    ['nothing for api_key: none', { provider: 'vertex-ai', api_key: 'none' }, undefined],
    ['nothing for a project and a region', { provider: 'vertex-ai', cloudC_project_id: 'p' }, undefined],
  ]
  for (const [what, settings, authorization] of cases) {
    it(`send ${what}`, async () => {
      const sent = await googleAuth()(request, settings, createIo())
      expect(sent.headers.authorization).to.equal(authorization)
    })
  }
})
