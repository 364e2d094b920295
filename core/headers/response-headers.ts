/** The gateway's own headers of an answer, under the prefix that the request used (contract section 2). */

export interface OwnNames {
  traceId: string
  optionIndex: string
  retryCount: string
  cacheStatus: string
  provider: string
  virtualKey: string
  attempts: string
  hedgeCount: string
  providerRequestId: string
}

/** A configuration has few prefixes; a name that is made anew costs more than all that is done with it. */
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
    provider: `${prefix}provider`,
    virtualKey: `${prefix}virtual-key`,
    attempts: `${prefix}attempts`,
    hedgeCount: `${prefix}hedge-count`,
    providerRequestId: `${prefix}provider-request-id`,
  }
  known.set(prefix, made)
  return made
}

/**
 * Copies headers, to add to them. Name by name: what is added to a copy by spread gives every object a shape of its own,
 * which V8 can neither share nor remember.
 */
export function copyHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const copy: Record<string, string> = {}
  for (const name in headers) copy[name] = headers[name] as string
  return copy
}
