/** A provider without its credential or address: the message lists the keys or headers to set. */
import { inspect } from 'node:util'
import { expect } from 'chai'
import { startGateway } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'

describe('a provider that lacks settings is refused with a message that lists them', () => {
  const scene = openScene()
  const ask = (provider: string, headers: Record<string, string> = {}) =>
    scene.ask(null, { headers: { 'x-gateway-provider': provider, ...headers } })

  const sent: [what: string, provider: string, headers: Record<string, string>, message: string][] = [
    [
      'in a request: the header of a bearer key',
      'openai',
      {},
      'The provider openai needs a credential: send its API key or token as "Authorization: Bearer KEY" with your gateway key in x-gateway-api-key, or use a stored credential (x-gateway-virtual-key).',
    ],
    [
      'in a request: the headers of an access key',
      'bedrock',
      {},
      'The provider bedrock needs a credential: send x-gateway-clouda-access-key-id and x-gateway-clouda-secret-access-key, or its API key or token as "Authorization: Bearer KEY" with your gateway key in x-gateway-api-key, or use a stored credential (x-gateway-virtual-key).',
    ],
    [
      'in a request: the header of a resource',
      'azure-openai',
      { authorization: 'Bearer azure-key' },
      'The provider azure-openai requires a resource_name or a custom_host. The header of each setting: x-gateway-custom-host, x-gateway-resource-name.',
    ],
    [
      'in a request: the headers of a key, when the resource is there',
      'azure-openai',
      { 'x-gateway-resource-name': 'mine' },
      'The provider azure-openai needs a credential: send its API key or token as "Authorization: Bearer KEY" with your gateway key in x-gateway-api-key, or use a stored credential (x-gateway-virtual-key).',
    ],
    [
      'in a request: the header of a region',
      'vertex-ai',
      {},
      'cloudC_region must be a region, such as us-central1 or global. The header of each setting: x-gateway-cloudc-region.',
    ],
    [
      'in a request: the header of a service account',
      'vertex-ai',
      { 'x-gateway-cloudc-region': 'us-central1', 'x-gateway-cloudc-project-id': 'p' },
      'The provider vertex-ai needs a credential: send x-gateway-cloudc-service-account-json, or its API key or token as "Authorization: Bearer KEY" with your gateway key in x-gateway-api-key, or use a stored credential (x-gateway-virtual-key).',
    ],
  ]
  for (const [what, provider, headers, message] of sent) {
    it(`${what} (${provider})`, async () => {
      const { status, error } = await ask(provider, headers)
      expect({ status, code: error.code, param: error.param }).to.deep.equal({
        status: 400,
        code: 'no_provider',
        param: 'header/x-gateway-provider',
      })
      expect(error.message).to.equal(`header/x-gateway-provider: ${message}`)
    })
  }

  it('in a config: the keys next to provider', async () => {
    const config = { provider: 'openai', cloudC_region: 'r', cloudC_project_id: 'p' }
    expect((await scene.ask(config)).error.message).to.equal(
      'config/provider: The provider openai needs a credential: next to "provider" in the config, set "api_key", or use a stored credential ("provider": "@SLUG").',
    )
  })

  it('in a config: the keys of an access key', async () => {
    const config = tree('single', [{ provider: 'bedrock', cloudC_region: 'r', cloudC_project_id: 'p' }])
    expect((await scene.ask(config)).error.message).to.equal(
      'config/targets/0/provider: The provider bedrock needs a credential: next to "provider" in the config, set "cloudA_access_key_id" and "cloudA_secret_access_key", or "api_key", or use a stored credential ("provider": "@SLUG").',
    )
  })

  it('in a config with provider alone: api_key, and every combination that replaces it', async () => {
    const { error } = await scene.ask({ provider: 'bedrock' })
    expect(error.param).to.equal('config/api_key')
    expect(error.message).to.contain(
      'is required with this provider, unless the target has custom_host; or virtual_key; or cloudA_access_key_id + cloudA_secret_access_key; or ',
    )
  })

  const entries: [what: string, entry: Record<string, unknown>, message: string][] = [
    ['a bearer key', { provider: 'openai' }, 'in its entry, set "api_key".'],
    [
      'an access key',
      { provider: 'bedrock' },
      'in its entry, set "cloudA_access_key_id" and "cloudA_secret_access_key", or "api_key", or "configurations.aws_auth_type".',
    ],
    [
      'a key or an identity',
      { provider: 'azure-openai', resource_name: 'mine' },
      'in its entry, set "api_key", or "configurations.azure_auth_mode".',
    ],
    [
      'a service account',
      { provider: 'vertex-ai', cloudC_region: 'us-central1', cloudC_project_id: 'p' },
      'in its entry, set "cloudC_service_account_json", or "api_key", or "configurations.vertex_auth_type".',
    ],
  ]
  for (const [what, entry, message] of entries) {
    it(`in the config file: the members of ${what} (${entry.provider})`, async () => {
      const error = await startGateway({ providers: { mine: entry } }).catch((thrown: unknown) => thrown)
      expect(inspect(error)).to.contain(`The provider ${entry.provider} needs a credential: ${message}`)
    })
  }
})
