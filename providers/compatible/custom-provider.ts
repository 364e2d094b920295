/** A provider of the config file's `custom_providers`: an address and its endpoints, nothing else. */
import { inferenceEndpoints, type ProviderAdapter } from '@gateway/core/contract'
import { compatibleProvider } from '@gateway/provider-kit'

export interface CustomProvider {
  /** The key in `custom_providers`, and its name in configs. */
  name: string
  title?: string | undefined
  docs?: string | undefined
  /** With its version segment; a trailing slash is ignored. */
  base_url: string
  /** Ids of inference endpoints; others are passed over. */
  endpoints: readonly string[]
}

/** The adapter of one entry of `custom_providers`. A credential is sent when there is one. */
export function customProvider(row: CustomProvider): ProviderAdapter {
  return compatibleProvider({
    name: row.name,
    title: row.title ?? row.name,
    docs: row.docs ?? 'https://platform.openai.com/docs/api-reference',
    baseUrl: row.base_url.replace(/\/+$/, ''),
    endpoints: inferenceEndpoints.filter((id) => row.endpoints.includes(id)),
    credential: 'optional',
  })
}
