/**
 * Parses IP addresses, and tells which of them belong to the public internet. Registries:
 * https://www.iana.org/assignments/iana-ipv4-special-registry/,
 * https://www.iana.org/assignments/iana-ipv6-special-registry/, and the RFCs named below.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Cloud metadata addresses that lie in ordinary unicast space; the others (169.254.169.254, 100.100.100.200,
 * 192.0.0.192, fd00:ec2::254 …) lie in ranges that are not public anyway.
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const unicastMetadata: ReadonlySet<string> = new Set(['168.63.129.16'])

/** Everything that is delegated for the public internet today (RFC 4291); no address outside of it is public. */
const globalUnicast: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3')

/** The well-known prefix of NAT64 (RFC 6052), in front of an IPv4 address. */
const nat64: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Parses an address in its usual notation; an IPv4-mapped address becomes IPv4. Null when the text is not an address.
 */
export function parseAddress(text: string): Address | null {
  const address = parseLiteral(text)
  return address === null ? null : unmapped(address)
}

/** The same, but an IPv4-mapped address is left unchanged. */
export function parseLiteral(text: string): Address | null {
  const zone = text.indexOf('%')
  switch (isIP(text)) {
    case 4:
      return ipaddr.IPv4.parse(text)
    case 6:
      return parseIpv6(zone === -1 ? text : text.slice(0, zone))
    default:
      return null
  }
}

/** Normalised by a URL, which writes only hexadecimal, because ipaddr.js parses `::8.8.8.8` as a mapped address. */
const parseIpv6 = (text: string): ipaddr.IPv6 =>
  ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1))

/** The IPv4 address in an IPv4-mapped one; any other address unchanged. */
export function unmapped(address: Address): Address {
  return isIpv6(address) && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Whether an address is on the public internet and is not a metadata service. */
export function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv4') return !unicastMetadata.has(address.toString())
  return address.match(globalUnicast)
}

/**
 * The IPv4 address embedded in an IPv6 address that only wraps it: NAT64 and ISATAP (RFC 5214, with any prefix).
 * `instead`: only the IPv4 address is checked. Null: no embedded address. 6to4, Teredo, the local NAT64 prefix and
 * IPv4-compatible addresses embed one, too, but none of them is public.
 */
export function carriedAddress(address: Address): { ipv4: ipaddr.IPv4; instead: boolean } | null {
  if (!isIpv6(address)) return null
  const instead = address.match(nat64)
  const { parts } = address
  const isIsatap = ((parts[4] ?? 0) & 0xfcff) === 0 && parts[5] === 0x5efe
  if (!instead && !isIsatap) return null
  return { ipv4: new ipaddr.IPv4(address.toByteArray().slice(-4)), instead }
}

const isIpv6 = (address: Address): address is ipaddr.IPv6 => address.kind() === 'ipv6'
