/**
 * Azure AI: serverless, managed and Foundry addresses, headers, Anthropic's models, scopes; GitHub Models.
 * Sources: https://learn.microsoft.com/rest/api/aifoundry/modelinference/,
 * https://learn.microsoft.com/azure/ai-foundry/foundry-models/how-to/use-foundry-models-claude,
 * https://docs.github.com/rest/models/inference
 */
import type { JsonObject, ProviderSettings } from '@gateway/contract'
import { expect } from 'chai'
import { createContext, createIo } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { adapterOf, endpointOf, urlOf } from './fixtures.ts'

const settings = (more: Partial<ProviderSettings>): ProviderSettings => ({ provider: 'azure-ai', ...more })
const serverless = {
  cloudB_deployment_type: 'serverless',
  cloudB_deployment_name: 'Mistral-Large',
  cloudB_region: 'eastus2',
} as const
const managed = {
  cloudB_deployment_type: 'managed',
  cloudB_endpoint_name: 'ep',
  cloudB_region: 'westus3',
} as const
const version = '?api-version=2024-05-01-preview'

describe('Azure AI addresses', () => {
  const addresses: [string, Partial<ProviderSettings>, string][] = [
    [
      'a serverless deployment',
      serverless,
      `https://mistral-large.eastus2.models.ai.azure.com/chat/completions${version}`,
    ],
    [
      'its version of the API',
      { ...serverless, cloudB_api_version: '2025-04-01' },
      'https://mistral-large.eastus2.models.ai.azure.com/chat/completions?api-version=2025-04-01',
    ],
    [
      'a managed endpoint',
      managed,
      `https://ep.westus3.inference.ml.azure.com/score/chat/completions${version}`,
    ],
    [
      'a managed endpoint that is named with its region',
      { cloudB_deployment_type: 'managed', cloudB_endpoint_name: 'ep.westus3' },
      `https://ep.westus3.inference.ml.azure.com/score/chat/completions${version}`,
    ],
    [
      'a stored Foundry URL',
      {
        configurations: {
          azure_foundry_url: 'https://r.services.ai.azure.com/models?x=1',
          azure_api_version: '2025-04-01',
        },
      },
      'https://r.services.ai.azure.com/models/chat/completions?api-version=2025-04-01',
    ],
    [
      'a stored URL of the v1 API',
      { configurations: { azure_foundry_url: 'https://r.openai.azure.com/openai/v1' } },
      'https://r.openai.azure.com/openai/v1/chat/completions',
    ],
    [
      'stored names of a serverless deployment',
      {
        configurations: {
          azure_deployment_type: 'serverless',
          azure_deployment_name: 'd',
          azure_deployment_region: 'francecentral',
        },
      },
      `https://d.francecentral.models.ai.azure.com/chat/completions${version}`,
    ],
    [
      'a Foundry resource',
      { resource_name: 'r' },
      `https://r.services.ai.azure.com/models/chat/completions${version}`,
    ],
    [
      'a custom host',
      { ...serverless, cloudB_api_version: '2024-05-01-preview', custom_host: 'http://127.0.0.1:9' },
      `http://127.0.0.1:9/chat/completions${version}`,
    ],
    [
      'Anthropic’s models',
      { configurations: { azure_foundry_url: 'https://r.services.ai.azure.com/anthropic' } },
      'https://r.services.ai.azure.com/anthropic/v1/messages',
    ],
    [
      'Anthropic’s models with the version',
      { custom_host: 'http://127.0.0.1:9/anthropic/v1' },
      'http://127.0.0.1:9/anthropic/v1/messages',
    ],
    [
      'Anthropic’s models with the operation',
      { custom_host: 'http://127.0.0.1:9/anthropic/v1/messages' },
      'http://127.0.0.1:9/anthropic/v1/messages',
    ],
  ]
  for (const [what, more, url] of addresses) {
    it(`are correct for ${what}`, () => expect(urlOf(settings(more))).to.equal(url))
  }

  it('include the other operations of the Model Inference API', () => {
    expect(urlOf(settings(serverless), 'embed')).to.contain('/embeddings?')
    expect(urlOf(settings(serverless), 'complete')).to.contain('/completions?')
    expect(urlOf(settings(serverless), 'imageGenerate')).to.contain('/images/generations?')
  })

  const refused: [string, Partial<ProviderSettings>, string][] = [
    ['nothing that names one', {}, 'azure_foundry_url'],
    [
      'a serverless deployment without a region',
      { ...serverless, cloudB_region: undefined },
      'cloudB_region',
    ],
    [
      'a managed endpoint without a name',
      { ...managed, cloudB_endpoint_name: undefined },
      'cloudB_endpoint_name',
    ],
    [
      'a deployment that is another host',
      { ...serverless, cloudB_deployment_name: 'evil.example/' },
      'cloudB_deployment_name',
    ],
    ['a region that is another host', { ...managed, cloudB_region: 'x.evil.example#' }, 'cloudB_region'],
  ]
  for (const [what, more, key] of refused) {
    it(`are refused for ${what}`, () => {
      const error = gatewayErrorOf(() => urlOf(settings(more)))
      expect(error).to.include({ code: 'no_provider' })
      expect(error.message).to.contain(key)
    })
  }

  const anthropic = { custom_host: 'http://127.0.0.1:9/anthropic' }
  it('of Anthropic models have their own operations', () => {
    expect(urlOf(settings(anthropic), 'messages')).to.equal(`${anthropic.custom_host}/v1/messages`)
    expect(urlOf(settings(anthropic), 'countTokens')).to.equal(
      `${anthropic.custom_host}/v1/messages/count_tokens`,
    )
    expect(gatewayErrorOf(() => urlOf(settings(managed), 'messages')).code).to.equal('unsupported_endpoint')
  })

  it('of the v1 API include responses, others do not', () => {
    const host = 'http://127.0.0.1:9/openai/v1'
    const url = urlOf(settings({ custom_host: host }), 'createModelResponse')
    expect(url).to.equal(`${host}/responses`)
    const error = gatewayErrorOf(() => urlOf(settings(serverless), 'createModelResponse'))
    expect(error.code).to.equal('unsupported_endpoint')
  })

  it('of Anthropic models have no embeddings', () => {
    const error = gatewayErrorOf(() =>
      urlOf(settings({ custom_host: 'http://127.0.0.1:9/anthropic' }), 'embed'),
    )
    expect(error.code).to.equal('unsupported_endpoint')
  })
})

