/** Headers that a secret manager keeps: what is stored is checked when it is written, these only when they are fetched. */
import { customHeaderFault, GatewayError, isObject } from '@gateway/contract'
import type { MappedSecrets } from './stored-credential.ts'

/** As mappings name them. */
export const mappedHeaders = 'configurations.custom_headers'

/**
 * Errors: `upstream_error` for a secret that holds what is no header; it names nothing of the secret.
 * @param prefixes of the gateway's own headers
 */
export function checkMappedHeaders(mapped: MappedSecrets, prefixes: readonly string[]): void {
  const headers = mapped.get(mappedHeaders)
  if (headers === undefined) return
  const areHeaders =
    isObject(headers) &&
    Object.entries(headers).every(
      ([name, value]) => typeof value === 'string' && customHeaderFault(name, value, prefixes) === null,
    )
  if (areHeaders) return
  throw new GatewayError(
    'upstream_error',
    "The secret that the provider's custom_headers are mapped to is no object of headers that may be sent.",
  )
}
