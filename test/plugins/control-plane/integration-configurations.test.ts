/** Configurations of integrations: what each provider needs, spellings that are accepted, masks, and mappings. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

const key = 'sk-live-0123456789abcd'
const account = {
  type: 'service_account',
  project_id: 'p',
  client_email: 'g@p.iam.gserviceaccount.com',
  private_key: '-----BEGIN PRIVATE KEY-----\nMIIE-not-a-real-key\n-----END PRIVATE KEY-----\n',
}

describe('an integration of a provider with configurations', () => {
  const api = openManagement()
  let count = 0
  const create = (more: object = {}) =>
    api.post('/v1/integrations', { name: `Openai ${++count}`, ai_provider_id: 'openai', key, ...more })
  const created = async (more: object = {}) => {
    const made = await create(more)
    expect(made.status, made.text).to.equal(200)
    return made.body
  }

  const azure = {
    ai_provider_id: 'azure-openai',
    configurations: {
      azure_auth_mode: 'default',
      azure_resource_name: 'res',
      azure_deployment_config: [
        {
          azure_deployment_name: 'd',
          azure_api_version: '2024-10-21',
          azure_model_slug: 'gpt-4o',
          is_default: true,
        },
      ],
    },
  }
  const bedrock = {
    ai_provider_id: 'bedrock',
    key: undefined,
    configurations: {
      aws_auth_type: 'accessKey',
      aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      aws_secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      aws_region: 'us-east-1',
    },
  }
  const vertex = {
    ai_provider_id: 'vertex-ai',
    key: undefined,
    configurations: {
      vertex_auth_type: 'serviceAccount',
      vertex_region: 'us-central1',
      vertex_service_account_json: account,
    },
  }

  it('is stored with all its secrets masked', async () => {
    const { configurations: ofBedrock } = await created(bedrock)
    expect(ofBedrock).to.deep.equal({
      aws_auth_type: 'accessKey',
      aws_access_key_id: 'AKI****MPLE',
      aws_secret_access_key: 'wJa****EKEY',
      aws_region: 'us-east-1',
    })
    const { configurations: ofVertex, id } = await created(vertex)
    const shown = (ofVertex as typeof vertex.configurations).vertex_service_account_json
    expect(shown).to.deep.include({ project_id: 'p', client_email: account.client_email })
    expect(shown.private_key).to.include('****')
    expect(JSON.stringify(await api.stored('integration', String(id)))).not.to.include('MIIE-not-a-real-key')
  })

  it('shows a role in plain text', async () => {
    const configurations = {
      aws_auth_type: 'assumedRole',
      aws_role_arn: 'arn:aws:iam::1:role/r',
      aws_region: 'us-east-1',
    }
    expect((await created({ ...bedrock, configurations })).configurations).to.deep.equal(configurations)
  })

  it('accepts the names of a config as well', async () => {
    const { configurations } = await created({
      ...bedrock,
      configurations: {
        cloudA_auth_type: 'accessKey',
        cloudA_access_key_id: 'AKIAIOSFODNN7EXAMPLE',
        cloudA_secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
        cloudA_region: 'us-east-1',
      },
    })
    expect(configurations).to.include({ aws_auth_type: 'accessKey', aws_region: 'us-east-1' })
    const ofAzure = await created({
      ...azure,
      configurations: {
        cloudB_auth_mode: 'default',
        resource_name: 'res',
        deployments: [{ deployment_id: 'd', alias: 'gpt-4o', api_version: '2024-10-21', is_default: true }],
      },
    })
    expect(ofAzure.configurations).to.deep.equal({
      azure_auth_mode: 'default',
      azure_resource_name: 'res',
      azure_deployment_config: [
        {
          azure_deployment_name: 'd',
          azure_api_version: '2024-10-21',
          azure_model_slug: 'gpt-4o',
          alias: 'gpt-4o',
          is_default: true,
        },
      ],
    })
    const text = await created({
      ...vertex,
      configurations: { ...vertex.configurations, vertex_service_account_json: JSON.stringify(account) },
    })
    expect(
      (text.configurations as typeof vertex.configurations).vertex_service_account_json.project_id,
    ).to.equal('p')
  })

  it('can be read and sent back unchanged, and merged member by member', async () => {
    for (const more of [
      azure,
      bedrock,
      vertex,
      { configurations: { custom_headers: { 'x-api-token': 'header-secret-1' } } },
    ]) {
      const made = await created(more)
      const { default_provider: _, ...read } = made
      const same = await api.put(`/v1/integrations/${made.id}`, read)
      expect(same.status, same.text).to.equal(200)
      expect(same.body.configurations).to.deep.equal(made.configurations)
    }
    const made = await created(bedrock)
    const merged = await api.put(`/v1/integrations/${made.id}`, {
      configurations: { aws_region: 'eu-west-1' },
    })
    expect(merged.body.configurations).to.include({
      aws_region: 'eu-west-1',
      aws_secret_access_key: 'wJa****EKEY',
    })
    const removed = await api.put(`/v1/integrations/${made.id}`, {
      configurations: { aws_secret_access_key: null },
    })
    expect([removed.status, removed.error.param]).to.deep.equal([
      400,
      '/configurations/aws_secret_access_key',
    ])
  })

  const wrong: [string, object, string, string?][] = [
    ['an unknown provider', { ai_provider_id: 'nobody' }, '/ai_provider_id', 'unknown_provider'],
    ['no key', { key: undefined }, '/key'],
    [
      'an unknown member',
      { configurations: { azure_resource_name: 'x' } },
      '/configurations/azure_resource_name',
    ],
    [
      'a host that may not be called',
      { configurations: { custom_host: 'http://10.0.0.1/v1' } },
      '/configurations/custom_host',
      'host_not_allowed',
    ],
    [
      'a host of a storage that may not be called',
      { ...bedrock, configurations: { ...bedrock.configurations, storage_host: 'http://10.0.0.1' } },
      '/configurations/storage_host',
      'host_not_allowed',
    ],
    [
      'an invalid storage host',
      { ...vertex, configurations: { ...vertex.configurations, storage_host: 'nowhere' } },
      '/configurations/storage_host',
    ],
    ['an invalid host', { configurations: { custom_host: 'nowhere' } }, '/configurations/custom_host'],
    [
      'headers of the gateway',
      { configurations: { custom_headers: { 'x-gateway-config': '{}' } } },
      '/configurations/custom_headers/x-gateway-config',
    ],
    [
      'headers of a connection',
      { configurations: { custom_headers: { host: 'x' } } },
      '/configurations/custom_headers/host',
    ],
    [
      'forwarded headers of the gateway',
      { configurations: { forward_headers: ['x-team', 'x-gateway-config'] } },
      '/configurations/forward_headers/1',
    ],
    [
      'azure without a resource',
      { ...azure, configurations: { ...azure.configurations, azure_resource_name: null } },
      '/configurations/azure_resource_name',
    ],
    [
      'azure without a mode',
      { ...azure, configurations: { ...azure.configurations, azure_auth_mode: null } },
      '/configurations/azure_auth_mode',
    ],
    [
      'azure without a default deployment',
      {
        ...azure,
        configurations: {
          ...azure.configurations,
          azure_deployment_config: [
            { ...azure.configurations.azure_deployment_config[0], is_default: false },
          ],
        },
      },
      '/configurations/azure_deployment_config',
    ],
    ['azure without a key', { ...azure, key: undefined }, '/key'],
    [
      'a federated client with a secret',
      {
        ...azure,
        key: undefined,
        configurations: {
          ...azure.configurations,
          azure_auth_mode: 'entraFederated',
          azure_entra_tenant_id: 't',
          azure_entra_client_id: 'c',
          azure_entra_client_secret: 's',
        },
      },
      '/configurations/azure_entra_client_secret',
    ],
    [
      'half of an access key',
      { ...bedrock, configurations: { ...bedrock.configurations, aws_secret_access_key: null } },
      '/configurations/aws_secret_access_key',
    ],
    [
      'a service account that is missing',
      { ...vertex, configurations: { vertex_auth_type: 'serviceAccount', vertex_region: 'us-central1' } },
      '/configurations/vertex_service_account_json',
    ],
    [
      'a class of prices that is unknown',
      { pricing_adjustments: { multiplier: { nothing: 1 } } },
      '/pricing_adjustments/multiplier',
    ],
    [
      'a negative multiplier',
      { pricing_adjustments: { multiplier: { default: -1 } } },
      '/pricing_adjustments/multiplier/default',
    ],
    [
      'a mapping of an unknown field',
      { secret_mappings: [{ target_field: 'configurations.nothing', secret_reference_id: 'x' }] },
      '/secret_mappings/0/target_field',
    ],
    [
      'a mapping to no reference',
      { secret_mappings: [{ target_field: 'key', secret_reference_id: 'x' }] },
      '/secret_mappings/0',
    ],
  ]
  for (const [what, more, param, code = 'invalid_body'] of wrong) {
    it(`refuses ${what} at ${param}`, async () => {
      const { status, error, text } = await create(more)
      const params = [error.param, ...(error.details ?? []).map((detail) => detail.param)]
      expect(status, text).to.equal(400)
      expect(params).to.include(param)
      if (params[0] === param) expect(error.code).to.equal(code)
    })
  }

  it('requires nothing that a secret manager provides, and parses objects as JSON', async () => {
    const reference = await api.post('/v1/secret-references', {
      name: `Aws ${++count}`,
      manager_type: 'aws_sm',
      auth_config: { aws_auth_type: 'serviceRole' },
      secret_path: 'vertex',
    })
    const secret_reference_id = reference.body.id
    const target_field = 'configurations.vertex_service_account_json'
    const more = {
      ...vertex,
      configurations: { vertex_auth_type: 'serviceAccount', vertex_region: 'us-central1' },
    }
    const json = await create({
      ...more,
      secret_mappings: [{ target_field, secret_reference_id, value_format: 'json' }],
    })
    expect(json.status, json.text).to.equal(200)
    const text = await create({ ...more, secret_mappings: [{ target_field, secret_reference_id }] })
    expect([text.status, text.error.param]).to.deep.equal([400, '/secret_mappings/0/value_format'])
    const twice = await create({
      secret_mappings: [0, 1].map(() => ({ target_field: 'key', secret_reference_id })),
    })
    expect([twice.status, twice.error.param]).to.deep.equal([400, '/secret_mappings/1/target_field'])
  })
})
