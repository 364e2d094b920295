/**
 * The process's own Google identity, which only a stored credential can use.
 * Source: https://docs.cloud.google.com/docs/authentication/application-default-credentials,
 * https://google.aip.dev/auth/4117
 */
import {
  isGatewayError,
  type JsonObject,
  type ProviderFetch,
  type ProviderFetchAnswer,
  type ProviderSettings,
  type UpstreamRequest,
} from '@gateway/contract'
import { googleAuth } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createIo, nowMs } from './fixtures/context.ts'
import { serviceAccount } from './fixtures/service-account.ts'

const request: UpstreamRequest = { method: 'POST', url: 'https://api.example/v1', headers: {}, body: '{}' }
const stored = (vertex_auth_type: string): ProviderSettings => ({
  provider: 'vertex-ai',
  configurations: { vertex_auth_type, vertex_region: 'us-central1', vertex_project_id: 'p' },
})

const json = (body: unknown): Partial<ProviderFetchAnswer> => ({ bytes: Buffer.from(JSON.stringify(body)) })
const external = (rest: JsonObject = {}): JsonObject => ({
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: { file: '/token' },
  ...rest,
})

interface Run {
  authorization: string | undefined
  fetched: ProviderFetch[]
}

/** One call with these files; CREDENTIALS is the one that the environment names. */
async function run(
  files: Record<string, unknown>,
  answers: Record<string, unknown>,
  settings = stored('workload'),
): Promise<Run> {
  const environment = files.CREDENTIALS === undefined ? {} : { GOOGLE_APPLICATION_CREDENTIALS: 'CREDENTIALS' }
  const auth = googleAuth({
    environment,
    async readFile(path) {
      const text = files[path]
      if (text === undefined) throw new Error(`no ${path}`)
      return typeof text === 'string' ? text : JSON.stringify(text)
    },
  })
  const io = createIo(({ url }) => json(answers[new URL(url).host]))
  const sent = await auth(request, settings, io)
  return { authorization: sent.headers.authorization, fetched: io.fetched }
}

async function codeOf(files: Record<string, unknown>): Promise<[string, string]> {
  try {
    await run(files, {})
  } catch (error) {
    if (isGatewayError(error)) return [error.code, error.message]
    throw error
  }
  throw new Error('Nothing was thrown.')
}

const metadata = { 'metadata.google.internal': { access_token: 'machine', expires_in: 3600 } }
const sts = { 'sts.googleapis.com': { access_token: 'federated', expires_in: 3600 } }

describe("the process's own Google identity", () => {
  for (const type of ['basic', 'workload']) {
    it(`is requested from the metadata server for ${type}, without the host guard`, async () => {
      const { authorization, fetched } = await run({}, metadata, stored(type))
      expect(authorization).to.equal('Bearer machine')
      expect(fetched).to.have.length(1)
      expect(fetched[0]).to.deep.include({ isAmbient: true, headers: { 'metadata-flavor': 'Google' } })
      expect(fetched[0]?.url).to.match(/^http:\/\/metadata\.google\.internal\/computeMetadata\/v1\//)
    })
  }

  it('can be a service account in a file', async () => {
    const answers = { 'oauth2.googleapis.com': { access_token: 'file', expires_in: 3600 } }
    expect((await run({ CREDENTIALS: serviceAccount() }, answers)).authorization).to.equal('Bearer file')
  })

  it('can be an exchanged token of another issuer from a file', async () => {
    const { authorization, fetched } = await run({ CREDENTIALS: external(), '/token': 'subject\n' }, sts)
    expect(authorization).to.equal('Bearer federated')
    expect(Object.fromEntries(new URLSearchParams(String(fetched[0]?.body)))).to.deep.equal({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: external().audience,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      subject_token: 'subject',
    })
  })

  it('can be an exchanged token of another issuer from a URL, as JSON', async () => {
    const credential_source = {
      url: 'http://169.254.169.254/token',
      headers: { Metadata: 'True' },
      format: { type: 'json', subject_token_field_name: 'access_token' },
    }
    const answers = { ...sts, '169.254.169.254': { access_token: 'subject' } }
    const { fetched } = await run({ CREDENTIALS: external({ credential_source }) }, answers)
    expect(fetched[0]).to.deep.include({ isAmbient: true, headers: { Metadata: 'True' } })
    expect(new URLSearchParams(String(fetched[1]?.body)).get('subject_token')).to.equal('subject')
  })

  it('can impersonate a service account', async () => {
    const url = 'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b:generateAccessToken'
    const expireTime = new Date(nowMs + 3_600_000).toISOString()
    const answers = { ...sts, 'iamcredentials.googleapis.com': { accessToken: 'acting', expireTime } }
    const files = { CREDENTIALS: external({ service_account_impersonation_url: url }), '/token': 'subject' }
    const { authorization, fetched } = await run(files, answers)
    expect(authorization).to.equal('Bearer acting')
    expect(fetched[1]).to.deep.include({ url })
    expect(fetched[1]?.headers).to.deep.include({ authorization: 'Bearer federated' })
  })

  const broken: [string, Record<string, unknown>, string][] = [
    ['a file that is not JSON', { CREDENTIALS: 'secret' }, 'invalid_config'],
    ['credentials of a person', { CREDENTIALS: { type: 'authorized_user' } }, 'invalid_config'],
    [
      'a token service elsewhere',
      { CREDENTIALS: external({ token_url: 'https://x.example/' }), '/token': 's' },
      'host_not_allowed',
    ],
    ['a missing token file', { CREDENTIALS: external() }, 'dependency_unavailable'],
    ['an executable', { CREDENTIALS: external({ credential_source: { executable: {} } }) }, 'invalid_config'],
    ['no source', { CREDENTIALS: external({ credential_source: null }) }, 'invalid_config'],
  ]
  for (const [what, files, code] of broken) {
    it(`cannot be used with ${what}`, async () => {
      const [found, message] = await codeOf(files)
      expect(found).to.equal(code)
      expect(message).to.not.match(/secret|\/token|CREDENTIALS/)
    })
  }

  it('is used only by stored credentials that name it', async () => {
    const settings = { provider: 'vertex-ai', cloudC_project_id: 'p', cloudC_region: 'us-central1' }
    expect(await run({}, metadata, settings)).to.deep.equal({ authorization: undefined, fetched: [] })
  })
})
