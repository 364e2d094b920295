/**
 * Lists the settings to add when a provider lacks a credential or an address, as they are called where the provider was
 * specified: keys of a config, headers of the request, or members of a stored credential.
 */
import type { ProviderAdapter } from '@gateway/contract'
import { credentialHeader, credentialKeys } from '@gateway/domain'

/**
 * The place where the provider was specified. `stored`: a stored credential or the config file's `providers`; a prefix
 * of `server.header_prefixes`: a request with headers of that prefix.
 */
export type SettingsPlace = 'config' | 'stored' | { headerPrefix: string }

/** Only stored credentials have these members. */
const storedMember = 'configurations.'

/** `The provider NAME needs a credential: next to "provider" in the config, set "api_key", …`. */
export function missingCredential({ name, notes }: ProviderAdapter, place: SettingsPlace): string {
  const alternatives = (notes?.credentials ?? ['api_key'])
    .filter((keys) => place === 'stored' || !keys.startsWith(storedMember))
    .map((keys) => keys.split(' + '))
  return `The provider ${name} needs a credential: ${instruction(alternatives, place)}.`
}

function instruction(alternatives: readonly string[][], place: SettingsPlace): string {
  const list = (write: (key: string) => string) =>
    alternatives.map((keys) => keys.map(write).join(' and ')).join(', or ')
  if (place === 'stored') return `in its entry, set ${list(quoted)}`
  if (place === 'config') {
    return `next to "provider" in the config, set ${list(quoted)}, or use a stored credential ("provider": "@SLUG")`
  }
  const { headerPrefix } = place
  const own = `with your gateway key in ${headerPrefix}api-key`
  const send = (key: string) =>
    key === 'api_key'
      ? `its API key or token as "Authorization: Bearer KEY" ${own}`
      : headerPrefix + credentialHeader(key)
  return `send ${list(send)}, or use a stored credential (${headerPrefix}virtual-key)`
}

/** Adds the headers for the settings to a message about missing settings, if the request specified the provider. */
export function withHeaders(message: string, place: SettingsPlace): string {
  if (typeof place === 'string') return message
  const headers = settingNames
    .filter((key) => new RegExp(`\\b${key}\\b`).test(message))
    .map((key) => place.headerPrefix + credentialHeader(key))
  return headers.length === 0 ? message : `${message} The header of each setting: ${headers.join(', ')}.`
}

const settingNames = Object.keys(credentialKeys)

const quoted = (key: string): string => `"${key}"`
