/**
 * The host guard: which hosts the gateway may connect to when a caller or a config chose the host. A name is resolved,
 * every address is checked, and the connection uses a checked address. Only public addresses and the entries of
 * `security.trusted_hosts` are allowed. Errors: `host_not_allowed`.
 */
import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { GatewayError } from '@gateway/contract'
import { carriedAddress, isListed, isPublicAddress, parseAddress, parseTrustedHost } from '@gateway/domain'
import type { HostCheck } from '@gateway/flow'

export interface HostGuard extends HostCheck {
  /** The same for a host alone: a name, or an address with or without brackets. */
  checkHost(hostname: string): string | null
  /** Whether a connection may go to this address. */
  allows(address: string): boolean
  /** {@link resolve} for `net.connect`, which does not ask it about addresses: connect by connector.ts instead. */
  lookup: LookupFunction
}

export interface HostGuardOptions {
  /** Entries of `security.trusted_hosts`. */
  trustedHosts: readonly string[]
  /** Default: the operating system's resolver. */
  resolve?: (hostname: string) => Promise<LookupAddress[]>
}

/** Names of cloud metadata services: always refused, without resolving them, even if trusted. */
const metadataNames: ReadonlySet<string> = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
])

/** The addresses of `localhost` and every name below it (RFC 6761). */
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const refusedAddress =
  'is a private, loopback, link-local, metadata or otherwise reserved address that security.trusted_hosts does not list'

/**
 * Creates the guard of one configuration.
 * @throws Error that names the entry of `trustedHosts` that is neither an address nor a range
 */
export function createHostGuard(options: HostGuardOptions): HostGuard {
  const trusted = options.trustedHosts.map(parseTrustedHost)
  const askResolver = options.resolve ?? ((hostname) => dns.lookup(hostname, { all: true, verbatim: true }))

  const allows = (text: string): boolean => {
    const address = parseAddress(text)
    if (address === null) return false
    if (isListed(trusted, address)) return true
    const carried = carriedAddress(address)
    if (carried === null) return isPublicAddress(address)
    if (!carried.instead && !isPublicAddress(address)) return false
    return isListed(trusted, carried.ipv4) || isPublicAddress(carried.ipv4)
  }

  const checkHost = (hostname: string): string | null => {
    const host = bareHost(hostname)
    if (host === '') return 'has no host'
    if (metadataNames.has(host)) return 'is the name of a cloud metadata service'
    if (isIP(host) !== 0) return allows(host) ? null : refusedAddress
    if (isLocalhost(host)) return loopback.some(({ address }) => allows(address)) ? null : refusedAddress
    return null
  }

  const isTrusted = (written: string): boolean => {
    const host = bareHost(readUrl(written)?.hostname ?? '')
    const addresses = isLocalhost(host) ? loopback.map(({ address }) => address) : [host]
    return addresses.some((text) => {
      const address = parseAddress(text)
      return address !== null && isListed(trusted, address)
    })
  }

  const resolve = async (hostname: string): Promise<LookupAddress[]> => {
    if (checkHost(hostname) !== null) throw hostNotAllowed()
    const host = bareHost(hostname)
    if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }]
    // Both loopback addresses are known in advance, so trusting one of them is sufficient, and no resolver can return
    // others.
    if (isLocalhost(host)) return loopback.filter(({ address }) => allows(address))
    const addresses = await askResolver(hostname)
    // One refused address refuses the name: a client could connect to any of them.
    if (!addresses.every(({ address }) => allows(address))) throw hostNotAllowed()
    return addresses
  }

  return {
    checkUrl: (url) => checkUrl(url, checkHost),
    checkHost,
    allows,
    isTrusted,
    resolve,
    lookup: createLookup(resolve),
  }
}

/** The refusal. It reveals neither the resolved addresses nor the requested host. */
export function hostNotAllowed(reason: string = refusedAddress): GatewayError {
  return new GatewayError('host_not_allowed', `The host is not allowed: it ${reason}.`)
}

function checkUrl(written: string | URL, checkHost: HostGuard['checkHost']): string | null {
  const url = typeof written === 'string' ? readUrl(written) : written
  if (url === null) return 'is not a URL'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'does not begin with http:// or https://'
  if (url.username !== '' || url.password !== '') return 'contains a user name or password'
  return checkHost(url.hostname)
}

/** The WHATWG parser normalises every spelling of an address. */
const readUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null)

function bareHost(hostname: string): string {
  if (hostname.startsWith('[') && hostname.endsWith(']')) return hostname.slice(1, -1)
  let end = hostname.length
  while (end > 0 && hostname[end - 1] === '.') end -= 1
  return hostname.slice(0, end).toLowerCase()
}

const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

/** Calls back in a separate tick, so that an exception of the connector is not treated as a rejected promise. */
function createLookup(resolve: HostGuard['resolve']): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const family = familyOf(options.family)
        const usable = family === 0 ? addresses : addresses.filter((address) => address.family === family)
        const [first] = usable
        if (first === undefined) process.nextTick(callback, nothingFound(), [])
        else if (options.all === true) process.nextTick(callback, null, usable)
        else process.nextTick(callback, null, first.address, first.family)
      },
      (error: unknown) => process.nextTick(callback, error, []),
    )
  }
}

function familyOf(family: number | 'IPv4' | 'IPv6' | undefined): number {
  if (family === 'IPv4') return 4
  if (family === 'IPv6') return 6
  return family ?? 0
}

const nothingFound = (): Error =>
  Object.assign(new Error('The host name has no address.'), { code: 'ENOTFOUND' })
