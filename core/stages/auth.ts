/**
 * Authenticates the caller: the first credential of `x-gateway-api-key`, `Authorization: Bearer`, `x-api-key`, `x-goog-api-key` and the
 * session's cookie; in-process requests bring their caller. Also loads the workspace: the config file and its stored
 * objects. From here on `exchange.settings` is the workspace's. Errors: 401 `missing_api_key`, and those of
 * identity/identities.ts and workspaces/workspaces.ts.
 */
import { andThen, type Caller, type Ending, type Exchange, type Next } from '../flow/index.ts'
import { claimOf } from '../headers/index.ts'

export function auth(exchange: Exchange, next: Next): Ending {
  const { own, runtime, transport } = exchange
  const found =
    transport.caller === null ? runtime.identities.find(claimOf(transport, own)) : transport.caller()
  return andThen(found, (caller) => enter(exchange, caller, next))
}

function enter(exchange: Exchange, { identity, key }: Caller, next: Next): Ending {
  exchange.identity = identity
  exchange.keyDocument = key
  return andThen(exchange.runtime.workspaces.settingsOf(identity.workspaceId), (settings) => {
    exchange.settings = settings
    return next(exchange)
  })
}
