/** The one list of resources. One whose path another's `/:id` would swallow stands before it. */
import type { Resource } from './engine/resource.ts'
import { apiKeys } from './resources/api-keys.ts'
import { configs } from './resources/configs.ts'
import { guardrails } from './resources/guardrails.ts'
import { integrations } from './resources/integrations.ts'
import { invites } from './resources/invites.ts'
import { providers } from './resources/providers.ts'
import { rateLimitPolicies } from './resources/rate-limit-policies.ts'
import { secretReferences } from './resources/secret-references.ts'
import { sessions } from './resources/sessions.ts'
import { usageLimitPolicies } from './resources/usage-limit-policies.ts'
import { users } from './resources/users.ts'
import { virtualKeys } from './resources/virtual-keys.ts'
import { workspaces } from './workspaces/workspaces.ts'

export const resources: readonly Resource[] = [
  workspaces,
  invites,
  users,
  sessions,
  apiKeys,
  integrations,
  providers,
  virtualKeys,
  secretReferences,
  configs,
  guardrails,
  rateLimitPolicies,
  usageLimitPolicies,
]
