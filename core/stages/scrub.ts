/**
 * Reads the gateway's own headers and leaves only those that later stages may see:
 * no forwarding headers, no hop-by-hop headers, no credentials, nothing with the gateway's prefix.
 */
import {
  type MaybePromise,
  type Next,
  type Ports,
  type Received,
  type Scrubbed,
  scrubbed,
} from '../flow/index.ts'
import { gatewayKeyOf, readGatewayHeaders, scrubHeaders } from '../headers/index.ts'

export function scrub<Phase extends Received, Result>(
  exchange: Phase,
  next: Next<Phase & Scrubbed, Result>,
  { current }: Ports<'current'>,
): MaybePromise<Result> {
  const { headers } = exchange.transport
  const prefixes = current.settings.headerPrefixes
  const key = gatewayKeyOf(headers, exchange.own) ?? ''
  const options = readGatewayHeaders(headers, exchange.own, prefixes, key)
  return next(scrubbed(exchange, scrubHeaders(headers, prefixes), options))
}
