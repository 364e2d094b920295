/**
 * Headers from secret managers. They are validated when they are fetched, as stored headers are when they are written.
 */
import { customHeaderFault, GatewayError, isObject } from '@gateway/contract'
import type { MappedSecrets } from './stored-credential.ts'

/** Header names as used in mappings. */
export const mappedHeaders = 'configurations.custom_headers'

/**
 * Errors: `upstream_error` for a secret that is not a valid header; the message reveals nothing of the secret.
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
    "The secret that the provider's custom_headers are mapped to is not an object of allowed headers.",
  )
}
