/** `/mcp-integrations`: an upstream MCP server, its credential, and its enabled capabilities. */
import type { JsonObject } from '@gateway/contract'
import type { Resource } from '@gateway/control-plane/engine'
import { remoteIntegration } from '@gateway/control-plane/remote-servers'
import { kinds } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import type { McpRuntime } from '../runtime.ts'
import { integrationCapabilityRoutes } from './capability-routes.ts'
import { checkConfigurations, mcpConfigurations } from './configurations.ts'
import { integrationSyncRoutes, syncAfterWrite } from './sync-routes.ts'

export const mcpIntegrations = (runtime: McpRuntime): Resource<JsonObject, 'checkUrl'> =>
  remoteIntegration({
    kind: kinds.mcpIntegration,
    object: 'mcp-integration',
    title: 'MCP integration',
    tag: 'MCP',
    operation: 'mcpIntegration',
    path: '/mcp-integrations',
    family: 'mcp_integrations',
    serverKind: kinds.mcpServer,
    serverTitle: 'MCP server',
    authTypes: ['none', 'headers', 'oauth_auto', 'oauth_client_credentials'],
    configurations: mcpConfigurations,
    fields: {
      transport: { schema: Type.Unsafe({ type: 'string', enum: ['http', 'sse'] }), isRequired: true },
      new_capabilities_enabled: { schema: Type.Boolean(), default: true },
    },
    checkConfigurations,
    after: (write, stored) => syncAfterWrite(runtime, write, stored),
    routes: [...integrationCapabilityRoutes(runtime), ...integrationSyncRoutes(runtime)],
  })
