/**
 * Access tokens of Microsoft Entra ID: the requests to each service, the lifetime of a token, refusals. Sources:
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow,
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token,
 * https://learn.microsoft.com/azure/app-service/overview-managed-identity,
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_GetWebIdentityToken.html
 */
import type { ProviderFetch, ProviderFetchAnswer } from '@gateway/contract'
import { type AzureIdentity, createEntra, type EntraOptions } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createIo, nowMs } from '../fixtures/context.ts'

const scope = 'https://cognitiveservices.azure.com/.default'
const client: AzureIdentity = {
  kind: 'client',
  tenantId: 'tenant-1',
  clientId: 'client-1',
  clientSecret: 's3cret~value',
}

const answerOf = (body: unknown, status = 200): Partial<ProviderFetchAnswer> => ({
  status,
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const token = (value: string, expires_in: number | string = 3600) =>
  answerOf({ token_type: 'Bearer', expires_in, access_token: value })

/** The one request that a token takes. */
async function requestOf(identity: AzureIdentity, options: EntraOptions = {}): Promise<ProviderFetch> {
  const io = createIo(() => token('t'))
  await createEntra({ environment: {}, ...options }).token(identity, scope, io)
  expect(io.fetched).to.have.length(1)
  return io.fetched[0] as ProviderFetch
}

const fieldsOf = ({ body }: ProviderFetch) => Object.fromEntries(new URLSearchParams(String(body)))

describe('Entra tokens', () => {
  it('are requested with a client secret', async () => {
    const request = await requestOf(client)
    expect(request).to.include({
      method: 'POST',
      url: 'https://login.microsoftonline.com/tenant-1/oauth2/v2.0/token',
      isAmbient: true,
    })
    expect(fieldsOf(request)).to.deep.equal({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_secret: 's3cret~value',
      scope,
    })
  })

  it('are requested from the authority in the environment, which a tenant cannot change', async () => {
    const environment = { AZURE_AUTHORITY_HOST: 'https://login.microsoftonline.us/' }
    const { url } = await requestOf({ ...client, tenantId: '../evil?x=#' }, { environment })
    expect(url).to.equal('https://login.microsoftonline.us/..%2Fevil%3Fx%3D%23/oauth2/v2.0/token')
  })

  const workload = {
    AZURE_TENANT_ID: 'tenant-2',
    AZURE_CLIENT_ID: 'client-2',
    AZURE_FEDERATED_TOKEN_FILE: '/var/run/token',
  }
  it('are requested with the workload identity token in the environment', async () => {
    const paths: string[] = []
    const readText = async (path: string) => {
      paths.push(path)
      return 'signed.by.cluster\n'
    }
    const identity: AzureIdentity = { kind: 'workload', tenantId: null, clientId: null }
    const request = await requestOf(identity, { environment: workload, readText })
    expect(paths).to.deep.equal(['/var/run/token'])
    expect(request.url).to.equal('https://login.microsoftonline.com/tenant-2/oauth2/v2.0/token')
    expect(fieldsOf(request)).to.deep.equal({
      grant_type: 'client_credentials',
      client_id: 'client-2',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: 'signed.by.cluster',
      scope,
    })
  })

  it('prefer client and tenant in the stored credential to those of the workload', async () => {
    const identity: AzureIdentity = { kind: 'workload', tenantId: 'own', clientId: 'mine' }
    const request = await requestOf(identity, { environment: workload, readText: async () => 'x' })
    expect(request.url).to.contain('/own/')
    expect(fieldsOf(request).client_id).to.equal('mine')
  })

  it('are requested from the machine for its managed identity', async () => {
    const request = await requestOf({ kind: 'managed', clientId: 'user-assigned' })
    const url = new URL(request.url)
    expect(url.origin + url.pathname).to.equal('http://169.254.169.254/metadata/identity/oauth2/token')
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      'api-version': '2018-02-01',
      resource: 'https://cognitiveservices.azure.com',
      client_id: 'user-assigned',
    })
    expect(request).to.deep.include({ method: 'GET', headers: { metadata: 'true' }, isAmbient: true })
  })

  it('are requested from the app service in the environment', async () => {
    const environment = { IDENTITY_ENDPOINT: 'http://127.0.0.1:41741/msi/token', IDENTITY_HEADER: 'hush' }
    const request = await requestOf({ kind: 'managed', clientId: null }, { environment })
    const url = new URL(request.url)
    expect(url.origin + url.pathname).to.equal('http://127.0.0.1:41741/msi/token')
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      'api-version': '2019-08-01',
      resource: 'https://cognitiveservices.azure.com',
    })
    expect(request.headers).to.deep.equal({ 'x-identity-header': 'hush' })
  })

  const aws = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'aws-secret', AWS_REGION: 'eu-west-1' }
  const federated: AzureIdentity = { kind: 'federated', tenantId: 'tenant-3', clientId: 'client-3' }
  const assertions: [string, string][] = [
    ['JSON', '{"GetWebIdentityTokenResponse":{"GetWebIdentityTokenResult":{"WebIdentityToken":"a.b.c"}}}'],
    [
      'XML',
      '<R><GetWebIdentityTokenResult><WebIdentityToken>a.b.c</WebIdentityToken></GetWebIdentityTokenResult></R>',
    ],
  ]
  for (const [form, text] of assertions) {
    it(`are requested with the machine's AWS identity, sent as ${form}`, async () => {
      const io = createIo(({ url }) => (url.includes('amazonaws') ? answerOf(text) : token('t')))
      expect(await createEntra({ environment: aws }).token(federated, scope, io)).to.equal('t')
      const [sts, entra] = io.fetched as [ProviderFetch, ProviderFetch]
      expect(sts.url).to.equal('https://sts.eu-west-1.amazonaws.com/')
      expect(sts.headers?.authorization).to.match(
        /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/sts\/aws4_request/,
      )
      expect(fieldsOf(sts)).to.deep.equal({
        Action: 'GetWebIdentityToken',
        'Audience.member.1': 'api://AzureADTokenExchange',
        SigningAlgorithm: 'RS256',
        Version: '2011-06-15',
      })
      expect(fieldsOf(entra)).to.include({ client_id: 'client-3', client_assertion: 'a.b.c' })
    })
  }

  it('are cached until shortly before they expire, then renewed', async () => {
    let now = nowMs
    let count = 0
    const io = createIo(
      () => token(`t${++count}`, 3600),
      () => now,
    )
    const entra = createEntra({ environment: {} })
    expect(await entra.token(client, scope, io)).to.equal('t1')
    now += 3000 * 1000
    expect(await entra.token(client, scope, io)).to.equal('t1')
    // Within five minutes of its end the old one still serves while the new one is fetched.
    now += 400 * 1000
    expect(await entra.token(client, scope, io)).to.equal('t1')
    now += 1000
    await new Promise((resolve) => setImmediate(resolve))
    expect(await entra.token(client, scope, io)).to.equal('t2')
    expect(io.fetched).to.have.length(2)
  })

  const ends: [string, Record<string, unknown>][] = [
    ['expires_in as text', { expires_in: '86399' }],
    ['expires_on in seconds, as text', { expires_on: String(nowMs / 1000 + 86_399) }],
  ]
  for (const [what, members] of ends) {
    it(`have their expiry in ${what}`, async () => {
      let now = nowMs
      const io = createIo(
        () => answerOf({ access_token: 'long', ...members }),
        () => now,
      )
      const entra = createEntra({ environment: {} })
      await entra.token(client, scope, io)
      now += 86_000_000
      await entra.token(client, scope, io)
      expect(io.fetched).to.have.length(1)
    })
  }

  it('are requested once for concurrent callers, separately for each scope and client', async () => {
    const io = createIo(() => token('t'))
    const entra = createEntra({ environment: {} })
    await Promise.all([1, 2, 3].map(() => entra.token(client, scope, io)))
    expect(io.fetched).to.have.length(1)
    await entra.token(client, 'https://ml.azure.com/.default', io)
    await entra.token({ ...client, clientSecret: 'rotated' }, scope, io)
    expect(io.fetched).to.have.length(3)
  })

  it('are requested again for callers who waited with one that disconnected', async () => {
    const leaving = createIo(() => {
      throw new DOMException('The client disconnected.', 'AbortError')
    })
    const staying = createIo(() => token('t'))
    const entra = createEntra({ environment: {} })
    const [left, stayed] = await Promise.allSettled([
      entra.token(client, scope, leaving),
      entra.token(client, scope, staying),
    ])
    expect(left.status).to.equal('rejected')
    expect(stayed).to.deep.equal({ status: 'fulfilled', value: 't' })
    expect(leaving.fetched).to.have.length(1)
  })

  const refusals: [string, number, unknown, string][] = [
    [
      'a wrong secret',
      401,
      { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret s3cret~value.' },
      '(invalid_client, AADSTS7000215)',
    ],
    [
      'an unknown tenant',
      400,
      { error: 'invalid_request', error_description: 'AADSTS90002: no' },
      'AADSTS90002',
    ],
    ['no reason', 403, 'Forbidden: s3cret~value', 'refused the credential.'],
  ]
  for (const [what, status, body, message] of refusals) {
    it(`cause the provider's 401 with ${what}, without a secret in it`, async () => {
      const io = createIo(() => answerOf(body, status))
      const error = await createEntra({ environment: {} })
        .token(client, scope, io)
        .then(
          () => null,
          (fault: unknown) => fault,
        )
      expect(error).to.have.nested.property('upstream.status', 401)
      expect(error).to.have.property('message').that.includes(message).and.not.includes('s3cret')
      expect(io.fetched).to.have.length(1)
    })
  }

  const outages: [string, number, unknown][] = [
    ['an outage', 503, { error: 'temporarily_unavailable' }],
    ['too many questions', 429, {}],
    ['an answer without a token', 200, { token_type: 'Bearer' }],
    ['an answer that is not JSON', 200, '<html>'],
  ]
  for (const [what, status, body] of outages) {
    it(`are unavailable with ${what}, and requested again by the next call`, async () => {
      const answers = [answerOf(body, status), token('t')]
      const io = createIo(() => answers.shift() ?? {})
      const entra = createEntra({ environment: {} })
      const error = await entra.token(client, scope, io).then(
        () => null,
        (fault: unknown) => fault,
      )
      expect(error).to.have.property('code', 'dependency_unavailable')
      expect(await entra.token(client, scope, io)).to.equal('t')
    })
  }

  it('are unavailable for a workload identity on a machine without one', async () => {
    const identity: AzureIdentity = { kind: 'workload', tenantId: null, clientId: null }
    const io = createIo()
    const error = await createEntra({ environment: {} })
      .token(identity, scope, io)
      .then(
        () => null,
        (fault: unknown) => fault,
      )
    expect(error).to.have.property('code', 'dependency_unavailable')
    expect(io.fetched).to.have.length(0)
  })
})
