/**
 * The authorization endpoint: PKCE with S256, a signed-in user, a consent page. Errors of the client or its redirect
 * URI are shown here; all others are returned to the client.
 */
import { randomUUID } from 'node:crypto'
import {
  GatewayError,
  type Identity,
  isGatewayError,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
} from '@gateway/contract'
import { mayUse } from '@gateway/control-plane/remote-servers'
import type { Place } from '../directory.ts'
import type { McpRuntime } from '../runtime.ts'
import { answering, type OauthErrorCode, OauthFault, readForm } from './form.ts'
import { mcpScopes } from './metadata.ts'
import { consentPage, faultPage, signInPath } from './page.ts'
import {
  type CodeData,
  type ConsentData,
  draftOf,
  findBySecret,
  findClient,
  newSecret,
  noteUse,
  oauthKinds,
} from './records.ts'
import { isRegistered } from './redirects.ts'

export function authorizeRoutes(runtime: McpRuntime): Route[] {
  const shared = {
    path: '/oauth/authorize',
    tag: 'OAuth',
    scope: null,
    listener: 'main' as const,
    authenticates: true,
    checksScopes: true,
    media: { answer: ['text/html'] },
  }
  return [
    {
      ...shared,
      method: 'GET',
      operationId: 'oauthAuthorize',
      summary: 'Shows the consent page on which a user allows a client to call an MCP server',
      handle: (request) => ask(runtime, request),
    },
    {
      ...shared,
      method: 'POST',
      operationId: 'oauthConsent',
      summary: 'Receives the answer of the consent page',
      media: { body: ['application/x-www-form-urlencoded'], answer: ['text/html'] },
      handle: (request) => answering(() => decide(runtime, request)),
    },
  ]
}

const codeMs = 60_000
const consentMs = 600_000

interface Asked {
  clientId: string
  clientName: string
  redirectUri: string
  state: string | null
}

async function ask(runtime: McpRuntime, request: ServiceRequest): Promise<ServiceAnswer> {
  const { query } = request
  const client = await findClient(runtime.context.documents, query.client_id ?? '')
  if (client === null) return faultPage('This client is not registered at the gateway.')
  const redirectUri =
    query.redirect_uri ?? (client.data.redirect_uris.length === 1 ? client.data.redirect_uris[0] : undefined)
  if (redirectUri === undefined || !isRegistered(client.data.redirect_uris, redirectUri))
    return faultPage('The client has not registered the redirect URI of this request.')
  const asked: Asked = {
    clientId: client.id,
    clientName: client.data.client_name,
    redirectUri,
    state: query.state ?? null,
  }
  try {
    return await askPerson(runtime, request, asked)
  } catch (error) {
    if (error instanceof OauthFault)
      return refuse(runtime, asked, { error: error.code, error_description: error.message })
    throw error
  }
}

async function askPerson(runtime: McpRuntime, request: ServiceRequest, asked: Asked): Promise<ServiceAnswer> {
  const { query } = request
  if (query.response_type !== 'code')
    throw new OauthFault('unsupported_response_type', 'Only response_type=code is supported.')
  if (!/^[A-Za-z0-9_-]{43}$/.test(query.code_challenge ?? '') || query.code_challenge_method !== 'S256')
    throw new OauthFault(
      'invalid_request',
      'PKCE is required: send code_challenge with code_challenge_method=S256.',
    )
  const scopes = readScopes(query.scope)
  const slug = slugOf(runtime, query.resource)
  const identity = await signedIn(request)
  if (identity === null) return toSignIn(runtime, request)
  const place = await placeFor(runtime, request, { identity, slug })
  const consent: ConsentData = {
    client_id: asked.clientId,
    slug,
    resource: query.resource ?? '',
    scopes,
    subject: {
      organisationId: identity.organisationId,
      workspaceId: place.server.workspace_id ?? '',
      userId: identity.userId,
      keyId: identity.userId === null ? identity.keyId : null,
    },
    redirect_uri: asked.redirectUri,
    code_challenge: query.code_challenge ?? '',
    state: asked.state,
    session_id: identity.sessionId ?? '',
    expires_at: runtime.context.now() + consentMs,
  }
  const ticket = newSecret()
  const document = draftOf(oauthKinds.consent, ticket, {
    data: consent,
    nowMs: runtime.context.now(),
    organisationId: identity.organisationId,
  })
  await runtime.context.documents.commit([{ op: 'put', document, expected: 0 }])
  return consentPage({
    client: asked.clientName,
    redirectHost: new URL(asked.redirectUri).host,
    server: place.server.name ?? slug,
    scopes,
    person: identity.name,
    ticket,
  })
}

function readScopes(written: string | undefined): string[] {
  const scopes = (written ?? 'mcp').split(' ').filter((scope) => scope !== '')
  const known: readonly string[] = mcpScopes
  // Requested by clients that want to stay signed in. Refresh tokens are issued in any case.
  const asked = scopes.filter((scope) => scope !== 'offline_access')
  const wrong = asked.find((scope) => !known.includes(scope))
  if (wrong !== undefined)
    throw new OauthFault(
      'invalid_scope',
      `The scope "${wrong.slice(0, 50)}" is unknown. Use mcp, mcp:read or mcp:write.`,
    )
  return asked.length === 0 ? ['mcp'] : [...new Set(asked)]
}

