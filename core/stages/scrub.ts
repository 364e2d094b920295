/**
 * Reads the gateway's own headers and leaves only those that later stages may see:
 * no forwarding headers, no hop-by-hop headers, no credentials, nothing with the gateway's prefix.
 */
import {
  type MaybePromise,
  type Next,
  type Ports,
  type Received,
  readGatewayHeaders,
  type Scrubbed,
  scrubbed,
  scrubHeaders,
} from '@gateway/flow'

export function scrub<Phase extends Received, Result>(
  exchange: Phase,
  next: Next<Phase & Scrubbed, Result>,
  { current }: Ports<'current'>,
): MaybePromise<Result> {
  const { headers } = exchange.transport
  const prefixes = current.settings.file.server.header_prefixes
  const options = readGatewayHeaders(headers, exchange.request.ownHeaders, prefixes)
  return next(scrubbed(exchange, scrubHeaders(headers, prefixes), options))
}
