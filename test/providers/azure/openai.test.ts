/**
 * Azure OpenAI: addresses by deployment and version, the body's model, credentials.
 * Source: https://learn.microsoft.com/azure/ai-foundry/openai/reference,
 * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 */
import type { Deployment, EndpointId, JsonObject, ProviderSettings } from '@gateway/contract'
import { expect } from 'chai'
import { createContext, createIo } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { adapterOf, endpointOf, urlOf } from './fixtures.ts'

const settings = (more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  provider: 'azure-openai',
  resource_name: 'res',
  ...more,
})
const origin = 'https://res.openai.azure.com/openai'
const dated = { api_version: '2024-10-21' }

const deployments: Deployment[] = [
  { deployment_id: 'prod-4o', alias: 'gpt-4o', api_version: '2024-06-01' },
  { deployment_id: 'rest', alias: 'other', api_version: '2024-02-01', is_default: true },
]
const stored = (more: JsonObject = {}): JsonObject => ({
  azure_deployment_config: [
    {
      azure_deployment_name: 'emb',
      azure_api_version: '2024-05-01-preview',
      azure_model_slug: 'text-embedding-3-small',
    },
    {
      azure_deployment_name: 'chat',
      azure_api_version: 'v1',
      azure_model_slug: 'gpt-5',
      alias: 'best',
      is_default: true,
    },
  ],
  ...more,
})

