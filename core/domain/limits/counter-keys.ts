/**
 * How counters of limits are named: the limit engine counts under these keys, the management API reads and resets them.
 * Owners are named by their ids ({@link limitOwners}). Policies count apart for each value key.
 */
import type { RateLimit, UsageLimit } from '../entities/index.ts'
import { usagePeriod } from './usage-period.ts'

/** Whose limit it is, in the keys of its counters. */
export const limitOwners = {
  apiKey: (id: string) => `api-keys/${id}`,
  workspace: (id: string) => `workspaces/${id}`,
  provider: (id: string) => `providers/${id}`,
  /** Each workspace has its own limits of an integration. */
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

/** What the keys of a usage limit begin with, whatever the period. */
export const usageCounterPrefix = (owner: string, type: UsageLimit['type']): string =>
  `usage:${owner}:${type}:`

/** The key of one group of a policy. */
export const groupCounterKey = (key: string, valueKey: string): string => `${key}:${valueKey}`
