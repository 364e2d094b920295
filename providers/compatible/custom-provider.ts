/** A provider in the config file's `custom_providers`: a base URL and its endpoints. */
import {
  type EndpointId,
  inferenceEndpoints,
  type ProviderAdapter,
  type ProviderEndpoint,
} from '@gateway/contract'
import {
  audioEndpoints,
  compatibleProvider,
  imageEditEndpoint,
  modelsEndpoint,
  moderationEndpoint,
  responsesEndpoints,
  systemRole,
} from '@gateway/provider-kit'

export interface CustomProvider {
  /** The key in `custom_providers`, and its name in configs. */
  name: string
  title?: string | undefined
  docs?: string | undefined
  /** The base URL with its version segment; a trailing slash is ignored. */
  base_url: string
  /** Endpoint ids; ids that the format does not have are ignored. */
  endpoints: readonly string[]
}

/** The adapter of one entry of `custom_providers`. A credential is sent if one is set. */
export function customProvider(row: CustomProvider): ProviderAdapter {
  return compatibleProvider({
    name: row.name,
    // The operator chose the name, even if a vendor has the same one.
    priceList: null,
    title: row.title ?? row.name,
    docs: row.docs ?? 'https://platform.openai.com/docs/api-reference',
    baseUrl: row.base_url.replace(/\/+$/, ''),
    endpoints: inferenceEndpoints.filter((id) => row.endpoints.includes(id)),
    // The vendor of Gemini defines it at its own compatible endpoint.
    rules: { chatComplete: { ...systemRole, defines: ['extra_content'] } },
    own: furtherEndpoints(row.endpoints),
    credential: 'optional',
  })
}

const further: Partial<Record<EndpointId, ProviderEndpoint>> = {
  ...audioEndpoints,
  moderate: moderationEndpoint,
  imageEdit: imageEditEndpoint,
  listModels: modelsEndpoint,
}

/** A server that creates responses also stores them. */
function furtherEndpoints(ids: readonly string[]): Partial<Record<EndpointId, ProviderEndpoint>> {
  const named = Object.entries(further).filter(([id]) => ids.includes(id))
  const responses = ids.includes('createModelResponse') ? responsesEndpoints() : {}
  return { ...Object.fromEntries(named), ...responses }
}