describe('Azure AI calls', () => {
  const headersOf = (more: Partial<ProviderSettings>) =>
    endpointOf(settings(more)).headers?.({}, createContext({ settings: settings(more) })) ?? {}

  it("send the deployment of a managed endpoint, and the caller's parameters", () => {
    expect(headersOf({ ...managed, cloudB_deployment_name: 'blue' })).to.deep.equal({
      'extra-parameters': 'pass-through',
      'azureml-model-deployment': 'blue',
    })
    expect(headersOf(managed)).to.deep.equal({ 'extra-parameters': 'pass-through' })
    expect(headersOf(serverless)).to.deep.equal({ 'extra-parameters': 'pass-through' })
  })

  it('drop unknown parameters when the stored credential sets that', () => {
    const configurations = {
      azure_foundry_url: 'https://r.services.ai.azure.com/models',
      azure_extra_parameters: 'drop',
    }
    expect(headersOf({ configurations })).to.deep.equal({ 'extra-parameters': 'drop' })
  })

  it('do not request usage from a serverless deployment, which refuses the option and reports usage anyway', () => {
    const body: JsonObject = {
      model: 'm',
      messages: [],
      stream: true,
      stream_options: { include_usage: true },
    }
    const sent = (more: Partial<ProviderSettings>) =>
      endpointOf(settings(more)).dialect.request(body, createContext({ settings: settings(more) }))
    expect(sent(serverless)).to.not.have.property('stream_options')
    expect(sent(managed)).to.deep.equal(body)
  })

  it('of Anthropic models use the Messages format', () => {
    const own = settings({ custom_host: 'http://127.0.0.1:9/anthropic' })
    const { dialect, headers } = endpointOf(own)
    const body: JsonObject = {
      model: 'claude',
      messages: [
        { role: 'system', content: 'S' },
        { role: 'user', content: 'Hi' },
      ],
    }
    expect(dialect.request(body, createContext({ settings: own, request: body }))).to.include({ system: 'S' })
    expect(headers?.({}, createContext({ settings: own }))).to.deep.equal({
      'anthropic-version': '2023-06-01',
    })
  })
})

