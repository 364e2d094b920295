/**
 * The endpoints of an Azure AI model: Anthropic models use their own format, others the Model Inference API; below
 * `…/openai/v1` there are also responses.
 * References: https://learn.microsoft.com/rest/api/aifoundry/modelinference/,
 * https://learn.microsoft.com/azure/ai-foundry/foundry-models/how-to/use-foundry-models-claude
 * Errors: `unsupported_endpoint` for operations that the model does not support.
 */
import {
  type ChoiceEndpoint,
  type Dialect,
  type EndpointId,
  GatewayError,
  type HttpEndpoint,
  type ProviderEndpoint,
  type ProviderSettings,
} from '@gateway/contract'
import {
  anthropicDialect,
  anthropicVersion,
  compatibleDialect,
  countTokensDialect,
  filesEndpoints,
  messagesDialect,
  messagesHeaders,
  type PlacePath,
  responsesEndpoints,
} from '@gateway/provider-kit'
import { versionedBatches } from './batches.ts'
import { filteredDialect } from './content-filter.ts'
import {
  foundryHeaders,
  isAnthropic,
  isOpenaiV1,
  isServerless,
  messagesPath,
  objectsBase,
  versionedPath,
} from './foundry-address.ts'
import { previewVersion } from './openai-path.ts'

/** Drops the request for usage when the deployment refuses it; its streams end with the usage anyway. */
function inference(dialect: Dialect): Dialect {
  return {
    ...dialect,
    request(body, context) {
      const sent = dialect.request(body, context)
      if (sent.stream_options === undefined || !isServerless(context.settings)) return sent
      const { stream_options: _, ...rest } = sent
      return rest
    },
  }
}

const plain = (operation: string, dialect: Dialect): HttpEndpoint => ({
  kind: 'http',
  method: 'POST',
  path: (_, settings) => versionedPath(settings, operation),
  dialect: inference(dialect),
  headers: (_, { settings }) => foundryHeaders(settings),
})

/** An operation of Anthropic models; forwards the caller's API version and beta features. */
const anthropic = (operation: string, dialect: Dialect): HttpEndpoint => ({
  kind: 'http',
  method: 'POST',
  path: (_, settings) => messagesPath(settings, operation),
  dialect,
  passes: messagesHeaders,
})

const anthropicChat: HttpEndpoint = {
  ...anthropic('/messages', anthropicDialect),
  passes: [],
  headers: () => ({ 'anthropic-version': anthropicVersion }),
}

/** An endpoint that only some models support. */
function only(
  has: (settings: ProviderSettings) => boolean,
  id: EndpointId,
  endpoint: HttpEndpoint,
): ChoiceEndpoint {
  return {
    kind: 'choice',
    ...(endpoint.passes === undefined ? {} : { passes: endpoint.passes }),
    choose(_, settings) {
      if (has(settings)) return endpoint
      throw new GatewayError('unsupported_endpoint', `This model of azure-ai does not support ${id}.`)
    },
  }
}

const isInference = (settings: ProviderSettings): boolean => !isAnthropic(settings)

const chat = plain('/chat/completions', filteredDialect('chatComplete'))

const native = (id: 'messages' | 'countTokens', operation: string, dialect: Dialect): ChoiceEndpoint =>
  only(isAnthropic, id, anthropic(operation, dialect))

const inferred = (id: EndpointId, operation: string, dialect: Dialect): ChoiceEndpoint =>
  only(isInference, id, plain(operation, dialect))

const responses = Object.entries(responsesEndpoints()).map(
  ([id, endpoint]) => [id, only(isOpenaiV1, id as EndpointId, endpoint)] as const,
)

/** An operation of the resource's own models; the API version comes from the address or the settings. */
const objectPlace: PlacePath = (operation, _body, settings) =>
  isOpenaiV1(settings)
    ? `/v1${operation}`
    : `${operation}?${new URLSearchParams({ 'api-version': objectVersion(settings) })}`

/** These operations take no version of the Model Inference API. */
const objectVersion = ({ api_version: version }: ProviderSettings): string =>
  version !== undefined && /^\d{4}-/.test(version) ? version : previewVersion

const objects = Object.entries({ ...filesEndpoints(objectPlace), ...versionedBatches(objectPlace) }).map(
  ([id, endpoint]): [EndpointId, ChoiceEndpoint] => [
    id as EndpointId,
    only(isInference, id as EndpointId, { ...endpoint, base: objectsBase }),
  ],
)

export const foundryEndpoints: Partial<Record<EndpointId, ProviderEndpoint>> = {
  chatComplete: { kind: 'choice', choose: (_, settings) => (isAnthropic(settings) ? anthropicChat : chat) },
  messages: native('messages', '/messages', messagesDialect),
  countTokens: native('countTokens', '/messages/count_tokens', countTokensDialect),
  complete: inferred('complete', '/completions', filteredDialect('complete')),
  embed: inferred('embed', '/embeddings', compatibleDialect('embed')),
  imageGenerate: inferred('imageGenerate', '/images/generations', compatibleDialect('imageGenerate')),
  ...Object.fromEntries(responses),
  ...Object.fromEntries(objects),
}
