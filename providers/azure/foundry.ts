/**
 * Azure AI: models of many vendors behind the Model Inference API, which is the compatible format, and Anthropic's
 * models in their own format. References: https://learn.microsoft.com/rest/api/aifoundry/modelinference/,
 * https://learn.microsoft.com/azure/ai-foundry/foundry-models/how-to/use-foundry-models-claude
 */
import type { ProviderAdapter } from '@gateway/contract'
import { type Auth, anthropicVersion } from '@gateway/provider-kit'
import { azureAuth } from './auth.ts'
import { foundryConfigurations } from './configurations.ts'
import { foundryScope, foundryUrl, isAnthropic } from './foundry-address.ts'
import { foundryEndpoints } from './foundry-endpoints.ts'
import { ownIdentity } from './own-identity.ts'

const withCredential = azureAuth({
  keyHeader: (settings) => (isAnthropic(settings) ? 'x-api-key' : 'authorization'),
  scope: ({ url }) => foundryScope(url),
})

const version = { 'anthropic-version': anthropicVersion }

/** Anthropic's API version is the caller's, or the version that this adapter implements. */
const auth: Auth = (request, settings, io) =>
  withCredential(
    isAnthropic(settings) ? { ...request, headers: { ...version, ...request.headers } } : request,
    settings,
    io,
  )

export const azureAi: ProviderAdapter = {
  name: 'azure-ai',
  priceList: 'azure',
  title: 'Azure AI Foundry and Azure Machine Learning',
  docs: 'https://learn.microsoft.com/rest/api/aifoundry/modelinference/',
  baseUrl: foundryUrl,
  credential: 'optional',
  auth,
  ownIdentity,
  endpoints: foundryEndpoints,
  configurations: foundryConfigurations,
  stored: {
    required: ['azure_auth_mode', 'azure_foundry_url'],
    keyed: { member: 'azure_auth_mode', values: ['default'] },
  },
  notes: {
    remarks: [
      'The gateway’s own identity is only sent to the vendor’s hosts and to `security.trusted_hosts`; with another `custom_host` a stored credential needs its own secret.',
      'The base URL is `azure_foundry_url`, or that of a serverless deployment (`cloudB_deployment_name`, `cloudB_region`), or a managed endpoint (`cloudB_endpoint_name`, `cloudB_region`; `cloudB_deployment_name` selects one of its deployments).',
      'The API version is `cloudB_api_version`, by default `2024-05-01-preview`; a URL that ends with `/v1` needs none.',
      'A URL that contains `anthropic` serves Anthropic models in their own format; `/v1/messages` and its token count are forwarded.',
      'For a URL that ends with `/openai/v1`, `/v1/responses` is forwarded.',
      'Parameters outside the API are forwarded to the model; `azure_extra_parameters: drop` drops them.',
      'The token of a stored identity has the scope `https://ml.azure.com` for a deployment’s or an endpoint’s own host, otherwise `https://ai.azure.com`; `cloudB_entra_scope` overrides it.',
    ],
    drops: { chatComplete: ['stream_options (serverless)'], complete: ['stream_options (serverless)'] },
    credentials: ['api_key', 'configurations.azure_auth_mode'],
    example: {
      provider: 'azure-ai',
      api_key: `\${AZURE_AI_KEY}`,
      cloudB_deployment_type: 'serverless',
      cloudB_deployment_name: 'mistral-large',
      cloudB_region: 'eastus2',
      cloudB_api_version: '2024-05-01-preview',
    },
  },
}
