/** MCP servers behind the gateway: their management, and the endpoint that clients call (management contract, section 20). */
import type { ServicePlugin } from '@gateway/contract'
import { routesOf } from '@gateway/control-plane/engine'
import { createDirectory } from './directory.ts'
import { mcpIntegrations } from './management/integrations.ts'
import { mcpServers } from './management/servers.ts'
import { syncJob } from './management/sync-routes.ts'
import { clientRoutes } from './relay/endpoint.ts'
import type { McpRuntime } from './runtime.ts'
import { openHttpSession } from './upstream/http-session.ts'
import { createSessionPool } from './upstream/pool.ts'

const plugin: ServicePlugin = {
  name: 'mcp',
  title: 'MCP servers',
  open(context) {
    const openSession: McpRuntime['openSession'] = (target, io) => openHttpSession(context, target, io)
    const runtime: McpRuntime = {
      context,
      openSession,
      directory: createDirectory(context),
      pool: createSessionPool(context, openSession),
      opened: new WeakMap(),
    }
    return {
      routes: [
        ...[mcpIntegrations(runtime), mcpServers(runtime)].flatMap((resource) => routesOf(resource, context)),
        ...clientRoutes(runtime),
      ],
      jobs: [syncJob(runtime)],
      async close() {
        runtime.directory.close()
        runtime.pool.close()
      },
    }
  },
}

export default plugin
