/** The upstream of an integration for one caller: credentials, forwarded headers, caller identity. */
import { GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { customHeaders, forwardedHeaders } from '@gateway/control-plane/remote-servers'
import type { Integration, Server } from '../directory.ts'
import { RpcFault, rpcCodes } from '../messages.ts'
import { type Connection, ConnectionGone, upstreamOf } from '../oauth-client/connections.ts'
import { beginConsent } from '../oauth-client/consent.ts'
import type { McpRuntime } from '../runtime.ts'
import { type Caller, identityHeaders, noIdentity } from './identity-headers.ts'
import { secretsOf } from './secrets.ts'
import type { UpstreamTarget } from './target.ts'

/** The header with the token that `jwt_validation` checks. It is meant for the gateway and not forwarded. */
function tokenHeaders({ jwt_validation: rules }: JsonObject): string[] {
  return isObject(rules) && typeof rules.headerKey === 'string' ? [rules.headerKey.toLowerCase()] : []
}

/** These differ between calls but do not identify the caller, so one session serves all of them. */
const ofOneCall = ['traceparent', 'tracestate', 'baggage', 'x-request-id', 'x-correlation-id'] as const

export interface TargetOptions {
  person: string
  workspaceId: string | null
  /** The headers of the client's request, without credentials. */
  headers: Readonly<Record<string, string>>
  /** Null: the gateway itself, for a sync. */
  caller: Caller | null
  /** Null: a call for the integration rather than for one of its servers. */
  server: Server | null
}

/**
 * Errors: 403 `forbidden` for a service key where users must consent, −32042 for a user without consent,
 * `invalid_header`.
 */
export async function targetOf(
  runtime: McpRuntime,
  integration: Integration,
  options: TargetOptions,
): Promise<UpstreamTarget> {
  const { caller, headers, person, workspaceId } = options
  const configurations = await runtime.configurationsOf(integration, workspaceId)
  const identity = caller === null ? noIdentity : await identityHeaders(runtime, integration, caller)
  const forwarded = forwardedHeaders(configurations.forward_headers, headers)
  for (const name of [...identity.names, ...tokenHeaders(configurations)]) delete forwarded[name]
  const callHeaders: Record<string, string> = { ...identity.callHeaders }
  for (const name of ofOneCall) {
    const value = forwarded[name]
    if (value === undefined) continue
    callHeaders[name] = value
    delete forwarded[name]
  }
  const added = { ...customHeaders(configurations), ...identity.headers }
  const own = { ...forwarded, ...added }
  const secrets = secretsOf({ ...added, ...identity.callHeaders })
  const tokens = await tokenSource(runtime, integration, { configurations, options })
  if (tokens === null) return { integration, person, headers: own, callHeaders, secrets, renew: null }
  const token = await tokens(null)
  return {
    integration,
    person,
    headers: { ...own, authorization: `Bearer ${token}` },
    callHeaders,
    secrets: [...secrets, ...secretsOf({ authorization: token })],
    renew: () => tokens(token),
  }
}

interface TokenSourceOptions {
  configurations: JsonObject
  options: TargetOptions
}

/** Returns a token other than the rejected one, or null without one. */
async function tokenSource(
  runtime: McpRuntime,
  integration: Integration,
  { configurations, options }: TokenSourceOptions,
): Promise<((refused: string | null) => Promise<string>) | null> {
  const { auth_type } = integration.data
  if (auth_type === 'oauth_client_credentials')
    return (refused) => runtime.clientTokens.get(integration, configurations, refused)
  if (auth_type !== 'oauth_auto') return null
  const userId = options.caller?.identity.userId ?? null
  if (userId === null) {
    const message =
      "Each user must consent to this MCP server. Call it with a user's key or token, not with a service key."
    throw new GatewayError('forbidden', message)
  }
  const { server } = options
  const consent = async () => {
    if (server === null)
      throw new GatewayError('upstream_invalid_response', 'You have not connected to this MCP server yet.')
    const { url, id } = await beginConsent(runtime, { integration, server, userId, configurations })
    return missingConsent(server, url, id)
  }
  return async (refused) => {
    const connection = await findConnection(runtime, integration, { server, userId })
    if (connection === null) throw await consent()
    try {
      return await runtime.connections.accessToken(connection, refused)
    } catch (error) {
      throw error instanceof ConnectionGone ? await consent() : error
    }
  }
}

/**
 * A user consents to one upstream. If the integration's URL has changed since, the token is not used and consent is
 * requested again.
 */
async function findConnection(
  { connections }: McpRuntime,
  integration: Integration,
  { server, userId }: { server: Server | null; userId: string },
): Promise<Connection | null> {
  const found = await (server === null
    ? connections.findAny(integration.id, userId)
    : connections.find(server.id, userId))
  if (found === null || found.data.integration_id !== integration.id) return null
  return upstreamOf(found) === new URL(integration.data.url).origin ? found : null
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error */
function missingConsent({ name, slug }: Server, url: string, elicitationId: string): RpcFault {
  const message = `Allow access to ${name ?? slug ?? 'the MCP server'} first.`
  const elicitations = [{ mode: 'url', elicitationId, url, message }]
  return new RpcFault(rpcCodes.elicitation, message, { data: { authorization_url: url, elicitations } })
}
