/** Agents behind the gateway: their management, and the endpoint that clients call (management contract, section 20). */
import { defineService } from '@gateway/contract'
import { engineNeeds, routesOf } from '@gateway/control-plane/engine'
import { createClearConfigurations } from '@gateway/control-plane/remote-servers'
import { createDirectory } from './directory.ts'
import { clientRoutes } from './endpoint.ts'
import { agentIntegrations, agentServers } from './management.ts'

export default defineService({
  name: 'agents',
  title: 'Agents',
  needs: [...engineNeeds, 'checkUrl', 'fileSecrets', 'mappedSecrets', 'publicUrl', 'send'],
  open(context) {
    const directory = createDirectory(context)
    const configurationsOf = createClearConfigurations(context)
    const runtime = { context, directory, configurationsOf, cards: new WeakMap() }
    return {
      routes: [
        ...[agentIntegrations(runtime), agentServers(runtime)].flatMap((resource) =>
          routesOf(resource, context),
        ),
        ...clientRoutes(runtime),
      ],
      close: async () => directory.close(),
    }
  },
})
