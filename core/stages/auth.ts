/**
 * Authenticates the caller: the first credential of `x-gateway-api-key`, `Authorization: Bearer`, `x-api-key`,
 * `x-goog-api-key` and the session's cookie; in-process requests already have a caller. Also loads the workspace: the
 * config file and its stored objects. From here on `exchange.workspace` is the caller's. Errors: 401
 * `missing_api_key`, `invalid_api_key`, `expired_api_key`, `session_expired` and `jwt_…`; 403 `forbidden` and `jwt_…`;
 * 404 `not_found` for the workspace; 503 `store_unavailable` and `dependency_unavailable`.
 */
import {
  type Authenticated,
  andThen,
  authenticated,
  type CallerPorts,
  claimOf,
  type MaybePromise,
  type Next,
  type Received,
} from '@gateway/flow'

export function auth<Phase extends Received, Result>(
  exchange: Phase,
  next: Next<Phase & Authenticated, Result>,
  ports: CallerPorts,
): MaybePromise<Result> {
  const { request, transport } = exchange
  const found =
    transport.caller === null
      ? ports.identities.find(claimOf(transport, request.ownHeaders))
      : transport.caller()
  return andThen(found, (caller) =>
    andThen(ports.workspaces.settingsOf(caller.identity.workspaceId), (settings) =>
      next(authenticated(exchange, caller, settings)),
    ),
  )
}
