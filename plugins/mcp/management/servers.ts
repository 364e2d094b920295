/** `/mcp-servers`: the servers that a workspace creates from an integration and that clients call. */
import type { JsonObject } from '@gateway/contract'
import type { Resource } from '@gateway/control-plane/engine'
import { remoteServer } from '@gateway/control-plane/remote-servers'
import { kinds } from '@gateway/domain'
import type { McpRuntime } from '../runtime.ts'
import { serverCapabilityRoutes } from './capability-routes.ts'
import { connectionRoutes, connectionStatus, endConnections } from './connections.ts'
import { serverSyncRoutes } from './sync-routes.ts'

export const mcpServers = (runtime: McpRuntime): Resource<JsonObject, 'publicUrl'> =>
  remoteServer({
    kind: kinds.mcpServer,
    object: 'mcp-server',
    title: 'MCP server',
    tag: 'MCP',
    operation: 'mcpServer',
    path: '/mcp-servers',
    family: 'mcp_servers',
    integrationKind: kinds.mcpIntegration,
    integrationTitle: 'MCP integration',
    integrationField: 'mcp_integration_id',
    userAccessFamily: null,
    urlOf: (publicUrl, slug) => `${publicUrl}/${slug}/mcp`,
    connectionStatus: (server, userIds) => connectionStatus(runtime, server, userIds),
    archive: (write) => endConnections(runtime, write.before?.id ?? null),
    routes: [...serverCapabilityRoutes(runtime), ...serverSyncRoutes(runtime), ...connectionRoutes(runtime)],
  })
