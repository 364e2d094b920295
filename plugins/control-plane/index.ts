/** The control plane: everything that manages the gateway, as one service package (management contract). */
import type { ServicePlugin } from '@gateway/contract'
import { recordReload } from './audit/config-reload.ts'
import { recordAlert } from './audit/limit-alert.ts'
import { recordToken } from './audit/refused-token.ts'
import { beginFirstOrganisation } from './bootstrap.ts'
import { routesOf } from './engine/resource-routes.ts'
import { jobs } from './jobs.ts'
import { resources } from './resources.ts'
import { plainRoutes } from './routes.ts'

const plugin: ServicePlugin = {
  name: 'control-plane',
  title: 'Management API',
  async open(context) {
    const opening = await beginFirstOrganisation(context)
    return {
      routes: [
        ...plainRoutes.flatMap((make) => make(context)),
        ...resources.flatMap((resource) => routesOf(resource, context)),
      ],
      jobs: [...opening, ...jobs.map((make) => make(context))],
      limitReached: (alert) => recordAlert(context, alert),
      configRead: (isApplied) => recordReload(context, isApplied),
      refusedToken: (request, error, token) => recordToken(context, request, error, token),
    }
  },
}

export default plugin
