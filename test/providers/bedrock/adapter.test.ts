/**
 * The adapter: its addresses, its models, and the members of a stored credential. Source:
 * https://docs.aws.amazon.com/general/latest/gr/bedrock.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html
 */
import type { JsonObject, ProcedureContext, ProviderFetch, ProviderSettings } from '@gateway/contract'
import type adapter from '@gateway/provider-bedrock'
import { bedrock } from '@gateway/provider-bedrock'
import { readAwsEnvironment } from '@gateway/provider-kit'
import { expect } from 'chai'
import { startGateway } from '../../support/gateway.ts'
import { createContext, createIo } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

const inRegion = bedrock(readAwsEnvironment({ AWS_REGION: 'ap-northeast-1' }))
const nowhere = bedrock(readAwsEnvironment({}))

function baseUrlOf(made: typeof adapter, settings: Omit<ProviderSettings, 'provider'>): string {
  if (typeof made.baseUrl !== 'function') throw new Error('The adapter has one address only.')
  return made.baseUrl({ provider: 'bedrock', ...settings })
}

/** Runs a procedure with the test's answers, and records its requests. */
async function run(
  endpoint: 'rerank' | 'listModels',
  body: JsonObject,
  answers: (url: string) => [number, JsonObject],
) {
  const declared = nowhere.endpoints[endpoint]
  if (declared?.kind !== 'procedure') throw new Error(`${endpoint} is no procedure.`)
  const io = createIo(({ url }: ProviderFetch) => {
    const [status, answer] = answers(url)
    return { status, bytes: Buffer.from(JSON.stringify(answer)) }
  })
  const context: ProcedureContext = {
    ...createContext({
      endpoint,
      request: body,
      settings: { provider: 'bedrock', cloudA_region: 'us-west-2' },
    }),
    ...io,
    baseUrl: 'https://bedrock-runtime.us-west-2.amazonaws.com',
    authorize: async (request) => request,
  }
  const answer = await declared.run(body, context)
  return { answer, urls: io.fetched.map(({ method, url }) => `${method} ${url}`) }
}

describe('the Bedrock adapter', () => {
  const addresses: [string, typeof adapter, Omit<ProviderSettings, 'provider'>, string][] = [
    [
      'the config',
      inRegion,
      { cloudA_region: 'us-gov-west-1' },
      'https://bedrock-runtime.us-gov-west-1.amazonaws.com',
    ],
    [
      'the stored credential',
      inRegion,
      { configurations: { aws_region: 'eu-west-3' } },
      'https://bedrock-runtime.eu-west-3.amazonaws.com',
    ],
    ['the environment', inRegion, {}, 'https://bedrock-runtime.ap-northeast-1.amazonaws.com'],
    ['nothing', nowhere, {}, 'https://bedrock-runtime.us-east-1.amazonaws.com'],
    [
      'a separate partition',
      nowhere,
      { cloudA_region: 'cn-north-1' },
      'https://bedrock-runtime.cn-north-1.amazonaws.com.cn',
    ],
  ]
  for (const [what, made, settings, url] of addresses) {
    it(`uses the region in ${what}`, () => {
      expect(baseUrlOf(made, settings)).to.equal(url)
    })
  }

  for (const region of ['evil.example/#', 'us-east-1.evil.example', 'US-EAST-1', 'localhost', '127.0.0.1']) {
    it(`has no address for the region ${region}`, () => {
      expect(gatewayErrorOf(() => baseUrlOf(nowhere, { cloudA_region: region }))).to.include({
        code: 'invalid_config',
        param: 'cloudA_region',
      })
    })
  }

  it('reranks with the agent runtime service', async () => {
    const { urls } = await run('rerank', { model: 'm', query: 'q', documents: ['a'] }, () => [
      200,
      { results: [] },
    ])
    expect(urls).to.deep.equal(['POST https://bedrock-agent-runtime.us-west-2.amazonaws.com/rerank'])
  })

  const models = {
    modelSummaries: [{ modelId: 'amazon.nova-pro-v1:0', modelName: 'Nova Pro', providerName: 'Amazon' }],
  }
  const profiles = {
    inferenceProfileSummaries: [{ inferenceProfileId: 'us.x.y', inferenceProfileName: 'US Y' }],
  }
  const listed = { id: 'amazon.nova-pro-v1:0', object: 'model', name: 'Nova Pro', owned_by: 'Amazon' }

  it('lists the models and the inference profiles of the region', async () => {
    const { answer, urls } = await run('listModels', {}, (url) => [
      200,
      url.includes('profiles') ? profiles : models,
    ])
    expect(answer.body?.data).to.deep.equal([
      listed,
      { id: 'us.x.y', object: 'model', name: 'US Y', owned_by: 'bedrock' },
    ])
    expect(urls).to.deep.equal([
      'GET https://bedrock.us-west-2.amazonaws.com/foundation-models',
      'GET https://bedrock.us-west-2.amazonaws.com/inference-profiles?maxResults=1000',
    ])
  })

  it('lists only the models when listing profiles is not allowed', async () => {
    const { answer } = await run('listModels', {}, (url) =>
      url.includes('profiles') ? [403, { message: 'No.' }] : [200, models],
    )
    expect(answer.body?.data).to.deep.equal([listed])
  })

  const role = { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::1:role/r', aws_external_id: 'x' }
  const credentials: [string, JsonObject, string | null][] = [
    ['a role', { ...role, aws_region: 'us-east-1' }, null],
    ['the gateway’s own identity', { aws_auth_type: 'serviceRole', aws_region: 'us-east-1' }, null],
    ['no kind', { aws_region: 'us-east-1' }, 'aws_auth_type'],
    ['another kind', { aws_auth_type: 'root', aws_region: 'us-east-1' }, 'aws_auth_type'],
    ['no region', role, 'aws_region'],
    [
      'half a key',
      { aws_auth_type: 'accessKey', aws_access_key_id: 'a', aws_region: 'us-east-1' },
      'aws_secret_access_key',
    ],
    ['a role without a name', { aws_auth_type: 'assumedRole', aws_region: 'us-east-1' }, 'aws_role_arn'],
    ['an unknown member', { ...role, aws_region: 'us-east-1', aws_profile: 'x' }, 'configurations'],
  ]
  for (const [what, configurations, wrong] of credentials) {
    it(`${wrong === null ? 'accepts' : 'refuses'} a stored credential with ${what}`, async () => {
      let fault = ''
      try {
        const gateway = await startGateway({ providers: { cloud: { provider: 'bedrock', configurations } } })
        await gateway.stop()
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error)
      }
      if (wrong === null) expect(fault).to.equal('')
      else expect(fault).to.include(wrong)
    })
  }
})
