/**
 * Azure OpenAI. With a dated `api_version` the deployment is in the path; with `v1` (or `preview`) it is the body's
 * `model`, below `/v1`.
 * Reference: https://learn.microsoft.com/azure/ai-foundry/openai/reference
 */
import {
  type CallContext,
  type Dialect,
  type EndpointId,
  GatewayError,
  type HttpEndpoint,
  type Json,
  type JsonObject,
  type ProviderAdapter,
  type ProviderSettings,
} from '@gateway/contract'
import {
  audioEndpoints,
  compatibleDialect,
  imageEditEndpoint,
  newerParameters,
  responsesDialect,
  responsesEndpoints,
} from '@gateway/provider-kit'
import { azureAuth } from './auth.ts'
import { batchLines, objectEndpoints } from './batches.ts'
import { openaiConfigurations } from './configurations.ts'
import { filteredDialect } from './content-filter.ts'
import { chooseDeployment } from './deployment.ts'
import { deploymentPath, previewVersion, resourcePath, stableVersion, v1Query } from './openai-path.ts'
import { ownIdentity } from './own-identity.ts'
import { configuredText, hostLabel } from './settings.ts'

/** The body with the deployment as its model; the same object when both names are equal. */
function deployed(body: JsonObject, { settings }: CallContext, standard: string): JsonObject {
  const { name, apiVersion } = chooseDeployment(body, settings, standard)
  const isNamed = v1Query(apiVersion, settings) !== null
  return isNamed && body.model !== name ? { ...body, model: name } : body
}

/** The first version that supports `stream_options`; earlier ones refuse it with 400. */
const firstWithUsage = '2024-09'

/** The gateway's own request for stream usage is dropped for versions that do not support it. */
function withoutUnknownUsage(body: JsonObject, { request, settings }: CallContext): JsonObject {
  if (body.stream_options === undefined || isAsked(request.stream_options)) return body
  const { apiVersion } = chooseDeployment(body, settings, stableVersion)
  if (!/^\d{4}-/.test(apiVersion) || apiVersion >= firstWithUsage) return body
  const { stream_options: _, ...rest } = body
  return rest
}

const isAsked = (options: Json | undefined) => options !== undefined && options !== null

/** An operation of a deployment; in the v1 API the body names the deployment instead of the path. */
function operation(endpoint: HttpEndpoint, standard: string): HttpEndpoint {
  const { path, dialect } = endpoint
  return {
    ...endpoint,
    path: typeof path === 'string' ? deploymentPath(path, standard) : path,
    dialect: {
      ...dialect,
      request: (body, context) => deployed(dialect.request(body, context), context, standard),
    },
  }
}

const usageAware = (dialect: Dialect): Dialect => ({
  ...dialect,
  request: (body, context) => withoutUnknownUsage(dialect.request(body, context), context),
})

const post = (path: string, dialect: Dialect): HttpEndpoint =>
  operation({ kind: 'http', method: 'POST', path, dialect }, stableVersion)

/** Creates a response; in every API version the body names the deployment. */
const createResponse: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: (body, settings) => resourcePath('/responses', body, settings),
  dialect: {
    ...responsesDialect,
    request(body, context) {
      const sent = responsesDialect.request(body, context)
      if (sent.model === undefined) return sent
      const { name } = chooseDeployment(sent, context.settings, previewVersion)
      return sent.model === name ? sent : { ...sent, model: name }
    },
  },
}

const endpoints: Partial<Record<EndpointId, HttpEndpoint>> = {
  chatComplete: post('/chat/completions', usageAware(filteredDialect('chatComplete', newerParameters))),
  complete: post('/completions', usageAware(filteredDialect('complete'))),
  embed: post('/embeddings', compatibleDialect('embed')),
  imageGenerate: post('/images/generations', compatibleDialect('imageGenerate')),
  imageEdit: operation(imageEditEndpoint, previewVersion),
  createSpeech: operation(audioEndpoints.createSpeech, previewVersion),
  createTranscription: operation(audioEndpoints.createTranscription, stableVersion),
  createTranslation: operation(audioEndpoints.createTranslation, stableVersion),
  ...responsesEndpoints(resourcePath),
  ...objectEndpoints,
  createModelResponse: createResponse,
}

function baseUrl(settings: ProviderSettings): string {
  const resource = settings.resource_name ?? configuredText(settings, 'azure_resource_name')
  if (resource === null) {
    throw new GatewayError(
      'no_provider',
      'The provider azure-openai requires a resource_name or a custom_host.',
    )
  }
  return `https://${hostLabel(resource, { key: 'resource_name', provider: 'azure-openai' })}.openai.azure.com/openai`
}

export const azureOpenai: ProviderAdapter = {
  name: 'azure-openai',
  priceList: 'azure',
  title: 'Azure OpenAI',
  docs: 'https://learn.microsoft.com/azure/ai-foundry/openai/reference',
  baseUrl,
  credential: 'required',
  auth: azureAuth({
    keyHeader: () => 'api-key',
    scope: () => 'https://cognitiveservices.azure.com/.default',
  }),
  ownIdentity,
  endpoints,
  batchLines,
  configurations: openaiConfigurations,
  stored: {
    required: ['azure_auth_mode', 'azure_resource_name', 'azure_deployment_config'],
    keyed: { member: 'azure_auth_mode', values: ['default'] },
  },
  notes: {
    remarks: [
      'The gateway’s own identity is only sent to the vendor’s hosts and to `security.trusted_hosts`; with another `custom_host` a stored credential needs its own secret.',
      'The deployment is the entry of `deployments` (or `azure_deployment_config`) whose `alias` is the model, otherwise the entry with `is_default`; without a list it is `deployment_id`, otherwise the model’s name.',
      '`api_version: v1` (or `preview`) calls the v1 API, where the deployment is the body’s `model`; the default `api_version` is `2024-10-21`, and `2025-04-01-preview` for speech, image edits and `/v1/responses`.',
      'An `api_key` that is an Entra access token is sent as a bearer token.',
      'Chunks with only content filter results are sent only with `strict_compat_compliance: false`.',
    ],
    credentials: ['api_key', 'configurations.azure_auth_mode'],
    example: {
      provider: 'azure-openai',
      api_key: `\${AZURE_OPENAI_API_KEY}`,
      resource_name: 'my-resource',
      deployments: [
        { deployment_id: 'prod-gpt-4o', alias: 'gpt-4o', api_version: '2024-10-21', is_default: true },
      ],
    },
  },
}
