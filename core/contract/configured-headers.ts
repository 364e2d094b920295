/** Which header names a config, a check or a credential may add to a call. */

/** Headers that apply to one connection and are never forwarded (RFC 9110, section 7.6.1). */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Framing and host headers are set by the HTTP client. */
const framing: ReadonlySet<string> = new Set(['content-length', 'expect', 'host'])

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const line = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The reason why a header may not be added, as a clause that follows its name; null if it may be added.
 * @param prefixes of the gateway's own headers
 */
export function configuredHeaderFault(
  name: string,
  value: unknown,
  prefixes: readonly string[] = ['x-gateway-'],
): string | null {
  const lower = name.toLowerCase()
  if (!token.test(name)) return 'is not a header name'
  if (hopByHop.has(lower) || framing.has(lower)) return 'cannot be set'
  if (prefixes.some((prefix) => lower.startsWith(prefix))) return 'is reserved for the gateway'
  return typeof value !== 'string' || line.test(value) ? null : 'contains characters not allowed in a header'
}

/** The same as {@link configuredHeaderFault} for provider calls, where the dialect sets the body's format. */
export const customHeaderFault = (
  name: string,
  value: unknown,
  prefixes?: readonly string[],
): string | null =>
  name.toLowerCase() === 'content-type' ? 'cannot be set' : configuredHeaderFault(name, value, prefixes)
