/**
 * Reads the gateway's own headers and leaves only those that later stages may see:
 * no forwarding headers, no hop-by-hop headers, no credentials, nothing with the gateway's prefix.
 */
import type { Exchange } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { gatewayKeyOf } from '../headers/presented.ts'
import { readGatewayHeaders, scrubHeaders } from '../headers/request-headers.ts'

export function scrub(exchange: Exchange, next: Next): Promise<void> {
  const { headers } = exchange.transport
  const prefixes = exchange.settings.headerPrefixes
  const key = gatewayKeyOf(headers, exchange.own) ?? ''
  exchange.options = readGatewayHeaders(headers, exchange.own, prefixes, key)
  exchange.headers = scrubHeaders(headers, prefixes)
  return next(exchange)
}
