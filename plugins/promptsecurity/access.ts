/** Where a tenant's API is, and the key of the application that calls it. */
import type { JsonObject } from '@gateway/contract'
import { keyOf, urlOf } from '@gateway/plugin-kit'

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
  const key = keyOf('promptsecurity', { key: 'apiKey', url: 'apiDomain' }, own, settings)
  return { url: `${urlOf('baseUrl', {}, settings, `https://${domain}`)}/api/protect`, key }
}
