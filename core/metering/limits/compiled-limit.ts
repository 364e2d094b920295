/** Compiles one limit: its unit, its counter key, and its reset. */
import {
  type Limits,
  type RateLimit,
  rateCounterKey,
  rateWindows,
  type UsageLimit,
  usageCounterPrefix,
  usagePeriod,
  windowEnd,
} from '@gateway/domain'
import type { CompiledLimit } from '@gateway/flow'

/** The owner of the limits. */
export interface LimitOwner {
  /** The owner in counter keys. */
  owner: string
  /** The owner in `param` of errors. */
  param: string
  /** The owner in messages. */
  label: string
}

/** All limits of an owner, usage before rates. */
export function compileLimits(owner: LimitOwner, { usage_limits, rate_limits }: Limits): CompiledLimit[] {
  return [
    ...usage_limits.map((limit) => compileUsageLimit(owner, limit)),
    ...rate_limits.map((limit) => compileRateLimit(owner, limit)),
  ]
}

export function compileRateLimit({ owner, param, label }: LimitOwner, limit: RateLimit): CompiledLimit {
  const window = rateWindows[limit.unit]
  const key = rateCounterKey(owner, limit)
  return {
    kind: 'rate',
    measure: limit.type,
    param,
    label,
    limit: limit.value,
    unit: limit.unit,
    alertThreshold: null,
    window,
    keyAt: () => key,
    resetsAt: (nowMs) => windowEnd(window, nowMs),
  }
}

export function compileUsageLimit({ owner, param, label }: LimitOwner, limit: UsageLimit): CompiledLimit {
  const prefix = usageCounterPrefix(owner, limit.type)
  // Cached per period, because a period has thousands of requests.
  let known = { key: '', resetsAt: null as number | null, fromMs: Infinity, untilMs: 0 }
  const at = (nowMs: number) => {
    if (nowMs >= known.fromMs && nowMs < known.untilMs) return known
    const { key, resetsAt } = usagePeriod(limit, nowMs)
    known = { key: prefix + key, resetsAt, fromMs: nowMs, untilMs: resetsAt ?? Infinity }
    return known
  }
  return {
    kind: 'usage',
    measure: limit.type,
    param,
    label,
    limit: limit.credit_limit,
    unit: null,
    alertThreshold: limit.alert_threshold,
    window: null,
    keyAt: (nowMs) => at(nowMs).key,
    resetsAt: (nowMs) => at(nowMs).resetsAt,
  }
}
