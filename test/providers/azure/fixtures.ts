/** The package's adapters by name, and the call that each would make. */
import type {
  EndpointId,
  HttpEndpoint,
  JsonObject,
  ProviderAdapter,
  ProviderSettings,
} from '@gateway/contract'
import adapters from '@gateway/provider-azure'

export function adapterOf(name: string): ProviderAdapter {
  const adapter = adapters.find((each) => each.name === name)
  if (adapter === undefined) throw new Error(`no ${name}`)
  return adapter
}

/** The HTTP endpoint that serves a body. */
export function endpointOf(
  settings: ProviderSettings,
  id: EndpointId = 'chatComplete',
  body: JsonObject = { model: 'gpt-4o' },
): HttpEndpoint {
  const declared = adapterOf(settings.provider).endpoints[id]
  const endpoint = declared?.kind === 'choice' ? declared.choose(body, settings) : declared
  if (endpoint?.kind !== 'http') throw new Error(`${id} is no HTTP endpoint`)
  return endpoint
}

/** The URL of a call, including a custom host. */
export function urlOf(
  settings: ProviderSettings,
  id: EndpointId = 'chatComplete',
  body: JsonObject = { model: 'gpt-4o' },
): string {
  const { baseUrl } = adapterOf(settings.provider)
  const base = settings.custom_host ?? (typeof baseUrl === 'function' ? baseUrl(settings) : baseUrl)
  const { path } = endpointOf(settings, id, body)
  return `${base}${typeof path === 'string' ? path : path(body, settings)}`
}
