/**
 * The cloud identity of the gateway process is sent only to the vendor's own hosts and to trusted hosts, for stored
 * credentials by any author.
 */
import { expect } from 'chai'
import { chat, startGateway } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const deployment = {
  azure_deployment_name: 'd',
  azure_api_version: '2024-10-21',
  azure_model_slug: 'gpt-4o',
  is_default: true,
}
const azureOpenai = { azure_resource_name: 'res', azure_deployment_config: [deployment] }
const tenant = { azure_entra_tenant_id: 't', azure_entra_client_id: 'c' }
const foundry = 'https://res.services.ai.azure.com/models'
const role = { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::1:role/r', aws_region: 'us-east-1' }

interface Case {
  title: string
  provider: string
  configurations: Record<string, unknown>
  /** Hosts of the vendor. */
  own: string[]
}

const bedrockHosts = [
  'https://bedrock-runtime.us-east-1.amazonaws.com',
  'https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com',
  'https://vpce-0a1b.bedrock-runtime.eu-central-1.vpce.amazonaws.com',
  'https://bedrock-runtime.cn-north-1.amazonaws.com.cn',
]
const azureHosts = [
  'https://other.openai.azure.com/openai',
  'https://other.cognitiveservices.azure.com/openai',
]
const vertexHosts = [
  'https://europe-west4-aiplatform.googleapis.com/v1',
  'https://aiplatform.eu.rep.googleapis.com/v1',
]

const lending: Case[] = [
  {
    title: 'Vertex AI with the ambient identity',
    provider: 'vertex-ai',
    configurations: { vertex_auth_type: 'basic', vertex_region: 'us-central1', vertex_project_id: 'p' },
    own: vertexHosts,
  },
  {
    title: 'Vertex AI with a workload identity',
    provider: 'vertex-ai',
    configurations: { vertex_auth_type: 'workload', vertex_region: 'us-central1', vertex_project_id: 'p' },
    own: vertexHosts,
  },
  {
    title: 'Bedrock with the service role',
    provider: 'bedrock',
    configurations: { aws_auth_type: 'serviceRole', aws_region: 'us-east-1' },
    own: bedrockHosts,
  },
  {
    title: 'Bedrock with a role that the service role assumes',
    provider: 'bedrock',
    configurations: role,
    own: bedrockHosts,
  },
  ...[
    { azure_auth_mode: 'managed' },
    { azure_auth_mode: 'workload' },
    { azure_auth_mode: 'entraFederated', ...tenant },
  ].flatMap((mode): Case[] => [
    {
      title: `Azure OpenAI with the mode ${mode.azure_auth_mode}`,
      provider: 'azure-openai',
      configurations: { ...mode, ...azureOpenai },
      own: azureHosts,
    },
    {
      title: `Azure AI with the mode ${mode.azure_auth_mode}`,
      provider: 'azure-ai',
      configurations: { ...mode, azure_foundry_url: foundry },
      own: ['https://other.services.ai.azure.com/models', 'https://e.eastus.inference.ml.azure.com/score'],
    },
  ]),
]

/** Names that begin or end like the vendor's, hosts of its customers, and plain HTTP. */
const strangeHosts = [
  'https://collector.example/v1',
  'https://aiplatform.googleapis.com.collector.example/v1',
  'https://xaiplatform.googleapis.com.evil.test/v1',
  'https://storage.googleapis.com/v1',
  'https://s3.us-east-1.amazonaws.com',
  'https://ec2-1-2-3-4.compute-1.amazonaws.com',
  'https://bedrock-runtime.s3.us-east-1.amazonaws.com',
  'https://evil.azure-api.net/openai',
  'https://openai.azure.com.collector.example/openai',
  'http://res.openai.azure.com/openai',
  'http://aiplatform.googleapis.com/v1',
  'http://bedrock-runtime.us-east-1.amazonaws.com',
  'https://bedrock-runtime.us-east-1.amazonaws.com:8443',
]

describe("a stored credential that uses the gateway's own cloud identity", () => {
  const api = openManagement()
  let count = 0
  const create = (provider: string, configurations: object, more: object = {}) => {
    count += 1
    return api.post('/v1/integrations', {
      name: `Own ${count}`,
      ai_provider_id: provider,
      configurations,
      workspace_id: 'default',
      default_provider_slug: `own-${count}`,
      ...more,
    })
  }

  for (const { title, provider, configurations, own } of lending) {
    describe(title, () => {
      it("is refused on write with a custom host outside the vendor's domains", async () => {
        for (const custom_host of strangeHosts) {
          const { status, error } = await create(provider, { ...configurations, custom_host })
          expect([custom_host, status, error.code, error.param]).to.deep.equal([
            custom_host,
            400,
            'host_not_allowed',
            '/configurations/custom_host',
          ])
        }
      })

      it('accepts custom hosts of the vendor and trusted ones', async () => {
        for (const custom_host of [...own, 'http://127.0.0.1:9/v1']) {
          const made = await create(provider, { ...configurations, custom_host })
          expect([custom_host, made.status], made.text).to.deep.equal([custom_host, 200])
        }
      })

      it('is refused with a custom host on one model, and cannot be added to a credential with such a model', async () => {
        const made = await create(provider, configurations)
        expect(made.status, made.text).to.equal(200)
        const models = (custom_host: string) => [
          {
            slug: 'm',
            enabled: true,
            is_custom: true,
            base_model_slug: 'm',
            configurations: { custom_host },
          },
        ]
        const path = `/v1/integrations/${made.body.id}/models`
        const refused = await api.put(path, { models: models('https://collector.example/v1') })
        expect([refused.status, refused.error.code, refused.error.param]).to.deep.equal([
          400,
          'host_not_allowed',
          '/models/0/configurations/custom_host',
        ])
        expect((await api.put(path, { models: models(own[0] ?? '') })).status).to.equal(200)
      })

      it('is refused on use when an older version stored it', async () => {
        const made = await create(provider, { ...configurations, custom_host: own[0] })
        expect(made.status, made.text).to.equal(200)
        const stored = await api.stored('integration', String(made.body.id))
        if (stored === null) throw new Error('The integration is not stored.')
        const { version, ...document } = stored
        const data = {
          ...document.data,
          configurations: { ...configurations, custom_host: 'https://collector.example/v1' },
        }
        await api.gateway.runtime.store.documents.commit([
          { op: 'put', document: { ...document, data }, expected: version },
        ])
        const reply = await api.post('/v1/chat/completions', chat('hi', { model: `@own-${count}/google/m` }))
        expect([reply.status, reply.error.code]).to.deep.equal([400, 'host_not_allowed'])
        const tried = await api.post(`/v1/integrations/${made.body.id}/test`, {})
        expect(tried.body).to.include({ success: false })
        expect(tried.body.error).to.include('host')
      })
    })
  }

  it("is refused with an Azure AI address outside the vendor's domains", async () => {
    const { status, error } = await create('azure-ai', {
      azure_auth_mode: 'managed',
      azure_foundry_url: 'https://collector.example/models',
    })
    expect([status, error.code, error.param]).to.deep.equal([
      400,
      'host_not_allowed',
      '/configurations/azure_foundry_url',
    ])
  })

  it('is refused with a model host that was added while the credential had its own secret', async () => {
    const keyed = {
      ai_provider_id: 'bedrock',
      configurations: { aws_auth_type: 'apiKey', aws_region: 'us-east-1' },
    }
    const made = await create('bedrock', keyed.configurations, { key: 'bedrock-api-key-0123456789' })
    expect(made.status, made.text).to.equal(200)
    const own = { custom_host: 'https://collector.example' }
    const models = [{ slug: 'm', enabled: true, is_custom: true, base_model_slug: 'm', configurations: own }]
    expect((await api.put(`/v1/integrations/${made.body.id}/models`, { models })).status).to.equal(200)
    const { status, error } = await api.put(`/v1/integrations/${made.body.id}`, {
      configurations: { aws_auth_type: 'serviceRole' },
    })
    expect([status, error.code]).to.deep.equal([400, 'host_not_allowed'])
    expect(error.message).to.include('m')
  })

  it('stops the start when the config file gives it a foreign host, for all models or for one', async () => {
    const configurations = { aws_auth_type: 'serviceRole', aws_region: 'us-east-1' }
    const custom_host = 'https://collector.example'
    const model = { slug: 'm', enabled: true, configurations: { custom_host } }
    for (const own of [{ custom_host }, { models: [model] }]) {
      const fault = await startGateway({
        providers: { own: { provider: 'bedrock', configurations, ...own } },
      }).then(
        (gateway) => gateway.stop(),
        (error: Error) => error.message,
      )
      expect(fault).to.include('custom_host').and.include('trusted host')
    }
  })

  it('may have any custom host when it has its own secret', async () => {
    const custom_host = 'https://proxy.example/v1'
    const own: [string, object, object?][] = [
      [
        'bedrock',
        { aws_auth_type: 'apiKey', aws_region: 'us-east-1' },
        { key: 'bedrock-api-key-0123456789' },
      ],
      [
        'bedrock',
        { ...role, aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'wJalrXUtnFEMIK7MDENG' },
      ],
      ['azure-openai', { azure_auth_mode: 'default', ...azureOpenai }, { key: 'azure-key-0123456789' }],
      [
        'azure-openai',
        {
          azure_auth_mode: 'entra',
          ...tenant,
          azure_entra_client_secret: 'client-secret-0123',
          ...azureOpenai,
        },
      ],
    ]
    for (const [provider, configurations, more] of own) {
      const made = await create(provider, { ...configurations, custom_host }, more)
      expect(made.status, made.text).to.equal(200)
    }
  })
})
