/**
 * Writes an audit record and emits an event when a usage limit reaches its threshold or is exhausted (management
 * contract, section 21).
 */

import type { LimitAlert, ServiceContext } from '@gateway/contract'
import { eventWrite } from '@gateway/domain'
import { commitAsSystem } from '../engine/index.ts'

/** One record, which names the limit as errors do. */
export async function recordAlert(
  context: ServiceContext<'documents' | 'now'>,
  alert: LimitAlert,
): Promise<void> {
  const { organisationId: organisation_id, workspaceId: workspace_id } = alert
  const limit = {
    type: alert.type,
    credit_limit: alert.creditLimit,
    alert_threshold: alert.alertThreshold,
    value_key: alert.valueKey,
  }
  const data = { subject: subjectOf(alert.limit), limit, current_usage: alert.currentUsage }
  const event = { type: `usage_limit.${alert.event}`, organisation_id, workspace_id, data }
  await commitAsSystem(context, organisation_id, {
    writes: [eventWrite(event, context.now())],
    note: {
      action: alert.event,
      resource_type: 'usage-limit',
      resource_id: alert.limit,
      workspace_id,
      details: {
        type: alert.type,
        credit_limit: alert.creditLimit,
        alert_threshold: alert.alertThreshold,
        current_usage: alert.currentUsage,
        value_key: alert.valueKey,
      },
    },
  })
}

const subjectTypes: Readonly<Record<string, string>> = {
  'api-keys': 'api-key',
  workspaces: 'workspace',
  providers: 'provider',
  integrations: 'integration',
  policies: 'policy-usage-limits',
}

/** The object with the limit: `api-keys/ID`, `policies/usage-limits/ID`; for providers and integrations, the slug. */
function subjectOf(limit: string): { type: string; id: string } {
  const [first = '', ...rest] = limit.split('/')
  return { type: subjectTypes[first] ?? first, id: (first === 'policies' ? rest.slice(1) : rest).join('/') }
}
