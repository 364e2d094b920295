/**
 * Reads the gateway's own headers and leaves only those that later stages may see:
 * no forwarding headers, no hop-by-hop headers, no credentials, nothing with the gateway's prefix.
 */
import type { Ending, Exchange, Next } from '../flow/index.ts'
import { gatewayKeyOf, readGatewayHeaders, scrubHeaders } from '../headers/index.ts'

export function scrub(exchange: Exchange, next: Next): Ending {
  const { headers } = exchange.transport
  const prefixes = exchange.settings.headerPrefixes
  const key = gatewayKeyOf(headers, exchange.own) ?? ''
  exchange.options = readGatewayHeaders(headers, exchange.own, prefixes, key)
  exchange.headers = scrubHeaders(headers, prefixes)
  return next(exchange)
}
