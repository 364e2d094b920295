/** The client headers that are forwarded to the upstream: those that the integration lists, or all except some. */
import { configuredHeaderFault, isObject, type Json } from '@gateway/contract'

type Headers = Readonly<Record<string, string>>

/** Never forwarded, because they belong to the message, the connection or the client's own session. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...[
    'accept',
    'accept-encoding',
    'content-type',
    'content-encoding',
    'cookie',
    'user-agent',
    'authorization',
  ],
  ...['x-api-key', 'x-goog-api-key', 'origin', 'referer', 'last-event-id'],
])

/** Header names of the protocol. */
const protocolHeader = /^(?:mcp-|sec-|access-control-)/

function reasonAgainst(name: string): string | null {
  if (ownHeaders.has(name) || protocolHeader.test(name)) return 'cannot be forwarded'
  return configuredHeaderFault(name, '')
}

const mayPass = (name: string): boolean => reasonAgainst(name) === null

/** Names that cannot be forwarded, with their position below `forward_headers`. Any name may be excluded. */
export function forwardFaults(rules: Json | undefined): { at: string; reason: string }[] {
  if (isObject(rules) && rules.mode === 'all-except') return []
  const [listed, below] = isObject(rules) ? [rules.headers, '/headers'] : [rules, '']
  return (Array.isArray(listed) ? listed : []).flatMap((entry, index) => {
    const named: [string, Json | undefined][] = isObject(entry)
      ? [
          ['/from', entry.from],
          ['/to', entry.to],
        ]
      : [['', entry]]
    return named.flatMap(([member, name]) => {
      const reason = typeof name === 'string' ? reasonAgainst(name.toLowerCase()) : null
      return reason === null ? [] : [{ at: `${below}/${index}${member}`, reason }]
    })
  })
}

/** @param rules `configurations.forward_headers` */
export function forwardedHeaders(rules: Json | undefined, headers: Headers): Record<string, string> {
  if (Array.isArray(rules)) return named(rules, headers)
  if (!isObject(rules)) return {}
  const listed = Array.isArray(rules.headers) ? rules.headers : []
  if (rules.mode !== 'all-except') return named(listed, headers)
  const refused = new Set(listed.map((entry) => fromOf(entry)))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => mayPass(name) && !refused.has(name)))
}

const fromOf = (entry: Json): string =>
  (typeof entry === 'string' ? entry : isObject(entry) ? String(entry.from ?? '') : '').toLowerCase()

function named(entries: readonly Json[], headers: Headers): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const entry of entries) {
    const from = fromOf(entry)
    const to = isObject(entry) && typeof entry.to === 'string' ? entry.to.toLowerCase() : from
    const value = Object.hasOwn(headers, from) ? headers[from] : undefined
    if (value !== undefined && mayPass(from) && mayPass(to)) passed[to] = value
  }
  return passed
}
