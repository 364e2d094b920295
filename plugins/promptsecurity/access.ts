/** The address of a tenant's API, and the key of the application that calls it. */
import type { JsonObject } from '@gateway/contract'
import { keyOf, urlOf } from '@gateway/plugin-kit'

export interface Access {
  url: string
  key: string
}

/**
 * The domain and key of the parameters, otherwise those of the settings. The key of the settings is never sent to a
 * domain in a caller's parameters.
 * @throws Error that names the missing setting
 */
export function accessOf(
  own: { apiDomain?: string | undefined; apiKey?: string | undefined },
  settings: Readonly<JsonObject>,
): Access {
  const domain = own.apiDomain ?? settings.apiDomain
  if (typeof domain !== 'string')
    throw new Error('apiDomain is missing: set plugins.settings.promptsecurity.apiDomain, or the parameter')
  const key = keyOf('promptsecurity', { key: 'apiKey', url: 'apiDomain' }, { parameters: own, settings })
  return { url: `${urlOf('baseUrl', {}, { settings, vendorUrl: `https://${domain}` })}/api/protect`, key }
}
