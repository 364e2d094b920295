/**
 * Files, batches and fine-tuning jobs of an Azure OpenAI resource. They belong to the resource, not to a deployment:
 * the lines of a batch name the deployment. Dated API versions write endpoints without `/v1`; requests and answers of
 * the gateway always contain it.
 * References: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch,
 * https://learn.microsoft.com/rest/api/azureopenai/batch,
 * https://learn.microsoft.com/rest/api/azureopenai/fine-tuning
 */
import {
  type BatchLines,
  type EndpointId,
  type HttpEndpoint,
  isObject,
  type JsonObject,
  type ProviderSettings,
} from '@gateway/contract'
import { batchesEndpoints, filesEndpoints, fineTuningEndpoints, type PlacePath } from '@gateway/provider-kit'
import { chooseDeployment, versionOf } from './deployment.ts'
import { previewVersion, resourcePath, v1Query } from './openai-path.ts'

/** The model in such a body is not a deployment for the path. */
const place: PlacePath = (operation, _body, settings) => resourcePath(operation, {}, settings)

const isDated = (settings: ProviderSettings): boolean =>
  v1Query(versionOf(settings, previewVersion), settings) === null

const bare = (path: string): string => path.replace(/^\/v1(?=\/)/, '')

const versioned = (endpoint: HttpEndpoint): HttpEndpoint => ({
  ...endpoint,
  dialect: {
    ...endpoint.dialect,
    request(body, context) {
      const sent = endpoint.dialect.request(body, context)
      return isDated(context.settings) && typeof sent.endpoint === 'string'
        ? { ...sent, endpoint: bare(sent.endpoint) }
        : sent
    },
    answer: (body, context) => withV1(endpoint.dialect.answer(body, context)),
  },
})

function withV1(body: JsonObject): JsonObject {
  const { endpoint, data } = body
  if (Array.isArray(data)) return { ...body, data: data.map((one) => (isObject(one) ? withV1(one) : one)) }
  return typeof endpoint === 'string' && !endpoint.startsWith('/v1/')
    ? { ...body, endpoint: `/v1${endpoint}` }
    : body
}

/** The batch endpoints, with endpoint names as the API version writes them. */
export const versionedBatches = (at: PlacePath): Partial<Record<EndpointId, HttpEndpoint>> =>
  Object.fromEntries(Object.entries(batchesEndpoints(at)).map(([id, endpoint]) => [id, versioned(endpoint)]))

export const objectEndpoints: Partial<Record<EndpointId, HttpEndpoint>> = {
  ...filesEndpoints(place),
  ...versionedBatches(place),
  ...fineTuningEndpoints(place),
}

export const batchLines: BatchLines = {
  id: 'custom_id',
  write: ({ path, body }, settings) => ({
    method: 'POST',
    url: isDated(settings) ? bare(path) : path,
    body: { ...body, model: chooseDeployment(body, settings, previewVersion).name },
  }),
}
