/** Which of an upstream's headers reach the caller. */
import { hopByHop, namedByConnection } from '../headers/forwarding.ts'

/** They describe the upstream's body or its connection, or would speak for the gateway. Every answer says its own type. */
const dropped: ReadonlySet<string> = new Set([
  ...hopByHop,
  'alt-svc',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'set-cookie',
  'x-powered-by',
])

export function passHeaders(
  headers: Readonly<Record<string, string>>,
  prefixes: readonly string[],
): Record<string, string> {
  const passed: Record<string, string> = {}
  const named = namedByConnection(headers.connection)
  for (const name in headers) {
    if (dropped.has(name) || named.includes(name)) continue
    if (prefixes.some((prefix) => name.startsWith(prefix))) continue
    const value = headers[name]
    if (value !== undefined) passed[name] = value
  }
  return passed
}
