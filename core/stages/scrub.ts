/**
 * Reads the gateway's own headers, and removes those that later stages must not see: headers about the client's network
 * path, hop-by-hop headers, credentials, and everything with a prefix of the gateway. Errors: 400 `invalid_header`, with
 * every malformed header.
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
