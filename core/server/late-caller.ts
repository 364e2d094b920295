/**
 * The caller of a route that authenticates by itself: with a credential as on other routes, or with an access token of
 * its service. From then on, the exchange has the settings of the caller's workspace.
 */
import type { AuthenticateOptions, Identity, ServiceRequest } from '@gateway/contract'
import {
  type Admitted,
  authenticated,
  bearerOf,
  type Caller,
  type CallerPorts,
  type Claim,
  callerOf,
  claimOf,
  type Ended,
  type GatewayOptions,
  type Ports,
  presentedOf,
  type Received,
} from '@gateway/flow'

export async function authenticate(
  ports: CallerPorts,
  exchange: Ended,
  { checksCsrf = false, subjectOf, workspace, workspaceOf }: AuthenticateOptions = {},
): Promise<Identity> {
  const claim = claimOf(exchange.transport, exchange.request.ownHeaders)
  if (workspace !== undefined) claim.workspace ??= workspace
  if (checksCsrf) claim.isSafe = true
  const isToken = claim.presented.kind === 'oauth' && subjectOf !== undefined
  const found = isToken
    ? await ports.identities.findSubject(await subjectOf(claim.presented.text), claim.client)
    : await ports.identities.find(claim)
  const caller = await inWorkspace(ports, claim, { found, workspaceOf })
  authenticated(exchange, caller, await ports.workspaces.settingsOf(caller.identity.workspaceId))
  const admitted = callerOf(exchange)
  admitted.options = withDefaults(admitted)
  return caller.identity
}

/** Merges metadata: that of the key and the workspace takes precedence over the request's own. */
function withDefaults({ caller, options, workspace }: Admitted): GatewayOptions {
  const { keyDefaults, workspaceDefaults } = workspace.defaultsOf(caller)
  return {
    ...options,
    metadata: { ...options.metadata, ...keyDefaults.metadata, ...workspaceDefaults.metadata },
  }
}

interface InWorkspaceOptions {
  found: Caller
  workspaceOf: AuthenticateOptions['workspaceOf']
}

/** A credential that is not bound to a workspace acts in the workspace of the route. */
async function inWorkspace(
  ports: Ports<'identities'>,
  claim: Claim,
  { found, workspaceOf }: InWorkspaceOptions,
): Promise<Caller> {
  const { identity } = found
  if (identity.boundWorkspaceId !== null || workspaceOf === undefined) return found
  const workspace = await workspaceOf(identity)
  if (workspace === null || workspace === identity.workspaceId) return found
  return ports.identities.find({ ...claim, workspace })
}

/** Tokens of this gateway, which are never sent to other services. */
const ownToken = /^gw[a-z]{0,4}[_-]/

const jwtShape = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Properties of a request read from credential headers, which services never see. */
export function credentialsOf({
  request: { ownHeaders },
  transport,
}: Received): Pick<ServiceRequest, 'basic' | 'jwt' | 'bearer' | 'hasKey'> {
  const { authorization } = transport.headers
  const basic =
    typeof authorization === 'string' ? /^basic\s+(\S+)$/i.exec(authorization.trim())?.[1] : undefined
  const bearer = bearerOf(transport.headers)
  const key = ownHeaders.values.get('api-key')
  const tokens = [bearer, key]
  // A bearer token alone is the gateway credential.
  const isOther = key !== undefined && bearer !== key && typeof bearer === 'string' && !ownToken.test(bearer)
  return {
    basic: basic === undefined ? null : Buffer.from(basic, 'base64').toString('utf8'),
    jwt: tokens.find((text) => typeof text === 'string' && jwtShape.test(text)) ?? null,
    bearer: isOther ? bearer : null,
    hasKey: presentedOf(transport.headers, ownHeaders) !== null,
  }
}
