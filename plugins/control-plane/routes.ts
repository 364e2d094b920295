/** Routes that belong to no resource. They stand before those of resources: `/guardrails/checks` is no id. */
import type { Route, ServiceContext } from '@gateway/core/contract'
import { auditRoutes } from './audit-logs.ts'
import { exclusionRoutes } from './organisations/exclusions.ts'
import { organisationRoutes } from './organisations/routes.ts'
import { apiKeyRoutes } from './resources/api-key-routes.ts'
import { inviteAcceptRoutes } from './resources/invite-accept.ts'
import { pricingRoutes } from './resources/model-pricing.ts'
import { signInRoutes } from './resources/sign-in.ts'

export const plainRoutes: readonly ((context: ServiceContext) => Route[])[] = [
  organisationRoutes,
  exclusionRoutes,
  auditRoutes,
  apiKeyRoutes,
  inviteAcceptRoutes,
  signInRoutes,
  pricingRoutes,
]
