/**
 * Compares redirect URIs with the registered ones exactly, except for the port of a loopback address (RFC 8252, section
 * 7.3).
 */

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

export const isLoopbackUri = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && loopback.has(hostname)

export function isRegistered(registered: readonly string[], given: string): boolean {
  if (registered.includes(given)) return true
  if (!URL.canParse(given)) return false
  const url = new URL(given)
  return isLoopbackUri(url) && registered.some((one) => isSameButPort(new URL(one), url))
}

const isSameButPort = (one: URL, other: URL): boolean =>
  isLoopbackUri(one) &&
  one.hostname === other.hostname &&
  one.pathname === other.pathname &&
  one.search === other.search &&
  other.hash === ''
