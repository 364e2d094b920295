/** The limits that apply to one request, each with its counter. */
import type { CompiledLimit, Policy, PolicySubject } from '@gateway/flow'
import { policyCounterKey } from './policy.ts'
import { policyCandidates } from './policy-index.ts'

/** A limit as it applies to one request. */
export interface ApplicableLimit {
  limit: CompiledLimit
  /** The key of a policy's group. */
  valueKey: string | null
  /** The key of the counter in the period of the admission. */
  key: string
}

/** The limits in the order of their precedence in errors. @param subject created only if policies exist */
export function applicableLimits(
  fixed: readonly CompiledLimit[],
  policies: readonly Policy[],
  { subject, nowMs }: { subject: () => PolicySubject; nowMs: number },
): ApplicableLimit[] {
  const applied = fixed.map((limit): ApplicableLimit => ({ limit, valueKey: null, key: limit.keyAt(nowMs) }))
  if (policies.length === 0) return applied
  const judged = subject()
  for (const { limit, match } of policyCandidates(policies, judged)) {
    const valueKey = match(judged)
    if (valueKey !== null)
      applied.push({ limit, valueKey, key: policyCounterKey(limit.keyAt(nowMs), valueKey) })
  }
  return applied
}
