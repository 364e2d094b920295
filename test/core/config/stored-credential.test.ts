/** Converts a stored credential to the settings of a call, and reports its faults. */
import { fileURLToPath } from 'node:url'
import type { JsonObject, ProviderSettings } from '@gateway/contract'
import { expect } from 'chai'
import { checkCredential, type GivenCredential } from '#config/check-credential'
import { credentialOf, headersOf, type OpenedCredential } from '#config/stored-credential'
import { discover } from '#core/discovery/discover'

/** This file is `test/dist/core/config/stored-credential.test.js`. */
const root = fileURLToPath(new URL('../../../../', import.meta.url))

const integration = (ai_provider_id: string, configurations: JsonObject = {}) => ({
  data: { ai_provider_id, configurations },
})

describe('the settings of a stored credential', () => {
  const cases: [
    string,
    ReturnType<typeof integration>,
    OpenedCredential,
    [string, string | JsonObject][],
    ProviderSettings,
  ][] = [
    ['a key', integration('openai'), { key: 'k' }, [], { provider: 'openai', api_key: 'k' }],
    [
      'what every provider knows',
      integration('openai', { custom_host: 'https://h/v1', compat_organization: 'o', compat_project: 'p' }),
      { key: 'k' },
      [],
      {
        provider: 'openai',
        api_key: 'k',
        custom_host: 'https://h/v1',
        compat_organization: 'o',
        compat_project: 'p',
      },
    ],
    [
      'its own members, the sealed ones among them',
      integration('bedrock', { aws_auth_type: 'accessKey', aws_region: 'us-east-1' }),
      { configurations: { aws_access_key_id: 'a', aws_secret_access_key: 's' } },
      [],
      {
        provider: 'bedrock',
        configurations: {
          aws_auth_type: 'accessKey',
          aws_region: 'us-east-1',
          aws_access_key_id: 'a',
          aws_secret_access_key: 's',
        },
      },
    ],
    [
      'values of a secret manager before stored ones',
      integration('vertex-ai', { vertex_region: 'r' }),
      { key: 'old', configurations: { vertex_service_account_json: { private_key: 'old' } } },
      [
        ['key', 'new'],
        ['configurations.vertex_service_account_json', { private_key: 'new' }],
        ['model_config.vertex_project_id', 'p'],
      ],
      {
        provider: 'vertex-ai',
        api_key: 'new',
        configurations: {
          vertex_region: 'r',
          vertex_service_account_json: { private_key: 'new' },
          vertex_project_id: 'p',
        },
      },
    ],
    [
      'no headers',
      integration('openai', { custom_headers: { a: 'b' }, forward_headers: ['c'] }),
      {},
      [],
      { provider: 'openai' },
    ],
  ]
  for (const [what, stored, opened, mapped, settings] of cases) {
    it(`contain ${what}`, () => {
      expect(credentialOf(stored, opened, new Map(mapped))).to.deep.equal(settings)
    })
  }

  it('include custom headers, in lower case', () => {
    const stored = integration('openai', { forward_headers: ['X-Team'] })
    expect(headersOf(stored, { configurations: { custom_headers: { 'X-Api-Token': 't' } } })).to.deep.equal({
      headers: { 'x-api-token': 't' },
      forwardHeaders: ['x-team'],
    })
  })
})

describe('the errors of a stored credential', () => {
  let check: (provider: string, given: GivenCredential) => string[]
  before(async () => {
    const { registry } = await discover({ packages: [], disabled: [], directory: root })
    const context = {
      registry,
      headerPrefixes: ['x-gateway-'],
      checkUrl: (url: string) => (url.includes('private') ? 'is private' : null),
      isTrusted: () => false,
    }
    check = (name, given) =>
      checkCredential(context, name, given).map(({ param, code }) => `${code}@${param}`)
  })

  const cases: [string, string, Partial<GivenCredential>, string[]][] = [
    ['a key', 'openai', { key: 'k' }, []],
    ['a key that is kept', 'openai', { mapped: ['key'] }, []],
    ['its own host without a key', 'openai', { configurations: { custom_host: 'https://h' } }, []],
    ['nothing', 'openai', {}, ['invalid_body@/key']],
    ['nothing for one that needs nothing', 'echo', {}, []],
    ['no host for one that has none', 'vllm', {}, ['invalid_body@/configurations/custom_host']],
    ['an unknown provider', 'nobody', {}, ['unknown_provider@/ai_provider_id']],
    [
      'several things at once',
      'openai',
      { configurations: { nothing: 1, custom_headers: { 'bad name': 'x' } } },
      [
        'invalid_body@/configurations/nothing',
        'invalid_body@/key',
        'invalid_body@/configurations/custom_headers/bad name',
      ],
    ],
    [
      'a private host',
      'openai',
      { key: 'k', configurations: { custom_host: 'http://private' } },
      ['host_not_allowed@/configurations/custom_host'],
    ],
    [
      'a private address of a provider’s own',
      'azure-ai',
      { key: 'k', configurations: { azure_auth_mode: 'default', azure_foundry_url: 'http://private' } },
      ['host_not_allowed@/configurations/azure_foundry_url'],
    ],
    [
      'half of an access key, the other half kept',
      'bedrock',
      {
        configurations: { aws_auth_type: 'accessKey', aws_region: 'us-east-1', aws_access_key_id: 'a' },
        mapped: ['configurations.aws_secret_access_key'],
      },
      [],
    ],
    [
      'a service’s key that is missing',
      'bedrock',
      { configurations: { aws_auth_type: 'apiKey', aws_region: 'us-east-1' } },
      ['invalid_body@/key'],
    ],
    [
      'a role without a key',
      'bedrock',
      { configurations: { aws_auth_type: 'serviceRole', aws_region: 'us-east-1' } },
      [],
    ],
    [
      'a header that is two',
      'openai',
      { key: 'k', configurations: { custom_headers: { a: 'b\r\nc: d' } } },
      ['invalid_body@/configurations/custom_headers/a'],
    ],
  ]
  for (const [what, name, given, faults] of cases) {
    it(`are ${faults.length === 0 ? 'empty' : faults.join(', ')} for ${what} of ${name}`, () => {
      expect(check(name, { configurations: {}, mapped: [], ...given })).to.deep.equal(faults)
    })
  }
})
