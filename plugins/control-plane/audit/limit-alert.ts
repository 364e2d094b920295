/** A usage limit whose threshold was reached, or which is used up, is in the audit log (management contract, section 21). */

import type { LimitAlert, ServiceContext } from '@gateway/contract'
import { commitAsSystem } from '../engine/index.ts'

/** One record, which names the limit as errors do. */
export async function recordAlert(context: ServiceContext, alert: LimitAlert): Promise<void> {
  await commitAsSystem(context, alert.organisationId, [], {
    action: alert.event,
    resource_type: 'usage-limit',
    resource_id: alert.limit,
    workspace_id: alert.workspaceId,
    details: {
      type: alert.type,
      credit_limit: alert.creditLimit,
      alert_threshold: alert.alertThreshold,
      current_usage: alert.currentUsage,
      value_key: alert.valueKey,
    },
  })
}
