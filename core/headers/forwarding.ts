/** Which headers may cross the gateway, in either direction (contract sections 2 and 7). */
import { hopByHop } from '@gateway/contract'

const nothingNamed: readonly string[] = []

/** What a `connection` header names is of one connection as well (RFC 9110, section 7.6.1). Lower-case names. */
export function namedByConnection(connection: string | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return nothingNamed
  return connection.split(',').map((name) => name.trim().toLowerCase())
}

/** What a caller may never send to a provider, whatever `forward_headers` says. */
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
])

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Why a name may not stand in `forward_headers`, or null. */
export function checkForwardedName(name: string, prefixes: readonly string[]): string | null {
  const lower = name.toLowerCase()
  if (!token.test(name)) return `"${name}" is not a header name`
  if (neverForwarded.has(lower)) return `"${name}" cannot be forwarded`
  if (prefixes.some((prefix) => lower.startsWith(prefix))) return `"${name}" is the gateway's own`
  if (isScrubbed(lower)) return `"${name}" is removed from every request`
  return null
}

/** Headers that say something about the caller's path here, which anyone can write: removed before anything reads them. */
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
