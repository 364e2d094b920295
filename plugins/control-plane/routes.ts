/** Routes that belong to no resource. They stand before those of resources: `/guardrails/checks` is no id. */
import type { Route, ServiceContext } from '@gateway/contract'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { auditRoutes } from './audit/audit-logs.ts'
import { pricingRoutes } from './integrations/model-pricing.ts'
import { exclusionRoutes } from './organisations/exclusions.ts'
import { organisationRoutes } from './organisations/routes.ts'
import { inviteAcceptRoutes } from './people/invite-accept.ts'
import { signInRoutes } from './people/sign-in.ts'

export const plainRoutes: readonly ((context: ServiceContext) => Route[])[] = [
  organisationRoutes,
  exclusionRoutes,
  auditRoutes,
  apiKeyRoutes,
  inviteAcceptRoutes,
  signInRoutes,
  pricingRoutes,
]
