/**
 * Limits of a provider, its integration and target policies: an estimate is reserved before each attempt and settled
 * with its usage. A refusal is the target's answer, which can trigger a fallback. Errors: 412 `usage_limit_exceeded`, 429
 * `rate_limit_exceeded`; 503 `store_unavailable` or `dependency_unavailable` if the counters are unavailable, which ends
 * the request.
 */
import {
  type Answer,
  type LimitPorts,
  type MaybePromise,
  type Next,
  type RateReading,
  type Targeted,
  targetFault,
} from '@gateway/flow'
import {
  type ApplicableLimit,
  applicableLimits,
  policySubjectOf,
  runWithin,
  type Within,
} from '../metering/index.ts'

const none: readonly RateReading[] = []

export function targetLimits(
  exchange: Targeted,
  next: Next<Targeted>,
  ports: LimitPorts,
): MaybePromise<Answer> {
  const { target } = exchange
  const { limits } = exchange.workspace
  // Headers of an earlier target do not apply to this one.
  exchange.request.ledger.targetRates = none
  const fixed = target.slug === null ? [] : limits.ofTarget(target.slug)
  const set = limits.of(exchange.caller)
  const policies = set?.targetPolicies ?? []
  if (fixed.length + policies.length === 0) return next(exchange)
  const now = Date.now()
  const subject = () => policySubjectOf(exchange, { target, body: exchange.input.body })
  const applied = applicableLimits(fixed, policies, { subject, nowMs: now })
  return applied.length === 0
    ? next(exchange)
    : runWithin(ports, exchange, { within: withinTarget(exchange, applied), nowMs: now, next })
}

function withinTarget(exchange: Targeted, applied: readonly ApplicableLimit[]): Within {
  const { target } = exchange
  const { ledger } = exchange.request
  const { last: before } = exchange.attempt
  return {
    applied,
    likely: () => ({ target, body: exchange.input.body }),
    // An attempt is one call; another call of a hedge may run at the same time.
    attempts: () =>
      exchange.attempt.last === null || exchange.attempt.last === before ? [] : [exchange.attempt.last],
    onRates: (rates) => {
      ledger.targetRates = rates
    },
    refuse: (refusal) => targetFault(exchange, refusal),
  }
}
