/** The one list of resources. One whose path another's `/:id` would swallow stands before it. */

import { apiKeys } from './api-keys/resource.ts'
import { configs } from './configs/resource.ts'
import type { Resource } from './engine/resource.ts'
import { guardrails } from './guardrails/resource.ts'
import { integrations } from './integrations/resource.ts'
import { invites } from './people/invites.ts'
import { sessions } from './people/sessions.ts'
import { users } from './people/users.ts'
import { rateLimitPolicies } from './policies/rate-limit-policies.ts'
import { usageLimitPolicies } from './policies/usage-limit-policies.ts'
import { providers } from './providers/resource.ts'
import { virtualKeys } from './providers/virtual-keys.ts'
import { secretReferences } from './secret-references/resource.ts'
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
