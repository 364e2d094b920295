/**
 * Finds the authorization server of an upstream: RFC 9728 from its challenge or its well-known paths, then RFC 8414.
 * `oauth_metadata` of the integration has precedence over both.
 */
import {
  GatewayError,
  isGatewayError,
  isObject,
  type JsonObject,
  type ServiceContext,
} from '@gateway/contract'
import type { Integration } from '../directory.ts'
import { clientInfo, latestVersion } from '../upstream/session.ts'
import { getJson } from './http.ts'

export interface AuthorizationServer {
  issuer: string
  authorizationEndpoint: string | null
  tokenEndpoint: string
  registrationEndpoint: string | null
  revocationEndpoint: string | null
  /** The resource of RFC 8707 that tokens are issued for. */
  resource: string
  scopes: string[]
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

type Context = ServiceContext<'checkUrl' | 'fetch'>

/** Errors: `upstream_unreachable`, `upstream_invalid_response`, `host_not_allowed`. */
export async function discover(context: Context, { data }: Integration): Promise<AuthorizationServer> {
  const { oauth_metadata } = data.configurations
  const masked = data.masked_configurations?.oauth_metadata
  const given: JsonObject = isObject(oauth_metadata) ? oauth_metadata : isObject(masked) ? masked : {}
  const isGiven = text(given.token_endpoint) !== null
  const challenge = isGiven ? '' : await challengeOf(context, data.url, data.transport === 'sse')
  const protectedBy = isGiven ? null : await protectedResource(context, data.url, challenge)
  const issuer =
    text(given.issuer) ?? texts(protectedBy?.authorization_servers)[0] ?? new URL(data.url).origin
  const found = isGiven ? {} : await serverMetadata(context, issuer)
  const endpoint = (name: string, fallback: string | null = null) =>
    text(given[name]) ?? text(found[name]) ?? fallback
  const tokenEndpoint = endpoint('token_endpoint')
  if (tokenEndpoint === null)
    throw new GatewayError(
      'upstream_invalid_response',
      'The MCP server publishes no token endpoint. Set it in oauth_metadata of the integration.',
    )
  const server: AuthorizationServer = {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint,
    registrationEndpoint: endpoint('registration_endpoint'),
    revocationEndpoint: endpoint('revocation_endpoint'),
    resource: resourceOf(protectedBy, data.url),
    scopes:
      (text(given.scope) ?? parameterOf(challenge, 'scope'))?.split(' ').filter(Boolean) ??
      texts(protectedBy?.scopes_supported),
  }
  checkUrls(context, server)
  return server
}

/** URLs from metadata must pass the host guard before a browser or the gateway uses them. */
function checkUrls(context: Context, server: AuthorizationServer): void {
  const urls = [
    server.authorizationEndpoint,
    server.tokenEndpoint,
    server.registrationEndpoint,
    server.revocationEndpoint,
  ]
  for (const url of urls) {
    const reason = url === null ? null : context.checkUrl(url)
    if (reason !== null)
      throw new GatewayError(
        'host_not_allowed',
        `The host of the authorization server is not allowed: it ${reason}.`,
      )
  }
}

/** The upstream's `www-authenticate` for a call without a credential, or an empty string. */
async function challengeOf({ fetch }: Context, url: string, isSse: boolean): Promise<string> {
  const params = { protocolVersion: latestVersion, capabilities: {}, clientInfo }
  const message = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const accept = isSse ? 'text/event-stream' : 'application/json, text/event-stream'
  try {
    const { status, headers } = await fetch({
      method: isSse ? 'GET' : 'POST',
      url,
      headers: { accept, ...(isSse ? {} : { 'content-type': 'application/json' }) },
      body: isSse ? undefined : message,
      timeoutMs: challengeMs,
    })
    return status === 401 || status === 403 ? (headers['www-authenticate'] ?? '') : ''
  } catch (error) {
    // The stream of an upstream that requires no credential never ends; the well-known paths are tried next.
    if (isGatewayError(error) && error.code === 'dependency_unavailable') return ''
    throw error
  }
}

const challengeMs = 5000

const parameterOf = (challenge: string, name: string): string | null =>
  new RegExp(`(?:^|[\\s,])${name}="([^"]*)"`, 'i').exec(challenge)?.[1] ?? null

/** A token for a resource other than the integration's would give the upstream's operator access to that resource. */
function resourceOf(protectedBy: JsonObject | null, url: string): string {
  const said = text(protectedBy?.resource)
  if (said === null) return url
  const [named, own] = [URL.canParse(said) ? new URL(said) : null, new URL(url)]
  const path = named?.pathname.replace(/\/$/, '') ?? ''
  const isOwn = named?.origin === own.origin && (own.pathname === path || own.pathname.startsWith(`${path}/`))
  if (!isOwn)
    throw new GatewayError(
      'upstream_invalid_response',
      'The MCP server names a different resource in its OAuth metadata than its own URL.',
    )
  return said
}

async function protectedResource(
  context: Context,
  url: string,
  challenge: string,
): Promise<JsonObject | null> {
  const named = parameterOf(challenge, 'resource_metadata')
  const { origin, pathname } = new URL(url)
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '')
  const base = `${origin}/.well-known/oauth-protected-resource`
  for (const place of [named, `${base}${path}`, base]) {
    if (place === null || !URL.canParse(place)) continue
    const found = await getJson(context, place)
    if (found !== null && Array.isArray(found.authorization_servers)) return found
  }
  return null
}

async function serverMetadata(context: Context, issuer: string): Promise<JsonObject> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '')
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  for (const place of places) {
    const found = await getJson(context, place)
    if (found !== null && text(found.token_endpoint) !== null) return found
  }
  // Servers older than discovery have their endpoints at these paths.
  return {
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  }
}
