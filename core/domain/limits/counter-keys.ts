/**
 * Keys of limit counters: the limit engine counts under them, the management API reads and resets them. Owners are
 * identified by id ({@link limitOwners}). Policies count separately per value key.
 */
import type { RateLimit, UsageLimit } from '../entities/index.ts'
import { usagePeriod } from './usage-period.ts'

/** The limit's owner, as part of its counter keys. */
export const limitOwners = {
  apiKey: (id: string) => `api-keys/${id}`,
  workspace: (id: string) => `workspaces/${id}`,
  provider: (id: string) => `providers/${id}`,
  /** Limits of an integration are counted per workspace. */
  integration: (id: string, workspaceId: string) => `integrations/${id}/${workspaceId}`,
  ratePolicy: (id: string) => `policies/rate-limits/${id}`,
  usagePolicy: (id: string) => `policies/usage-limits/${id}`,
} as const

/** The key of a rate limit. */
export const rateCounterKey = (owner: string, { type, unit }: Pick<RateLimit, 'type' | 'unit'>): string =>
  `rate:${owner}:${type}:${unit}`

/** The key of a usage limit in the period in which a time lies. */
export const usageCounterKey = (owner: string, limit: UsageLimit, nowMs: number): string =>
  `${usageCounterPrefix(owner, limit.type)}${usagePeriod(limit, nowMs).key}`

/** The key prefix of a usage limit, for all periods. */
export const usageCounterPrefix = (owner: string, type: UsageLimit['type']): string =>
  `usage:${owner}:${type}:`

/** The key of one group of a policy. */
export const groupCounterKey = (key: string, valueKey: string): string => `${key}:${valueKey}`
