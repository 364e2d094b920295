/** Where a tenant's API is, and the key of the application that calls it. */
import type { JsonObject } from '@gateway/contract'

export interface Access {
  url: string
  key: string
}

/**
 * The parameters' domain and key, else those of the settings. The settings' key goes to no domain that a caller's
 * parameters name.
 * @throws Error that says what is missing
 */
export function accessOf(
  own: { apiDomain?: string | undefined; apiKey?: string | undefined },
  settings: Readonly<JsonObject>,
): Access {
  const domain = own.apiDomain ?? settings.apiDomain
  if (typeof domain !== 'string')
    throw new Error('apiDomain is missing: set plugins.settings.promptsecurity.apiDomain, or the parameter')
  const isOwnDomain = own.apiDomain !== undefined && own.apiDomain !== settings.apiDomain
  if (isOwnDomain && own.apiKey === undefined)
    throw new Error('apiKey is missing: the key of the settings is not sent to a domain of the parameters')
  const key = own.apiKey ?? settings.apiKey
  if (typeof key !== 'string')
    throw new Error('apiKey is missing: set plugins.settings.promptsecurity.apiKey, or the parameter')
  const { baseUrl } = settings
  const base = typeof baseUrl === 'string' ? baseUrl.replace(/\/$/, '') : `https://${domain}`
  return { url: `${base}/api/protect`, key }
}
