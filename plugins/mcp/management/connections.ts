/** Connections of users to a server's upstream: `GET` and `DELETE /mcp-servers/{id}/connections`. */
import { GatewayError, type JsonObject } from '@gateway/contract'
import {
  type Call,
  type ExtraRoute,
  forbidden,
  listAnswer,
  listSchema,
  notFound,
  nullable,
  pagingOf,
} from '@gateway/control-plane/engine'
import { kinds, type RemoteServerData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import type { Server } from '../directory.ts'
import type { Connection } from '../oauth-client/connections.ts'
import type { McpRuntime } from '../runtime.ts'

const query = Type.Object({
  current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  all: Type.Optional(Type.Boolean()),
})

const item = Type.Object(
  {
    user_id: Type.String(),
    email: nullable(Type.String()),
    connected: Type.Boolean(),
    scopes: Type.Array(Type.String()),
    expires_at: nullable(Type.String()),
    created_at: Type.String(),
    last_updated_at: Type.String(),
  },
  { additionalProperties: false },
)

export const connectionRoutes = (runtime: McpRuntime): ExtraRoute<RemoteServerData>[] => [
  {
    method: 'GET',
    path: '/:id/connections',
    operationId: 'mcpServerConnections',
    summary: 'Lists the users who are connected to the upstream of an MCP server',
    action: null,
    scopes: ['mcp.invoke', 'mcp_servers.read'],
    query,
    answer: listSchema(item),
    handle: (call, server) => list(runtime, call, server),
  },
  {
    method: 'DELETE',
    path: '/:id/connections',
    operationId: 'mcpServerConnectionsDelete',
    summary: 'Deletes a user’s connection to the upstream of an MCP server',
    action: null,
    scopes: ['mcp.invoke', 'mcp_servers.update'],
    isBodyOptional: true,
    query: Type.Object({ user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) }),
    body: Type.Object(
      { user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) },
      { additionalProperties: false },
    ),
    answer: Type.Object({ success: Type.Literal(true) }, { additionalProperties: false }),
    handle: (call, server) => end(runtime, call, server),
  },
]

/**
 * Whether the caller may manage the connections of others: admins and managers of the workspace, and service keys with
 * the scope.
 */
async function mayManage(call: Call, { workspace_id }: Server, scope: string): Promise<boolean> {
  const { identity } = call
  if (!(await call.holds(scope, workspace_id))) return false
  if (identity.userId === null || identity.role === 'owner' || identity.role === 'admin') return true
  const { documents } = await call.documents.list(
    kinds.member,
    {
      organisation_id: call.organisationId,
      workspace_ids: [workspace_id],
      statuses: ['active'],
      attributes: { user_id: [identity.userId] },
    },
    { offset: 0, limit: 1 },
  )
  const role = documents[0]?.data.role
  return role === 'admin' || role === 'manager'
}

async function list(runtime: McpRuntime, call: Call, server: Server): Promise<JsonObject> {
  const { user_id, all } = call.query
  const { userId } = call.identity
  const asked = user_id === undefined ? (userId === null || all === true ? null : userId) : String(user_id)
  if (asked !== userId || userId === null) {
    if (!(await mayManage(call, server, 'mcp_servers.read')))
      throw forbidden(
        'Only admins and managers of the workspace may see the connections of other users.',
        'query/user_id',
      )
  }
  const paging = pagingOf(call.query)
  const page = { offset: paging.current_page * paging.page_size, limit: paging.page_size }
  const { total, documents } = await runtime.connections.list(server.id, asked, page)
  const views = await Promise.all(documents.map((one) => view(call, one)))
  return listAnswer(views, total, paging)
}

async function view(call: Call, { data, created_at, last_updated_at }: Connection): Promise<JsonObject> {
  const user = await call.documents.get(kinds.user, data.user_id)
  return {
    user_id: data.user_id,
    email: user?.data.email ?? null,
    connected: true,
    scopes: data.scopes,
    expires_at: data.expires_at === null ? null : new Date(data.expires_at).toISOString(),
    created_at: new Date(created_at).toISOString(),
    last_updated_at: new Date(last_updated_at).toISOString(),
  }
}

async function end(runtime: McpRuntime, call: Call, server: Server): Promise<JsonObject> {
  const { userId } = call.identity
  const named = call.body.user_id ?? call.query.user_id
  const asked = named === undefined ? userId : String(named)
  if (asked === null)
    throw new GatewayError('invalid_body', '/user_id: is required with a service key', { param: '/user_id' })
  if (asked !== userId && !(await mayManage(call, server, 'mcp_servers.update')))
    throw forbidden(
      'Only admins and managers of the workspace may delete the connection of another user.',
      'query/user_id',
    )
  const connection = await runtime.connections.find(server.id, asked)
  if (connection === null) throw notFound('query/user_id', 'connection')
  await runtime.connections.end(connection)
  await call.commit([], {
    action: 'delete',
    resource_type: 'mcp-server-connection',
    resource_id: server.id,
    workspace_id: server.workspace_id,
    details: { user_id: asked },
  })
  return { success: true }
}

/** Adds data for the list of users of a server. */
export async function connectionStatus(
  runtime: McpRuntime,
  server: Server,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const integration = await runtime.context.documents.get(
    kinds.mcpIntegration,
    server.data.mcp_integration_id ?? '',
  )
  if (integration?.data.auth_type !== 'oauth_auto') return new Map()
  const found = await Promise.all(userIds.map((id) => runtime.connections.find(server.id, id)))
  return new Map(userIds.map((id, index) => [id, found[index] === null ? 'disconnected' : 'connected']))
}

/** Revokes and erases every connection of a server that is archived. */
export async function endConnections({ connections }: McpRuntime, serverId: string | null): Promise<void> {
  if (serverId === null) return
  for (;;) {
    const { documents } = await connections.list(serverId, null, { offset: 0, limit: 100 })
    if (documents.length === 0) return
    for (const connection of documents) await connections.end(connection)
  }
}
