/** SCIM 2.0 and the mapping of groups to workspaces (management contract, section 9), as a service package. */
import { defineService } from '@gateway/contract'
import { engineNeeds, routesOf } from '@gateway/control-plane/engine'
import { discoveryRoutes } from './discovery/routes.ts'
import { groupRoutes } from './groups/routes.ts'
import { groupListRoute } from './management/groups.ts'
import { mappingRoutes } from './management/mappings.ts'
import { scimTokens } from './management/tokens.ts'
import { userRoutes } from './users/routes.ts'

export default defineService({
  name: 'scim',
  title: 'SCIM 2.0',
  needs: [...engineNeeds, 'keyPrefix', 'publicUrl'],
  open: (context) => ({
    routes: [
      ...discoveryRoutes(context),
      ...userRoutes(context),
      ...groupRoutes(context),
      ...mappingRoutes(context),
      groupListRoute(context),
      ...routesOf(scimTokens, context),
    ],
  }),
})
