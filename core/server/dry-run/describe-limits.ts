/** Limits as a dry run shows them, and policies that do not apply. */
import type { GatewayError, JsonObject } from '@gateway/contract'
import type { Authenticated, Policy, PolicySubject, Resolved } from '../../flow/index.ts'
import {
  applicableLimits,
  bucketOf,
  type LimitPreview,
  likelyTarget,
  policySubjectOf,
  previewLimits,
} from '../../metering/index.ts'

/** Limits of the key, the workspace and policies on the whole request. */
export async function requestLimits(
  exchange: Resolved,
  nowMs: number,
): Promise<{ limits: readonly LimitPreview[]; refusal: GatewayError | null }> {
  const { workspace, keyDocument, node, body } = exchange
  const set = workspace.limits.of(exchange.identity, keyDocument)
  if (set === null) return { limits: [], refusal: null }
  const subject = () => policySubjectOf(exchange, null)
  const applied = applicableLimits(set.fixed, set.requestPolicies, subject, nowMs)
  const likely = () => (node === null ? null : likelyTarget(exchange, node, body))
  return previewLimits(exchange, { applied, likely }, nowMs)
}

/** @param applies whether the limit counts for this request; a target's limit counts if the target may be chosen */
export function describeLimit(
  { applied, used, reserved, isRefused }: LimitPreview,
  applies: boolean,
  nowMs: number,
): JsonObject {
  const { limit } = applied
  const resetsAt = limit.resetsAt(nowMs)
  return {
    param: limit.param,
    type: limit.measure,
    ...(limit.unit === null ? {} : { unit: limit.unit }),
    bucket: bucketOf(applied),
    limit: limit.limit,
    used,
    reserved,
    remaining: Math.max(0, limit.limit - used - reserved),
    reset_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    applies,
    refused: isRefused,
  }
}

/** @param subjects the request without a target first, then with each target */
export function policiesNotMatching(
  exchange: Authenticated,
  subjects: readonly PolicySubject[],
): JsonObject[] {
  const { workspace, keyDocument } = exchange
  const set = workspace.limits.of(exchange.identity, keyDocument)
  const [ofRequest, ...ofTargets] = subjects
  if (set === null || ofRequest === undefined) return []
  const candidates = ofTargets.length === 0 ? [ofRequest] : ofTargets
  return [
    ...set.requestPolicies.flatMap((policy) => notMatching(policy, [ofRequest])),
    ...set.targetPolicies.flatMap((policy) => notMatching(policy, candidates)),
  ]
}

function notMatching({ limit, mismatch }: Policy, subjects: readonly PolicySubject[]): JsonObject[] {
  const reasons = subjects.map(mismatch)
  const [because] = reasons
  if (because === undefined || reasons.includes(null)) return []
  return [{ id: limit.param.slice(limit.param.lastIndexOf('/') + 1), because }]
}