describe('Azure OpenAI addresses', () => {
  const operations: [EndpointId, string][] = [
    ['chatComplete', '/chat/completions'],
    ['complete', '/completions'],
    ['embed', '/embeddings'],
    ['imageGenerate', '/images/generations'],
    ['imageEdit', '/images/edits'],
    ['createSpeech', '/audio/speech'],
    ['createTranscription', '/audio/transcriptions'],
    ['createTranslation', '/audio/translations'],
  ]
  for (const [id, operation] of operations) {
    it(`contain the deployment for ${id}, except in the v1 API`, () => {
      expect(urlOf(settings(dated), id)).to.equal(
        `${origin}/deployments/gpt-4o${operation}?api-version=2024-10-21`,
      )
      expect(urlOf(settings({ api_version: 'v1' }), id)).to.equal(`${origin}/v1${operation}`)
    })
  }

  const standards: [EndpointId, string][] = [
    ['createTranscription', '2024-10-21'],
    ['imageEdit', '2025-04-01-preview'],
    ['createSpeech', '2025-04-01-preview'],
  ]
  for (const [id, version] of standards) {
    it(`of ${id} use a default version that supports it`, () => {
      expect(urlOf(settings(), id)).to.match(new RegExp(`api-version=${version}$`))
    })
  }

  const about: JsonObject = { response_id: 'resp/1', include: ['usage'], limit: 5 }
  const responses: [EndpointId, Partial<ProviderSettings>, JsonObject, string][] = [
    ['createModelResponse', {}, { model: 'gpt-5' }, '/responses?api-version=2025-04-01-preview'],
    ['createModelResponse', { api_version: 'v1' }, { model: 'gpt-5' }, '/v1/responses'],
    ['createModelResponse', { deployments }, { model: 'gpt-4o' }, '/responses?api-version=2024-06-01'],
    ['getModelResponse', { api_version: 'v1' }, about, '/v1/responses/resp%2F1?include%5B%5D=usage'],
    ['deleteModelResponse', {}, about, '/responses/resp%2F1?api-version=2025-04-01-preview'],
    ['deleteModelResponse', { deployments }, about, '/responses/resp%2F1?api-version=2024-02-01'],
    [
      'listResponseInputItems',
      { api_version: 'preview' },
      about,
      '/v1/responses/resp%2F1/input_items?api-version=preview&include%5B%5D=usage&limit=5',
    ],
  ]
  for (const [id, more, body, path] of responses) {
    it(`of ${id} are ${path}`, () => expect(urlOf(settings(more), id, body)).to.equal(origin + path))
  }

  const chosen: [string, Partial<ProviderSettings>, JsonObject, string][] = [
    [
      'the model’s name without a deployment',
      dated,
      {},
      '/deployments/gpt-4o/chat/completions?api-version=2024-10-21',
    ],
    [
      'the last version with a date by default',
      {},
      {},
      '/deployments/gpt-4o/chat/completions?api-version=2024-10-21',
    ],
    [
      'deployment_id',
      { ...dated, deployment_id: 'mine' },
      {},
      '/deployments/mine/chat/completions?api-version=2024-10-21',
    ],
    [
      'the deployment whose alias is the model',
      { deployments, ...dated },
      {},
      '/deployments/prod-4o/chat/completions?api-version=2024-06-01',
    ],
    [
      'the default deployment for another model',
      { deployments },
      { model: 'x' },
      '/deployments/rest/chat/completions?api-version=2024-02-01',
    ],
    [
      'a list before deployment_id',
      { deployments, deployment_id: 'mine' },
      {},
      '/deployments/prod-4o/chat/completions?api-version=2024-06-01',
    ],
    [
      'the stored deployment of a model',
      { configurations: stored() },
      { model: 'text-embedding-3-small' },
      '/deployments/emb/chat/completions?api-version=2024-05-01-preview',
    ],
    [
      'the stored deployment of an alias',
      { configurations: stored() },
      { model: 'best' },
      '/v1/chat/completions',
    ],
    ['the stored default', { configurations: stored() }, { model: 'nobody' }, '/v1/chat/completions'],
    ['a preview of the v1 API', { api_version: 'preview' }, {}, '/v1/chat/completions?api-version=preview'],
    [
      'what must be escaped',
      { deployment_id: 'a/b?c', api_version: '1&x=2' },
      {},
      '/deployments/a%2Fb%3Fc/chat/completions?api-version=1%26x%3D2',
    ],
  ]
  for (const [what, more, body, path] of chosen) {
    it(`are correct for ${what}`, () => {
      expect(urlOf(settings(more), 'chatComplete', { model: 'gpt-4o', ...body })).to.equal(origin + path)
    })
  }

  const hosts: [string, string, string][] = [
    [
      'http://127.0.0.1:9/openai',
      '2024-10-21',
      '/deployments/gpt-4o/chat/completions?api-version=2024-10-21',
    ],
    ['http://127.0.0.1:9/openai', 'v1', '/v1/chat/completions'],
    ['http://127.0.0.1:9/openai/v1', 'v1', '/chat/completions'],
    ['http://127.0.0.1:9/openai/v1//', 'v1', '/chat/completions'],
    ['http://127.0.0.1:9/openai/v1', '2024-10-21', '/chat/completions'],
  ]
  for (const [custom_host, api_version, path] of hosts) {
    it(`are below the custom host ${custom_host} with ${api_version}, without repeating its version`, () => {
      expect(urlOf({ provider: 'azure-openai', custom_host, api_version })).to.equal(custom_host + path)
    })
  }

  it('use the resource in the stored credential', () => {
    const url = urlOf({ provider: 'azure-openai', configurations: { azure_resource_name: 'Stored-1' } })
    expect(url).to.match(/^https:\/\/stored-1\.openai\.azure\.com\/openai\//)
  })

  const refused: [string, Partial<ProviderSettings>][] = [
    ['no resource', { resource_name: undefined }],
    ['a resource that is another host', { resource_name: 'evil.example/#' }],
    ['a resource with a dot', { resource_name: 'a.b' }],
  ]
  for (const [what, more] of refused) {
    it(`are refused for ${what}`, () => {
      expect(gatewayErrorOf(() => urlOf(settings(more)))).to.include({ code: 'no_provider' })
    })
  }

  it('are refused for a model without a deployment, and for a name that leaves the path', () => {
    const only = deployments.slice(0, 1)
    const unserved = gatewayErrorOf(() =>
      urlOf(settings({ deployments: only }), 'chatComplete', { model: 'gpt-5' }),
    )
    expect(unserved).to.include({ code: 'invalid_body', param: '/model' })
    expect(unserved.message).to.contain('gpt-5').and.to.contain('azure-openai')
    const climbing = gatewayErrorOf(() => urlOf(settings(), 'chatComplete', { model: '..' }))
    expect(climbing).to.include({ code: 'invalid_body', param: '/model' })
  })
})

describe('Azure OpenAI bodies', () => {
  const body: JsonObject = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], user: 'u' }
  const sent = (more: Partial<ProviderSettings>) =>
    endpointOf(settings(more)).dialect.request(
      body,
      createContext({ settings: settings(more), request: body }),
    )

  it('are forwarded unchanged when the path contains the deployment', () => {
    expect(sent({ ...dated, deployment_id: 'mine' })).to.equal(body)
  })
  it('contain the deployment in the v1 API', () => {
    expect(sent({ api_version: 'v1', deployment_id: 'mine' })).to.deep.equal({ ...body, model: 'mine' })
    expect(sent({ api_version: 'v1' })).to.equal(body)
  })
  it('request usage for a stream when the API version supports it', () => {
    const usage = { stream_options: { include_usage: true } }
    const given: JsonObject = { model: 'gpt-4o', stream: true, messages: [] }
    const optionsAt = (api_version: string, asked: JsonObject) =>
      endpointOf(settings({ api_version })).dialect.request(
        { ...given, ...usage },
        createContext({ settings: settings({ api_version }), request: { ...given, ...asked } }),
      ).stream_options
    expect(['2024-06-01', '2024-10-21', 'v1'].map((version) => optionsAt(version, {}))).to.deep.equal([
      undefined,
      usage.stream_options,
      usage.stream_options,
    ])
    // A caller that requests it gets the provider's own error.
    expect(optionsAt('2024-06-01', usage)).to.deep.equal(usage.stream_options)
  })

  it('contain the deployment for a new response in every version', () => {
    const { dialect } = endpointOf(settings({ deployments }), 'createModelResponse', body)
    const context = createContext({ settings: settings({ deployments }), request: body })
    expect(dialect.request(body, context)).to.deep.equal({ ...body, model: 'prod-4o' })
  })
  it('are forms for file uploads, with the deployment as the model', () => {
    const own = settings({ api_version: 'v1', deployment_id: 'mine' })
    const { dialect } = endpointOf(own, 'createTranscription', body)
    const file = { field: 'file', filename: 'a.mp3', contentType: 'audio/mpeg', bytes: Buffer.from('abc') }
    const context = { ...createContext({ settings: own, request: body }), files: [file] }
    const encoded = dialect.encode?.(dialect.request({ model: 'whisper' }, context), context)
    expect(encoded?.contentType).to.match(/^multipart\/form-data; boundary=/)
    expect(encoded?.bytes.toString()).to.contain('mine').and.to.contain('a.mp3').and.not.to.contain('whisper')
  })
})

