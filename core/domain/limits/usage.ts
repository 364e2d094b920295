/**
 * The usage of usage limits, for the management API (management contract, sections 4, 15 and 16), in USD for the type
 * `cost`, otherwise in whole numbers. Errors: those of the counters.
 */

import type { Counters } from '@gateway/contract'
import type { Limits, UsageLimit } from '../entities/index.ts'
import { groupCounterKey, rateCounterKey, usageCounterKey } from './counter-keys.ts'
import { rolledOver, usagePeriod } from './usage-period.ts'

export interface UsageState {
  current_usage: number
  status: 'active' | 'exhausted'
  /** ISO 8601; null when it never resets. */
  next_usage_reset_at: string | null
  last_reset_at: string | null
}

/** The state of an owner's usage limits, in their order. */
export async function readUsage(
  counters: Pick<Counters, 'read'>,
  owner: string,
  { limits, nowMs }: { limits: readonly UsageLimit[]; nowMs: number },
): Promise<UsageState[]> {
  if (limits.length === 0) return []
  const keys = limits.map((limit) => ({ key: usageCounterKey(owner, limit, nowMs), window: null }))
  const readings = await counters.read(keys, nowMs)
  return limits.map((limit, index) => usageState(limit, readings[index]?.used ?? 0, nowMs))
}

/** The state of a limit with this usage. */
export function usageState(limit: UsageLimit, used: number, nowMs: number): UsageState {
  const { resetsAt } = usagePeriod(limit, nowMs)
  return {
    current_usage: used,
    status: used >= limit.credit_limit ? 'exhausted' : 'active',
    next_usage_reset_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    last_reset_at: rolledOver(limit, nowMs).last_reset_at,
  }
}

interface ResetUsageOptions {
  limits: Limits
  nowMs: number
}

/** Sets all counters of an owner to 0: `reset_usage`. Reservations of requests in flight count once they end. */
export async function resetUsage(
  counters: Pick<Counters, 'reset'>,
  owner: string,
  { limits: { usage_limits, rate_limits }, nowMs }: ResetUsageOptions,
): Promise<void> {
  const keys = [
    ...usage_limits.map((limit) => usageCounterKey(owner, limit, nowMs)),
    ...rate_limits.map((limit) => rateCounterKey(owner, limit)),
  ]
  if (keys.length > 0) await counters.reset(keys)
}

export interface PolicyUsage extends UsageState {
  /** `metadata._user:ann`. */
  value_key: string
}

interface ListPolicyUsageOptions {
  limit: UsageLimit
  page: { after: string | null; limit: number }
  nowMs: number
}

/** The groups of a usage policy with usage in this period, by value key, after `after`. */
export async function listPolicyUsage(
  counters: Pick<Counters, 'list'>,
  owner: string,
  { limit, page, nowMs }: ListPolicyUsageOptions,
): Promise<PolicyUsage[]> {
  const prefix = groupCounterKey(usageCounterKey(owner, limit, nowMs), '')
  const after = page.after === null ? null : prefix + page.after
  const found = await counters.list(prefix, after, page.limit)
  return found.map(({ key, used }) => ({
    value_key: key.slice(prefix.length),
    ...usageState(limit, used, nowMs),
  }))
}

interface ResetPolicyUsageOptions {
  limit: UsageLimit
  valueKey: string
  nowMs: number
}

/** Sets the counter of one group of a usage policy to 0. */
export async function resetPolicyUsage(
  counters: Pick<Counters, 'reset'>,
  owner: string,
  { limit, valueKey, nowMs }: ResetPolicyUsageOptions,
): Promise<void> {
  await counters.reset([groupCounterKey(usageCounterKey(owner, limit, nowMs), valueKey)])
}