/** The server that a resource URL names (RFC 8707). */
function slugOf({ context }: McpRuntime, resource: string | undefined): string {
  const wrong = new OauthFault('invalid_target', 'The resource is not an MCP server of this gateway.')
  const base = context.publicUrl()
  if (resource === undefined || !resource.startsWith(`${base}/`)) throw wrong
  const path = resource.slice(base.length).replace(/\/$/, '')
  const found =
    /^\/v1\/mcp\/([A-Za-z0-9_-]{1,255})$/.exec(path) ??
    /^(?:\/[A-Za-z0-9_-]{1,255})?\/([A-Za-z0-9_-]{1,255})\/mcp$/.exec(path)
  if (found?.[1] === undefined) throw wrong
  return found[1]
}

/** The signed-in user, or null. */
async function signedIn(request: ServiceRequest): Promise<Identity | null> {
  try {
    const identity = await request.authenticate({ checksCsrf: true })
    return identity.sessionId === undefined ? null : identity
  } catch (error) {
    if (isGatewayError(error) && error.status === 401) return null
    throw error
  }
}

function toSignIn({ context }: McpRuntime, { path, query }: ServiceRequest): ServiceAnswer {
  const back = `${path}?${new URLSearchParams(query).toString()}`
  const location = context.publicUrl() + signInPath(back)
  return { status: 302, headers: { location, 'cache-control': 'no-store' }, body: { text: '' } }
}

/** A server that the person cannot see is answered like an unknown one. */
async function placeFor(
  runtime: McpRuntime,
  request: ServiceRequest,
  { identity, slug }: { identity: Identity; slug: string },
): Promise<Place> {
  const place = await runtime.directory.find(identity.organisationId, slug)
  if (place === null || !(await sees(request, identity, place)))
    throw new OauthFault('invalid_target', 'The resource is not an MCP server of this gateway.')
  if (!mayUse(place.server.data, identity.userId))
    throw new OauthFault('access_denied', 'Your access to this MCP server is disabled.')
  return place
}

/** Whether the session may call MCP servers in the server's workspace. */
async function sees(
  request: ServiceRequest,
  { boundWorkspaceId }: Identity,
  { server }: Place,
): Promise<boolean> {
  if (boundWorkspaceId !== null && boundWorkspaceId !== server.workspace_id) return false
  try {
    const workspaceOf = async () => server.workspace_id
    const { scopes } = await request.authenticate({ checksCsrf: true, workspaceOf })
    return scopes.has('*') || scopes.has('mcp.invoke')
  } catch (error) {
    if (isGatewayError(error) && error.status < 500) return false
    throw error
  }
}

function answerClient(
  runtime: McpRuntime,
  { redirectUri, state }: Asked,
  params: Record<string, string>,
): ServiceAnswer {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  if (state !== null) url.searchParams.set('state', state)
  url.searchParams.set('iss', runtime.context.publicUrl())
  const headers = { location: url.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  return { status: 302, headers, body: { text: '' } }
}

interface RefuseOptions {
  error: OauthErrorCode
  error_description: string
}

const refuse = (runtime: McpRuntime, asked: Asked, { error, error_description }: RefuseOptions) =>
  answerClient(runtime, asked, { error, error_description })

/** Handles the consent form: once, and only in the session that it was shown to. */
async function decide(runtime: McpRuntime, request: ServiceRequest): Promise<ServiceAnswer> {
  const { documents } = runtime.context
  const identity = await signedIn(request)
  const form = await readForm({ headers: request.headers, bodyStream: bodyOf(request) })
  const consent = await findBySecret<ConsentData>(documents, oauthKinds.consent, form.get('ticket') ?? '')
  const isOwn =
    consent !== null &&
    identity !== null &&
    consent.data.session_id === identity.sessionId &&
    consent.data.expires_at > runtime.context.now()
  if (!isOwn) return faultPage('This page has expired. Start again in your client.')
  const { redirect_uri, state, session_id: _, expires_at: __, ...granted } = consent.data
  const asked: Asked = { clientId: granted.client_id, clientName: '', redirectUri: redirect_uri, state }
  const used = { op: 'remove' as const, kind: consent.kind, id: consent.id, expected: consent.version }
  if (form.get('decision') !== 'allow') {
    await documents.commit([used])
    return refuse(runtime, asked, { error: 'access_denied', error_description: 'The user denied access.' })
  }
  const code = newSecret('gwoc_')
  const now = runtime.context.now()
  const data: CodeData = {
    ...granted,
    family_id: randomUUID(),
    redirect_uri,
    expires_at: now + codeMs,
    is_used: false,
  }
  const document = draftOf(oauthKinds.code, code, {
    data,
    nowMs: now,
    organisationId: granted.subject.organisationId,
  })
  await noteUse(documents, granted.client_id, now)
  try {
    await documents.commit([used, { op: 'put', document, expected: 0 }])
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'precondition_failed')
      return faultPage('This page has already been answered. Start again in your client.')
    throw error
  }
  return answerClient(runtime, asked, { code })
}

/** A route that authenticates callers itself must also read the body itself. */
async function* bodyOf(request: ServiceRequest): AsyncGenerator<Buffer> {
  yield await request.readBody()
}