describe('Azure OpenAI credentials', () => {
  const request = {
    method: 'POST',
    url: `${origin}/x`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  } as const
  const sent = async (more: Partial<ProviderSettings>) => {
    const { headers } = await adapterOf('azure-openai').auth(request, settings(more), createIo())
    const { 'content-type': _, ...rest } = headers
    return rest
  }

  it('are sent in api-key', async () => {
    expect(await sent({ api_key: 'k3y' })).to.deep.equal({ 'api-key': 'k3y' })
  })
  it('are a bearer token when the key is an access token', async () => {
    const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJ4In0.c2ln'
    expect(await sent({ api_key: jwt })).to.deep.equal({ authorization: `Bearer ${jwt}` })
  })
  it('are not sent without a key', async () => {
    expect(await sent({})).to.deep.equal({})
    expect(await sent({ api_key: 'none' })).to.deep.equal({})
  })

  const entra: JsonObject = {
    azure_auth_mode: 'entra',
    azure_entra_tenant_id: 't',
    azure_entra_client_id: 'c',
    azure_entra_client_secret: 's',
  }
  const scopes: [string, Partial<ProviderSettings>, string][] = [
    ['the service', {}, 'https://cognitiveservices.azure.com/.default'],
    ['what the config says', { cloudB_entra_scope: 'api://own/.default' }, 'api://own/.default'],
    [
      'what the stored credential says',
      { configurations: { ...entra, azure_entra_scope: 'api://stored/.default' } },
      'api://stored/.default',
    ],
  ]
  for (const [what, more, scope] of scopes) {
    it(`are a token of the stored identity for ${what}, without a key`, async () => {
      const io = createIo(() => ({
        bytes: Buffer.from(JSON.stringify({ access_token: 'tok', expires_in: 60 })),
      }))
      const own = settings({ api_key: 'unused', configurations: entra, ...more })
      const { headers } = await adapterOf('azure-openai').auth(request, own, io)
      expect(headers).to.include({ authorization: 'Bearer tok' }).and.not.have.property('api-key')
      expect(new URLSearchParams(String(io.fetched[0]?.body)).get('scope')).to.equal(scope)
    })
  }

  it('are refused when their mode lacks a key', async () => {
    const configurations = { azure_auth_mode: 'entra', azure_entra_tenant_id: 't' }
    const fault = await sent({ configurations }).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(fault).to.have.property('code', 'no_provider')
  })
})
