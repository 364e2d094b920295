/** The token and cost limits of a session: the limits of its caller, its target, and policies. */
import type { GatewayError } from '@gateway/contract'
import type { Ports, Routed, Targeted } from '@gateway/flow'
import {
  type ApplicableLimit,
  applicableLimits,
  noteRefused,
  policySubjectOf,
  previewLimits,
} from '../metering/index.ts'

/** Request limits are left out: they were charged when the session began. */
export function sessionLimits(exchange: Targeted, nowMs: number): ApplicableLimit[] {
  const { caller, workspace } = exchange
  const { body } = exchange.input
  const target = exchange.target
  const set = workspace.limits.of(caller)
  const ofTarget = target.slug === null ? [] : workspace.limits.ofTarget(target.slug)
  const fixed = [...(set?.fixed ?? []), ...ofTarget]
  const policies = [...(set?.requestPolicies ?? []), ...(set?.targetPolicies ?? [])]
  const subject = () => policySubjectOf(exchange, { target, body })
  return applicableLimits(fixed, policies, { subject, nowMs }).filter(
    ({ limit }) => limit.measure !== 'requests',
  )
}

/** The error 412 `usage_limit_exceeded` or 429 `rate_limit_exceeded` for a reached limit, or null. */
export async function refusalOf(
  ports: Ports<'metrics'>,
  exchange: Routed,
  applied: readonly ApplicableLimit[],
): Promise<GatewayError | null> {
  if (applied.length === 0) return null
  const { refusal } = await previewLimits(exchange, { applied, likely: () => null }, Date.now())
  if (refusal !== null) noteRefused(ports, refusal)
  return refusal
}
