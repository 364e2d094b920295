/** The list of subjects. Resources and routes are served in this order. */

import { apiKeySubject } from './api-keys/index.ts'
import { auditSubject } from './audit/index.ts'
import { configSubject } from './configs/index.ts'
import { guardrailSubject } from './guardrails/index.ts'
import { integrationSubject } from './integrations/index.ts'
import { organisationSubject } from './organisations/index.ts'
import { peopleSubject } from './people/index.ts'
import { pluginSubject } from './plugins/index.ts'
import { policySubject } from './policies/index.ts'
import { promptSubject } from './prompts/index.ts'
import { providerSubject } from './providers/index.ts'
import { routingSubject } from './routing/index.ts'
import { secretReferenceSubject } from './secret-references/index.ts'
import { webhookSubject } from './webhooks/index.ts'
import { workspaceSubject } from './workspaces/index.ts'

export const subjects = [
  organisationSubject,
  auditSubject,
  workspaceSubject,
  peopleSubject,
  apiKeySubject,
  integrationSubject,
  providerSubject,
  secretReferenceSubject,
  routingSubject,
  configSubject,
  guardrailSubject,
  pluginSubject,
  promptSubject,
  policySubject,
  webhookSubject,
] as const
