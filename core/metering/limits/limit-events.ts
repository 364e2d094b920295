/** Limit events: refusals, thresholds, exhausted budgets. One log line and one count each. */
import { faultReason, type GatewayError, type LimitAlert } from '@gateway/contract'
import { firstOrganisationId, usageGroupId } from '@gateway/domain'
import type { Authenticated, Ports, Received, ReportPorts, Runtime } from '@gateway/flow'
import type { ApplicableLimit } from './applicable-limits.ts'
import type { UsageReached } from './reserve.ts'

const messages = {
  threshold: 'a usage limit has reached its alert threshold',
  exhausted: 'a usage limit is used up',
} as const

/** Reports a threshold or an exhausted budget, each once per period. */
export function noteReached(
  ports: ReportPorts,
  { request: { traceId }, caller: { identity } }: Authenticated,
  reached: readonly UsageReached[],
): void {
  for (const { applied, event, used } of reached) {
    const { limit, valueKey } = applied
    const alert = {
      event,
      limit: limit.param,
      valueKey: valueKey?.slice(0, 300) ?? null,
      type: limit.measure,
      creditLimit: limit.limit,
      alertThreshold: limit.alertThreshold,
      currentUsage: used,
      organisationId: identity?.organisationId ?? firstOrganisationId,
      workspaceId: identity?.workspaceId ?? null,
    }
    ports.metrics.limits.inc({ kind: 'usage', event })
    ports.log.warn(
      {
        trace_id: traceId,
        event: `usage_limit.${event}`,
        limit: alert.limit,
        value_key: alert.valueKey ?? undefined,
        type: alert.type,
        credit_limit: alert.creditLimit,
        alert_threshold: alert.alertThreshold ?? undefined,
        current_usage: used,
        organisation_id: alert.organisationId,
        workspace_id: alert.workspaceId ?? undefined,
      },
      messages[event],
    )
    void tellServices(ports, alert)
  }
}

/**
 * Notifies services after the request. The request counts as in flight until then, so a stopping gateway waits for it.
 */
async function tellServices(
  runtime: Pick<Runtime, 'services' | 'log' | 'inFlight'>,
  alert: LimitAlert,
): Promise<void> {
  runtime.inFlight.begin()
  try {
    await runtime.services.limitReached(alert)
  } catch (error) {
    runtime.log.warn({ err: error, limit: alert.limit }, 'failed to record a usage limit alert')
  } finally {
    runtime.inFlight.end()
  }
}

/** When each group of a usage policy was last seen, to the minute. */
export function noteSeen(
  ports: Ports<'identities'>,
  { caller: { identity } }: Authenticated,
  applied: readonly ApplicableLimit[],
): void {
  if (identity === null) return
  for (const { limit, valueKey } of applied) {
    if (valueKey === null || limit.kind !== 'usage') continue
    ports.identities.noteUse(`${limit.param}/${valueKey}`, identity.organisationId, () =>
      usageGroupId(limit.param.slice(limit.param.lastIndexOf('/') + 1), valueKey),
    )
  }
}

export function noteRefused(ports: Ports<'metrics'>, { code }: GatewayError): void {
  ports.metrics.limits.inc({ kind: code === 'usage_limit_exceeded' ? 'usage' : 'rate', event: 'refused' })
}

/** Holds of an unsettled counter are released when the lease ends. */
export function noteUnsettled(
  ports: Ports<'log' | 'metrics'>,
  { request: { traceId } }: Received,
  error: unknown,
): void {
  const reason = faultReason(error)
  ports.metrics.limits.inc({ kind: 'any', event: 'unsettled' })
  ports.log.warn({ trace_id: traceId, reason }, 'failed to count the usage of a request')
}
