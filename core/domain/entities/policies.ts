/** Policies of rate limits and usage limits. */
import type { RateLimit, UsageLimit } from './shared.ts'

export type PolicyCondition = { key: string; value: string | string[]; excludes?: string | string[] }
export type PolicyGroup = { key: string }

/** Status `active` or `archived`. */
export type RateLimitPolicyData = {
  conditions: PolicyCondition[]
  group_by: PolicyGroup[]
  type: 'requests' | 'tokens'
  unit: RateLimit['unit']
  value: number
  target: 'llm' | 'mcp_tools'
}

export type UsageLimitPolicyData = UsageLimit & { conditions: PolicyCondition[]; group_by: PolicyGroup[] }

/** The last manual reset of a usage-limit policy's group. Attributes: `policy_id`. */
export type UsageLimitEntityData = {
  policy_id: string
  value_key: string
  /** ISO 8601. */
  last_reset_at: string
}
