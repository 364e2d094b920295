/** Which of an upstream's headers reach the caller. */
import { hopByHop } from '@gateway/contract'
import { namedByConnection } from '../headers/forwarding.ts'

/**
 * They describe the upstream's body or its connection, or tell a browser what to do with the gateway's own address.
 * Every answer says its own type.
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

/** Which pages of other origins may read an answer is for the gateway to say: `server.cors`. */
const isCors = (name: string): boolean => name.startsWith('access-control-')

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
