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
      'The gateway’s own identity is sent to the vendor’s own hosts and to `security.trusted_hosts` only; with another `custom_host` a stored credential needs a secret of its own.',
      'The address is `azure_foundry_url`, or a serverless deployment (`cloudB_deployment_name`, `cloudB_region`), or a managed endpoint (`cloudB_endpoint_name`, `cloudB_region`; `cloudB_deployment_name` chooses among its deployments).',
      'The version of the API is `cloudB_api_version`, by default `2024-05-01-preview`; an address that ends with `/v1` needs none.',
      'An address with `anthropic` in it serves Anthropic’s models in their own format; `/v1/messages` and its token count pass through.',
      'Below an address that ends with `/openai/v1`, `/v1/responses` passes through.',
      'Parameters that the API does not name are passed to the model; `azure_extra_parameters: drop` leaves them out.',
      'A token of a stored identity is for `https://ml.azure.com` at a deployment’s or an endpoint’s own host, else for `https://ai.azure.com`; `cloudB_entra_scope` says otherwise.',
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
