/**
 * The consent of a user to an upstream: a link with PKCE, `state` and `resource`, and its callback, which only a
 * browser with the session of that user may call.
 */
import { createHash } from 'node:crypto'
import {
  GatewayError,
  type JsonObject,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
  type StoredDocument,
} from '@gateway/contract'
import { recordOf } from '@gateway/domain'
import type { Integration, Server } from '../directory.ts'
import { donePage, faultPage, signInPath } from '../oauth-server/page.ts'
import { draftOf, findBySecret, newSecret } from '../oauth-server/records.ts'
import type { McpRuntime } from '../runtime.ts'
import { readTokens } from './connections.ts'
import { type AuthorizationServer, discover } from './discovery.ts'
import { clientProof, type OauthClient, postForm, postJson } from './http.ts'

const pendingKind = 'mcp_consent'
const clientKind = 'mcp_oauth_client'
const pendingMs = 600_000

type Pending = {
  server_id: string
  integration_id: string
  workspace_id: string
  user_id: string
  issuer: string
  token_endpoint: string
  revocation_endpoint: string | null
  resource: string
  upstream: string
  client_id: string
  client_method: string | null
  scopes: string[]
  redirect_uri: string
  expires_at: number
  /** `{code_verifier, client_secret?}` */
  sealed: string
}

const callbackOf = (publicUrl: string) => `${publicUrl}/oauth/upstream-callback`

interface Consent {
  integration: Integration
  server: Server
  userId: string
  configurations: JsonObject
}

/** The URL at which the user consents. */
export async function beginConsent(
  runtime: McpRuntime,
  { integration, server, userId, configurations }: Consent,
): Promise<{ url: string; id: string }> {
  const { context } = runtime
  const found = await discover(context, integration)
  if (found.authorizationEndpoint === null)
    throw new GatewayError(
      'upstream_invalid_response',
      'The MCP server publishes no authorization endpoint. Set it in oauth_metadata of the integration.',
    )
  const redirectUri = callbackOf(context.publicUrl())
  const client = await clientOf(runtime, integration, { configurations, found, redirectUri })
  const state = newSecret()
  const verifier = newSecret()
  const now = context.now()
  const draft = draftOf(pendingKind, state, { data: {}, nowMs: now, organisationId: server.organisation_id })
  const secrets = {
    code_verifier: verifier,
    ...(client.secret === null ? {} : { client_secret: client.secret }),
  }
  const data: Pending = {
    server_id: server.id,
    integration_id: integration.id,
    workspace_id: server.workspace_id ?? '',
    user_id: userId,
    issuer: found.issuer,
    token_endpoint: found.tokenEndpoint,
    revocation_endpoint: found.revocationEndpoint,
    resource: found.resource,
    upstream: new URL(integration.data.url).origin,
    client_id: client.id,
    client_method: client.method,
    scopes: found.scopes,
    redirect_uri: redirectUri,
    expires_at: now + pendingMs,
    sealed: context.sealer.seal(JSON.stringify(secrets), recordOf({ kind: pendingKind, id: draft.id })),
  }
  await context.documents.commit([{ op: 'put', document: { ...draft, data }, expected: 0 }])
  const url = new URL(found.authorizationEndpoint)
  const params: Record<string, string> = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: found.resource,
    ...(found.scopes.length === 0 ? {} : { scope: found.scopes.join(' ') }),
  }
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return { url: url.href, id: draft.id }
}

interface ClientOptions {
  configurations: JsonObject
  found: AuthorizationServer
  redirectUri: string
}

/** The integration's own client, the one registered before, or a new one (RFC 7591). */
async function clientOf(
  { context }: McpRuntime,
  integration: Integration,
  {
    configurations: { oauth_metadata: written },
    found: { issuer, tokenEndpoint, registrationEndpoint, scopes },
    redirectUri,
  }: ClientOptions,
): Promise<OauthClient> {
  const own = (written ?? {}) as {
    client_id?: string
    client_secret?: string
    client_name?: string
    token_endpoint_auth_method?: string
  }
  if (own.client_id !== undefined)
    return {
      id: own.client_id,
      secret: own.client_secret ?? null,
      method: own.token_endpoint_auth_method ?? null,
    }
  const { documents } = context
  const known = await documents.get(clientKind, integration.id)
  const record = recordOf({ kind: clientKind, id: integration.id })
  // All values that determine who receives the client's secret.
  const place = { issuer, redirect_uri: redirectUri, token_endpoint: tokenEndpoint }
  if (known !== null && Object.entries(place).every(([name, value]) => known.data[name] === value))
    return JSON.parse(context.sealer.open(String(known.data.sealed), record)) as OauthClient
  if (registrationEndpoint === null)
    throw new GatewayError(
      'upstream_invalid_response',
      'The authorization server does not support client registration. Set oauth_metadata.client_id.',
    )
  const client = await register(context, registrationEndpoint, {
    client_name: own.client_name ?? 'AI gateway',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  })
  const data = {
    ...place,
    sealed: context.sealer.seal(JSON.stringify(client), record),
  }
  const document = draftOf(clientKind, null, {
    data,
    nowMs: context.now(),
    id: integration.id,
    organisationId: integration.organisation_id,
  })
  await documents.commit([{ op: 'put', document }])
  return client
}

