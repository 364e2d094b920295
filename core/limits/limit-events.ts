/** What is noted of limits: refusals, thresholds, budgets that are used up. One line and one count each. */
import { type GatewayError, usageGroupId } from '../contract/index.ts'
import type { Exchange } from '../exchange.ts'
import type { Applied } from './applied.ts'
import type { UsageReached } from './reserve.ts'

const messages = {
  threshold: 'a usage limit has reached its alert threshold',
  exhausted: 'a usage limit is used up',
} as const

/** Each is told once a period. */
export function noteReached(
  { runtime, traceId, identity }: Exchange,
  reached: readonly UsageReached[],
): void {
  for (const { applied, event, used } of reached) {
    const { limit, valueKey } = applied
    runtime.metrics.limits.inc({ kind: 'usage', event })
    runtime.log.warn(
      {
        trace_id: traceId,
        event: `usage_limit.${event}`,
        limit: limit.param,
        value_key: valueKey?.slice(0, 300),
        type: limit.measure,
        credit_limit: limit.limit,
        alert_threshold: limit.alertThreshold ?? undefined,
        current_usage: used,
        organisation_id: identity?.organisationId,
        workspace_id: identity?.workspaceId,
      },
      messages[event],
    )
  }
}

/** When each group of a usage policy was last seen, to the minute. */
export function noteSeen({ runtime, identity }: Exchange, applied: readonly Applied[]): void {
  if (identity === null) return
  for (const { limit, valueKey } of applied) {
    if (valueKey === null || limit.kind !== 'usage') continue
    runtime.identities.noteUse(`${limit.param}/${valueKey}`, identity.organisationId, () =>
      usageGroupId(limit.param.slice(limit.param.lastIndexOf('/') + 1), valueKey),
    )
  }
}

export function noteRefused({ runtime }: Exchange, { code }: GatewayError): void {
  runtime.metrics.limits.inc({ kind: code === 'usage_limit_exceeded' ? 'usage' : 'rate', event: 'refused' })
}

/** A counter that cannot be settled gives back by itself what was held, when its lease ends. */
export function noteUnsettled({ runtime, traceId }: Exchange, error: unknown): void {
  const reason = error instanceof Error ? error.message : 'error'
  runtime.metrics.limits.inc({ kind: 'any', event: 'unsettled' })
  runtime.log.warn({ trace_id: traceId, reason }, 'what a request used could not be counted')
}
