/** Which of an upstream's headers reach the caller. */
import { hopByHop } from '../config/forwarding.ts'

/** They describe the upstream's bytes or its connection, or would speak for the gateway. */
const dropped: ReadonlySet<string> = new Set([
  ...hopByHop,
  'alt-svc',
  'content-encoding',
  'content-length',
  'date',
  'set-cookie',
  'x-powered-by',
])

export function passHeaders(
  headers: Readonly<Record<string, string>>,
  prefixes: readonly string[],
): Record<string, string> {
  const passed: Record<string, string> = {}
  // What `connection` names is of one connection as well (RFC 9110, section 7.6.1).
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  for (const name in headers) {
    if (dropped.has(name) || named.includes(name)) continue
    if (prefixes.some((prefix) => name.startsWith(prefix))) continue
    const value = headers[name]
    if (value !== undefined) passed[name] = value
  }
  return passed
}