async function register(
  context: McpRuntime['context'],
  endpoint: string,
  words: JsonObject,
): Promise<OauthClient> {
  const { status, json } = await postJson(context, endpoint, words)
  if ((status !== 200 && status !== 201) || typeof json.client_id !== 'string')
    throw new GatewayError(
      'upstream_invalid_response',
      `The authorization server refused the client registration (status ${status}).`,
    )
  return {
    id: json.client_id,
    secret: typeof json.client_secret === 'string' ? json.client_secret : null,
    method: typeof json.token_endpoint_auth_method === 'string' ? json.token_endpoint_auth_method : null,
  }
}

export const callbackRoute = (runtime: McpRuntime): Route => ({
  method: 'GET',
  path: '/oauth/upstream-callback',
  operationId: 'oauthUpstreamCallback',
  summary: "Receives a user's consent to the upstream of an MCP server",
  tag: 'OAuth',
  scope: null,
  listener: 'main',
  authenticates: true,
  checksScopes: true,
  media: { answer: ['text/html'] },
  handle: (request) => finish(runtime, request),
})

const outOfDate = () =>
  faultPage('This link has expired or was not created for you. Start again in your client.')

async function finish(runtime: McpRuntime, request: ServiceRequest): Promise<ServiceAnswer> {
  const { context } = runtime
  const { documents } = context
  const { state = '', code, error } = request.query
  const userId = await personOf(request)
  const pending = await findBySecret<Pending>(documents, pendingKind, state)
  if (pending !== null && userId === null) {
    const back = signInPath(`${request.path}?${new URLSearchParams(request.query)}`)
    return faultPage('Only the user for whom this link was created can complete it. Sign in first.', back)
  }
  if (pending === null || userId === null || pending.data.user_id !== userId) return outOfDate()
  // Usable once, with any result.
  await documents.commit([{ op: 'remove', kind: pendingKind, id: pending.id }])
  if (pending.data.expires_at <= context.now()) return outOfDate()
  if (code === undefined)
    return faultPage(
      `The MCP server did not grant access${error === undefined ? '' : ` (${error.slice(0, 100)})`}.`,
    )
  const { data } = pending
  if (request.query.iss !== undefined && request.query.iss !== data.issuer) return outOfDate()
  const { code_verifier, client_secret } = JSON.parse(
    context.sealer.open(data.sealed, recordOf(pending)),
  ) as { code_verifier: string; client_secret?: string }
  const proof = clientProof({ id: data.client_id, secret: client_secret ?? null, method: data.client_method })
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: data.redirect_uri,
    code_verifier,
    resource: data.resource,
  }
  const { status, json } = await postForm(context, data.token_endpoint, {
    form: { ...grant, ...proof.form },
    headers: proof.headers,
  })
  const tokens = status === 200 ? readTokens(json, context.now()) : null
  if (tokens === null)
    return faultPage(
      'The authorization server of the MCP server issued no token. Start again in your client.',
    )
  await keepConnection(runtime, pending, { tokens, client_secret })
  return donePage('You can close this page and continue in your client.')
}

function keepConnection(
  { connections }: McpRuntime,
  { organisation_id, data }: StoredDocument<Pending>,
  {
    tokens,
    client_secret,
  }: { tokens: NonNullable<ReturnType<typeof readTokens>>; client_secret: string | undefined },
): Promise<void> {
  return connections.put(
    { organisationId: organisation_id ?? '', workspaceId: data.workspace_id },
    {
      server_id: data.server_id,
      integration_id: data.integration_id,
      user_id: data.user_id,
      scopes: tokens.scopes ?? data.scopes,
      expires_at: tokens.expiresAt,
      token_endpoint: data.token_endpoint,
      revocation_endpoint: data.revocation_endpoint,
      resource: data.resource,
      upstream: data.upstream,
      client_id: data.client_id,
      client_method: data.client_method,
    },
    {
      access_token: tokens.accessToken,
      ...(tokens.refreshToken === null ? {} : { refresh_token: tokens.refreshToken }),
      ...(client_secret === undefined ? {} : { client_secret }),
    },
  )
}

/** The user of a session. A key is not accepted, because a browser has none. */
async function personOf(request: ServiceRequest): Promise<string | null> {
  try {
    const identity = await request.authenticate()
    return identity.sessionId === undefined ? null : identity.userId
  } catch (error) {
    if (error instanceof GatewayError && error.status === 401) return null
    throw error
  }
}
