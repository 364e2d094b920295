/**
 * Settings of an Azure resource from a config or a stored credential. The config's keys override stored ones with the
 * same meaning. Errors: `no_provider` for a name that cannot be part of a host.
 */
import { GatewayError, isObject, type JsonObject, type ProviderSettings } from '@gateway/contract'

/** One text in a stored credential's `configurations`; null when it is not set. */
export function configuredText(settings: ProviderSettings, name: string): string | null {
  const value = settings.configurations?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** The objects of one list in a stored credential's `configurations`. */
export function configuredList(settings: ProviderSettings, name: string): JsonObject[] {
  const value = settings.configurations?.[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

interface HostLabelOptions {
  key: string
  provider: string
  isDotted?: boolean
}

/**
 * A name as one label of a host (or several, separated by dots), in lower case, checked so that it cannot lead to
 * another host.
 */
export function hostLabel(name: string, { key, provider, isDotted = false }: HostLabelOptions): string {
  const pattern = isDotted ? /^[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,3}$/i : /^[a-z\d-]{1,63}$/i
  if (pattern.test(name)) return name.toLowerCase()
  throw new GatewayError('no_provider', `The ${key} of ${provider} cannot be part of a host's name.`)
}
