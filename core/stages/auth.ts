/**
 * Authenticates the caller: the first credential of `x-gateway-api-key`, `Authorization: Bearer`, `x-api-key`, `x-goog-api-key` and the
 * session's cookie; in-process requests bring their caller. Also loads the workspace: the config file and its stored
 * objects. From here on `exchange.settings` is the workspace's. Errors: 401 `missing_api_key`, and those of
 * identity/identities.ts and workspaces/workspaces.ts.
 */
import type { Exchange, Next } from '../flow/index.ts'
import { claimOf } from '../headers/index.ts'

export async function auth(exchange: Exchange, next: Next): Promise<void> {
  const { own, runtime, transport } = exchange
  const found =
    transport.caller === null ? runtime.identities.find(claimOf(transport, own)) : transport.caller()
  const { identity, key } = await found
  exchange.identity = identity
  exchange.keyDocument = key
  exchange.settings = await runtime.workspaces.settingsOf(identity.workspaceId)
  await next(exchange)
}
