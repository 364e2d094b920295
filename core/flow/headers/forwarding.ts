/**
 * The headers that pass through the gateway in either direction, and those that it adds (contract sections 2 and 7).
 */
import { hopByHop } from '@gateway/contract'

const nothingNamed: readonly string[] = []

/** Headers listed in `connection` are also hop-by-hop (RFC 9110, section 7.6.1). Lower-case names. */
export function namedByConnection(connection: string | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return nothingNamed
  return connection.split(',').map((name) => name.trim().toLowerCase())
}

/** Headers that a caller may never send to a provider, even if `forward_headers` lists them. */
const neverForwarded: ReadonlySet<string> = new Set([
  ...hopByHop,
  'accept-encoding',
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'user-agent',
  'x-api-key',
  'x-goog-api-key',
])

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** The reason why a name is not allowed in `forward_headers`, or null. */
export function checkForwardedName(name: string, prefixes: readonly string[]): string | null {
  const lower = name.toLowerCase()
  if (!token.test(name)) return `"${name}" is not a header name`
  if (neverForwarded.has(lower)) return `"${name}" cannot be forwarded`
  if (prefixes.some((prefix) => lower.startsWith(prefix))) return `"${name}" is reserved for the gateway`
  if (isScrubbed(lower)) return `"${name}" is removed from every request`
  return null
}

/** Headers about the client's network path, which anyone can forge: removed before anything reads them. */
export function isScrubbed(name: string): boolean {
  return (
    hopByHop.has(name) ||
    name === 'forwarded' ||
    name === 'x-real-ip' ||
    name === 'via' ||
    name.startsWith('x-forwarded-') ||
    name.startsWith('cf-')
  )
}

/**
 * Headers that describe the upstream's body or connection, or instruct browsers about the gateway's origin. Every
 * answer sets its own content type.
 */
const dropped: ReadonlySet<string> = new Set([
  ...hopByHop,
  'alt-svc',
  'clear-site-data',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-security-policy-report-only',
  'content-type',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'date',
  'expect-ct',
  'nel',
  'public-key-pins',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'sourcemap',
  'strict-transport-security',
  'timing-allow-origin',
  'www-authenticate',
  'x-powered-by',
])

/** CORS is controlled by the gateway: `server.cors`. */
const isCors = (name: string): boolean => name.startsWith('access-control-')

/** The headers of an upstream's answer that reach the caller. */
export function passHeaders(
  headers: Readonly<Record<string, string>>,
  prefixes: readonly string[],
): Record<string, string> {
  const passed: Record<string, string> = {}
  const named = namedByConnection(headers.connection)
  for (const name in headers) {
    if (dropped.has(name) || isCors(name) || named.includes(name)) continue
    if (prefixes.some((prefix) => name.startsWith(prefix))) continue
    const value = headers[name]
    if (value !== undefined) passed[name] = value
  }
  return passed
}

/** Whether a provider's answer reports the remaining rate limits or when to retry. */
export function tellsLimits(headers: Readonly<Record<string, string>>, status: number): boolean {
  if (status === 429) return true
  for (const name in headers) if (name.includes('ratelimit')) return true
  return false
}

/** The gateway's headers of an answer, with the prefix that the request used. */
interface OwnNames {
  traceId: string
  optionIndex: string
  retryCount: string
  cacheStatus: string
  cacheSimilarity: string
  provider: string
  virtualKey: string
  attempts: string
  hedgeCount: string
  providerRequestId: string
  missingVariables: string
}

/** Names are cached: a configuration has few prefixes, and building names is expensive. */
const known = new Map<string, OwnNames>()

/** @param prefix one of `server.header_prefixes` */
export function ownNames(prefix: string): OwnNames {
  const names = known.get(prefix)
  if (names !== undefined) return names
  const made = {
    traceId: `${prefix}trace-id`,
    optionIndex: `${prefix}last-used-option-index`,
    retryCount: `${prefix}retry-attempt-count`,
    cacheStatus: `${prefix}cache-status`,
    cacheSimilarity: `${prefix}cache-similarity`,
    provider: `${prefix}provider`,
    virtualKey: `${prefix}virtual-key`,
    attempts: `${prefix}attempts`,
    hedgeCount: `${prefix}hedge-count`,
    providerRequestId: `${prefix}provider-request-id`,
    missingVariables: `${prefix}prompt-missing-variables`,
  }
  known.set(prefix, made)
  return made
}

/**
 * Copies headers for adding more. They are copied name by name, because additions to a spread copy give every object
 * its own hidden class in V8.
 */
export function copyHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const copy: Record<string, string> = {}
  for (const name in headers) copy[name] = headers[name] as string
  return copy
}
