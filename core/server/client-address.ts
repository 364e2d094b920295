/**
 * The address of a client behind proxies: `x-forwarded-for` is used only for connections from `server.trusted_proxies`;
 * the client is then the rightmost address that is not such a proxy. Invalid entries are skipped.
 */

import { isListed, parseAddress, type TrustedRange } from '@gateway/domain'

/** @param forwarded the header as Node provides it */
export function clientAddress(
  remote: string,
  forwarded: string | string[] | undefined,
  proxies: readonly TrustedRange[],
): string {
  if (proxies.length === 0 || forwarded === undefined || !isProxy(remote, proxies)) return remote
  const written = [forwarded].flat().join(',').split(',')
  let last = remote
  for (const entry of written.reverse()) {
    const text = bareAddress(entry.trim())
    if (parseAddress(text) === null) continue
    if (!isProxy(text, proxies)) return text
    last = text
  }
  return last
}

export function isProxy(text: string, proxies: readonly TrustedRange[]): boolean {
  const address = parseAddress(text)
  return address !== null && isListed(proxies, address)
}

/** Some proxies append a port, and put IPv6 addresses in brackets. */
function bareAddress(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  return bracketed ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text
}
