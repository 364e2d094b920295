/** MCP servers behind the gateway: their management, and the endpoint that clients call (management contract, section 20). */
import { defineService } from '@gateway/contract'
import { engineNeeds, routesOf } from '@gateway/control-plane/engine'
import { createClearConfigurations } from '@gateway/control-plane/remote-servers'
import { createDirectory } from './directory.ts'
import { mcpIntegrations } from './management/integrations.ts'
import { registryRoute } from './management/registry.ts'
import { mcpServers } from './management/servers.ts'
import { syncJob } from './management/sync-routes.ts'
import { createClientTokens } from './oauth-client/client-credentials.ts'
import { createConnections } from './oauth-client/connections.ts'
import { callbackRoute } from './oauth-client/consent.ts'
import { createRevocation } from './oauth-client/revocation.ts'
import { authorizeRoutes } from './oauth-server/authorize.ts'
import { expiryJob } from './oauth-server/expiry.ts'
import { metadataRoutes } from './oauth-server/metadata.ts'
import { registerRoute } from './oauth-server/register.ts'
import { tokenRoutes } from './oauth-server/token.ts'
import { createTokens } from './oauth-server/tokens.ts'
import { clientRoutes } from './relay/endpoint.ts'
import type { McpRuntime } from './runtime.ts'
import { createSigner } from './signer.ts'
import { createOpener } from './upstream/open-session.ts'
import { createSessionPool } from './upstream/pool.ts'

export default defineService({
  name: 'mcp',
  title: 'MCP servers',
  needs: [
    ...engineNeeds,
    'allowsOrigin',
    'checkUrl',
    'fetch',
    'fileSecrets',
    'keySets',
    'mappedSecrets',
    'publicUrl',
    'send',
    'shared',
    'stopping',
  ],
  open(context) {
    const openSession = createOpener(context)
    const running = new Set<AbortController>()
    const { stopping } = context
    const stop = () => {
      for (const call of running) call.abort(stopping.reason)
    }
    stopping.addEventListener('abort', stop, { once: true })
    const runtime: McpRuntime = {
      context,
      openSession,
      directory: createDirectory(context),
      pool: createSessionPool(context, openSession),
      configurationsOf: createClearConfigurations(context),
      running,
      tokens: createTokens(context),
      failures: new Map(),
      signer: createSigner(context),
      connections: createConnections(context),
      clientTokens: createClientTokens(context),
    }
    const revocation = createRevocation(runtime)
    return {
      routes: [
        ...[mcpIntegrations(runtime), mcpServers(runtime)].flatMap((resource) => routesOf(resource, context)),
        ...clientRoutes(runtime),
        ...metadataRoutes(runtime),
        registerRoute(runtime),
        ...authorizeRoutes(runtime),
        ...tokenRoutes(runtime),
        callbackRoute(runtime),
        registryRoute(runtime),
      ],
      jobs: [syncJob(runtime), expiryJob(runtime), revocation.job],
      async close() {
        stopping.removeEventListener('abort', stop)
        revocation.close()
        runtime.directory.close()
        runtime.tokens.close()
        runtime.pool.close()
      },
    }
  },
})
