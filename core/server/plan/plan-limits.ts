/** The limits of a planned request, and policies that do not apply. */
import type { GatewayError, InferencePlan, PlannedLimit } from '@gateway/contract'
import type { Authenticated, Policy, PolicySubject, Resolved } from '@gateway/flow'
import { likelyTarget } from '@gateway/routing'
import {
  applicableLimits,
  bucketOf,
  type LimitPreview,
  policySubjectOf,
  previewLimits,
} from '../../metering/index.ts'
import type { PlannedLeaf } from './plan-leaves.ts'

/** Limits of the key, the workspace and the policies, which apply to the whole request. */
export async function requestLimits(
  exchange: Resolved,
  nowMs: number,
): Promise<{ limits: readonly LimitPreview[]; refusal: GatewayError | null }> {
  const { caller, workspace, node } = exchange
  const { body } = exchange.input
  const set = workspace.limits.of(caller)
  if (set === null) return { limits: [], refusal: null }
  const subject = () => policySubjectOf(exchange, null)
  const applied = applicableLimits(set.fixed, set.requestPolicies, { subject, nowMs })
  const likely = () => likelyTarget(exchange, node, body)
  return previewLimits(exchange, { applied, likely }, nowMs)
}

/** Each limit once: it applies if it counts for the request, or for a target that a call may try. */
export function collectLimits(
  ofRequest: readonly LimitPreview[],
  leaves: readonly PlannedLeaf[],
  nowMs: number,
): PlannedLimit[] {
  const limits = new Map<string, PlannedLimit>()
  const note = (preview: LimitPreview, applies: boolean) => {
    const key = `${preview.applied.limit.kind} ${preview.applied.key}`
    if (limits.get(key)?.applies !== true) limits.set(key, planLimit(preview, applies, nowMs))
  }
  for (const preview of ofRequest) note(preview, true)
  for (const { inspected, isTried } of leaves) for (const preview of inspected.limits) note(preview, isTried)
  return [...limits.values()]
}

function planLimit(
  { applied, used, reserved, isRefused }: LimitPreview,
  applies: boolean,
  nowMs: number,
): PlannedLimit {
  const { limit } = applied
  return {
    param: limit.param,
    measure: limit.measure,
    unit: limit.unit,
    bucket: bucketOf(applied),
    limit: limit.limit,
    used,
    reserved,
    resetsAt: limit.resetsAt(nowMs),
    applies,
    isRefused,
  }
}

type UnmatchedPolicy = InferencePlan['policiesNotMatching'][number]

/** @param subjects the request without a target first, then with each target */
export function policiesNotMatching(
  exchange: Authenticated,
  subjects: readonly PolicySubject[],
): UnmatchedPolicy[] {
  const { caller, workspace } = exchange
  const set = workspace.limits.of(caller)
  const [ofRequest, ...ofTargets] = subjects
  if (set === null || ofRequest === undefined) return []
  const candidates = ofTargets.length === 0 ? [ofRequest] : ofTargets
  return [
    ...set.requestPolicies.flatMap((policy) => notMatching(policy, [ofRequest])),
    ...set.targetPolicies.flatMap((policy) => notMatching(policy, candidates)),
  ]
}

function notMatching({ limit, mismatch }: Policy, subjects: readonly PolicySubject[]): UnmatchedPolicy[] {
  const reasons = subjects.map(mismatch)
  const [because] = reasons
  if (because == null || reasons.includes(null)) return []
  return [{ id: limit.param.slice(limit.param.lastIndexOf('/') + 1), because }]
}
