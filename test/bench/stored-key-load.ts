/** Requests by a thousand stored keys in turn, each with limits of the key, of its workspace and of the provider. */
import type { Limits } from '@gateway/domain'
import { COUNTER } from './load/job.ts'

export const KEYS_IN_USE = 1000

/** Far above what a run can use: requests of the key, tokens of the workspace, a budget of the provider. */
export const KEY_LIMITS: Limits = {
  rate_limits: [{ type: 'requests', unit: 'rpm', value: 100_000_000 }],
  usage_limits: [],
}
/** Also far above what a run can use. */
export const BUDGET: Limits = {
  rate_limits: [],
  usage_limits: [
    {
      type: 'tokens',
      credit_limit: 1e12,
      alert_threshold: null,
      periodic_reset: null,
      periodic_reset_days: null,
      next_usage_reset_at: null,
      last_reset_at: null,
    },
  ],
}
export const FILE_LIMITS = {
  workspace: { rate_limits: { type: 'tokens', unit: 'rpm', value: 1_000_000_000 } },
  provider: { usage_limits: { type: 'tokens', credit_limit: 1e12 } },
}

/** Its counter determines the key: see {@link LoadJob}. */
export const keyPattern = `gw-bench-${COUNTER}`
export const keyText = (index: number) =>
  keyPattern.replace(COUNTER, String(index).padStart(COUNTER.length, '0'))
