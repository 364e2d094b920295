/**
 * Entries of `security.trusted_hosts`, `server.trusted_proxies` and `allowed_ips`: IPv4 and IPv6 addresses and ranges.
 */
import { type Address, parseAddress, parseLiteral, unmapped } from './ip-address.ts'

export interface TrustedRange {
  address: Address
  /** Leading bits that an address must share with `address`. */
  bits: number
}

/** An address, optionally followed by a slash and a number without leading zeros. */
const written = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/

/** An IPv4-mapped range this long or longer is a range of IPv4 addresses. */
const mappedBits = 96

/**
 * Reads one entry: `10.1.2.3`, `10.1.0.0/16`, `fd00::1`, `fd00::/8`. An IPv4-mapped entry means the IPv4 addresses.
 * @throws Error that names an entry with another form
 */
export function parseTrustedHost(entry: string): TrustedRange {
  const range = parseRange(entry)
  if (range === null) throw malformed(entry)
  return range
}

/** The same as {@link parseTrustedHost}, but returns null for an invalid entry. */
export function parseRange(entry: string): TrustedRange | null {
  const [, text = '', length] = written.exec(entry) ?? []
  const address = parseLiteral(text)
  if (address === null) return null
  const width = address.kind() === 'ipv4' ? 32 : 128
  const bits = length === undefined ? width : Number(length)
  if (bits > width) return null
  const plain = unmapped(address)
  if (plain.kind() === address.kind()) return { address, bits }
  return bits < mappedBits ? { address, bits } : { address: plain, bits: bits - mappedBits }
}

/** Whether one of the ranges contains the address. */
export function isListed(ranges: readonly TrustedRange[], address: Address): boolean {
  return ranges.some((range) => range.address.kind() === address.kind() && matches(range, address))
}

/**
 * Creates a test for whether an address, as text, is in a list of entries. Invalid addresses match no list; invalid
 * entries match no address.
 */
export function addressMatcher(entries: readonly string[]): (address: string) => boolean {
  const ranges = entries.map(parseRange).filter((range) => range !== null)
  return (text) => {
    const address = parseAddress(text)
    return address !== null && isListed(ranges, address)
  }
}

const matches = (range: TrustedRange, address: Address) => address.match(range.address, range.bits)

function malformed(entry: string): Error {
  return new Error(
    `trusted_hosts: ${JSON.stringify(entry)} is neither an IP address nor a range such as 10.1.0.0/16`,
  )
}