describe('Azure AI credentials', () => {
  const sentTo = async (url: string, more: Partial<ProviderSettings>) => {
    const io = createIo(() => ({ bytes: Buffer.from('{"access_token":"tok"}') }))
    const request = { method: 'POST', url, headers: {}, body: '{}' } as const
    const { headers } = await adapterOf('azure-ai').auth(request, settings(more), io)
    const asked = new URL(io.fetched[0]?.url ?? 'http://none')
    return { headers, resource: asked.searchParams.get('resource') }
  }

  it('are a bearer token, or a separate header for Anthropic models', async () => {
    const plain = await sentTo('https://x/y', { ...serverless, api_key: 'k' })
    expect(plain.headers).to.deep.equal({ authorization: 'Bearer k' })
    const anthropic = await sentTo('https://x/y', { custom_host: 'https://x/anthropic', api_key: 'k' })
    expect(anthropic.headers).to.deep.equal({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' })
  })

  it("keep the caller's API version for Anthropic models", async () => {
    const request = {
      method: 'POST',
      url: 'https://x/y',
      headers: { 'anthropic-version': '2099-01-01' },
      body: '{}',
    } as const
    const own = settings({ custom_host: 'https://x/anthropic', api_key: 'k' })
    const { headers } = await adapterOf('azure-ai').auth(request, own, createIo())
    expect(headers).to.include({ 'anthropic-version': '2099-01-01' })
  })

  const scopes: [string, string][] = [
    ['https://d.eastus2.models.ai.azure.com/chat/completions', 'https://ml.azure.com'],
    ['https://ep.eastus2.inference.ml.azure.com/score/chat/completions', 'https://ml.azure.com'],
    ['https://r.services.ai.azure.com/models/chat/completions', 'https://ai.azure.com'],
    ['https://r.services.ai.azure.com/anthropic/v1/messages', 'https://ai.azure.com'],
  ]
  for (const [url, resource] of scopes) {
    it(`are a token for ${resource} at ${url}`, async () => {
      const sent = await sentTo(url, {
        configurations: { azure_auth_mode: 'managed', azure_foundry_url: url, azure_managed_client_id: url },
      })
      expect(sent.resource).to.equal(resource)
      expect(sent.headers).to.include({ authorization: 'Bearer tok' })
    })
  }
})

describe('GitHub Models', () => {
  it('are called at their own address, or at that of an organisation', () => {
    expect(urlOf({ provider: 'github' })).to.equal('https://models.github.ai/inference/chat/completions')
    expect(urlOf({ provider: 'github', compat_organization: 'acme' }, 'embed')).to.equal(
      'https://models.github.ai/orgs/acme/inference/embeddings',
    )
  })

  it('receive the token and the API version', async () => {
    const request = { method: 'POST', url: 'https://models.github.ai/x', headers: {}, body: '{}' } as const
    const { headers } = await adapterOf('github').auth(
      request,
      { provider: 'github', api_key: 'ghp' },
      createIo(),
    )
    expect(headers).to.deep.equal({ authorization: 'Bearer ghp', 'x-github-api-version': '2022-11-28' })
  })
})
