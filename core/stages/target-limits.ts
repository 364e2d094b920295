/**
 * Limits of a provider, its integration and target policies: reserved before each attempt and settled with its usage. A
 * refusal is the target's answer (412, 429), which can trigger a fallback.
 */
import {
  type Ending,
  type Exchange,
  faultAnswer,
  type Next,
  type RateReading,
  type ResolvedTarget,
  required,
} from '../flow/index.ts'
import {
  type ApplicableLimit,
  applicableLimits,
  policySubjectOf,
  runWithin,
  type Within,
} from '../metering/index.ts'

const none: readonly RateReading[] = []

export function targetLimits(exchange: Exchange, next: Next): Ending {
  const target = required(exchange.target, 'target')
  const { limits } = exchange.settings
  // Headers of an earlier target do not apply to this one.
  exchange.ledger.targetRates = none
  const fixed = target.slug === null ? [] : limits.ofTarget(target.slug)
  const set = limits.of(required(exchange.identity, 'identity'), exchange.keyDocument)
  const policies = set?.targetPolicies ?? []
  if (fixed.length + policies.length === 0) return next(exchange)
  const now = Date.now()
  const subject = () => policySubjectOf(exchange, { target, body: exchange.body })
  const applied = applicableLimits(fixed, policies, subject, now)
  return applied.length === 0
    ? next(exchange)
    : runWithin(exchange, withinTarget(exchange, target, applied), now, next)
}

function withinTarget(
  exchange: Exchange,
  target: ResolvedTarget,
  applied: readonly ApplicableLimit[],
): Within {
  const { ledger, attempt: before } = exchange
  return {
    applied,
    likely: () => ({ target, body: exchange.body }),
    // An attempt is one call; another call of a hedge may run at the same time.
    attempts: () => (exchange.attempt === null || exchange.attempt === before ? [] : [exchange.attempt]),
    onRates: (rates) => {
      ledger.targetRates = rates
    },
    refuse: (refusal) => {
      exchange.answer = faultAnswer(refusal, {
        provider: target.adapter.name,
        virtualKey: target.slug,
        index: required(exchange.node, 'config node').path,
        beforeResults: exchange.beforeResults,
      })
    },
  }
}
