/** One request of a client to a server: the caller, the server, and the caller's rights. */
import {
  type AuthenticateOptions,
  GatewayError,
  type Identity,
  isGatewayError,
  type ServiceCallRecord,
  type ServiceRequest,
} from '@gateway/contract'
import { isUsable, mayUse } from '@gateway/control-plane/remote-servers'
import { kinds, unknownName } from '@gateway/domain'
import type { Place } from '../directory.ts'
import { resourceMetadataUrl } from '../oauth-server/metadata.ts'
import type { McpRuntime } from '../runtime.ts'

export interface Visit {
  runtime: McpRuntime
  request: ServiceRequest
  identity: Identity
  place: Place
  /** Aborts the call when its client disconnects or cancels, on timeout, and when the gateway stops. */
  controller: AbortController
  /** The scopes of an OAuth token. Null: any other credential, which has no such restriction. */
  tokenScopes: ReadonlySet<string> | null
  /** The log entry of this call. */
  record: ServiceCallRecord
}

/** Errors: 401 with instructions, 403 for scopes and users, 404 for servers that the caller cannot see. */
export async function openVisit(runtime: McpRuntime, request: ServiceRequest): Promise<Visit> {
  const { slug = '', workspace } = request.params
  let found: Place | null = null
  let tokenScopes: ReadonlySet<string> | null = null
  const identity = await challenged(runtime, request, {
    workspace: request.query.workspace_id,
    async subjectOf(token) {
      const granted = await runtime.tokens.find(token, slug)
      tokenScopes = granted.scopes
      return granted.subject
    },
    async workspaceOf({ organisationId }) {
      found = await runtime.directory.find(organisationId, slug)
      return found?.server.workspace_id ?? null
    },
  })
  if (!mayInvoke(identity)) throw await refusalFor(runtime, identity, slug)
  found ??= await runtime.directory.find(identity.organisationId, slug)
  if (!isHere(identity, found, workspace)) throw await unknownServer(runtime, slug, identity)
  const place = checkPlace(identity, found)
  const record = { endpoint_type: 'mcp' as const, fields: {} }
  return { runtime, request, controller: new AbortController(), identity, place, tokenScopes, record }
}

/** Tells a refused client where to get a token (RFC 9728). */
async function challenged(
  { context }: McpRuntime,
  request: ServiceRequest,
  options: AuthenticateOptions,
): Promise<Identity> {
  try {
    return await request.authenticate(options)
  } catch (error) {
    if (!isGatewayError(error) || error.status !== 401) throw error
    const url = resourceMetadataUrl(context.publicUrl(), request.path.replace(/\/$/, ''))
    const wrong = error.code === 'missing_api_key' ? '' : 'error="invalid_token", '
    throw new GatewayError(error.code, error.message, {
      param: error.param ?? undefined,
      headers: { ...error.headers, 'www-authenticate': `Bearer ${wrong}resource_metadata="${url}"` },
    })
  }
}

/** `mcp:read`: everything except calls of tools. `mcp:write`: only those. `mcp`: both. */
export function requireTokenScope({ tokenScopes }: Visit, method: string): void {
  if (tokenScopes === null || tokenScopes.has('mcp')) return
  const wanted = method === 'tools/call' ? 'mcp:write' : 'mcp:read'
  if (tokenScopes.has(wanted) || neutral.has(method)) return
  throw new GatewayError('missing_scope', `The access token lacks the scope ${wanted}.`, {
    param: wanted,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${wanted}"` },
  })
}

/** Methods that every client calls first. */
const neutral: ReadonlySet<string> = new Set(['initialize', 'ping', 'server/discover'])

const mayInvoke = ({ scopes }: Identity) => scopes.has('*') || scopes.has('mcp.invoke')

/** Proposes the servers of the caller's workspace, to callers who may list them. */
async function unknownServer(
  { directory }: McpRuntime,
  written: string,
  { scopes, workspaceId }: Pick<Identity, 'scopes' | 'workspaceId'>,
): Promise<GatewayError> {
  const mayList = workspaceId !== '' && (scopes.has('*') || scopes.has('mcp_servers.list'))
  const known = mayList ? await directory.slugsIn(workspaceId) : null
  const message = unknownName({ what: 'MCP server', written, known })
  return new GatewayError('not_found', message, { param: 'path/slug' })
}

/** Every role of a workspace has the scope: a user who lacks it is in no workspace with this server. */
async function refusalFor(runtime: McpRuntime, identity: Identity, slug: string): Promise<GatewayError> {
  const { type, role, userId, workspaceId, organisationId } = identity
  if (type === 'session' && workspaceId === '' && userId !== null) {
    const { total } = await runtime.context.documents.list(
      kinds.member,
      { organisation_id: organisationId, statuses: ['active'], attributes: { user_id: [userId] } },
      { offset: 0, limit: 1 },
    )
    if (role !== 'member' || total > 0) return unknownServer(runtime, slug, identity)
  }
  return new GatewayError('missing_scope', 'This credential lacks the scope mcp.invoke.', {
    param: 'mcp.invoke',
  })
}

/** Whether the server belongs to the caller's workspace, which may be part of the path. */
const isHere = (
  { workspace: slug, workspaceId }: Identity,
  found: Place | null,
  named: string | undefined,
): found is Place =>
  found !== null &&
  found.server.workspace_id === workspaceId &&
  (named === undefined || named === slug || named === workspaceId)

function checkPlace(identity: Identity, found: Place): Place {
  if (!isUsable(found.integration, identity.workspaceId)) {
    throw new GatewayError(
      'forbidden',
      'The integration of this MCP server is not enabled for its workspace.',
    )
  }
  if (!mayUse(found.server.data, identity.userId)) {
    throw new GatewayError('forbidden', 'Your access to this MCP server is disabled.')
  }
  return found
}
