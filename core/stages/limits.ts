/**
 * Limits of the key, the workspace, policies, and a service's budget for the request: an estimate is reserved in all of
 * them at once before any call, and settled with the usage of all attempts. Errors: 412 `usage_limit_exceeded`, 429
 * `rate_limit_exceeded`; 503 `store_unavailable` or `dependency_unavailable` if the counters are unavailable.
 */
import type { Answer, LimitPorts, LimitSet, MaybePromise, Next, Resolved } from '@gateway/flow'
import { likelyTarget } from '@gateway/routing'
import { applicableLimits, policySubjectOf, runWithin, type Within } from '../metering/index.ts'

const unlimited: Pick<LimitSet, 'fixed' | 'requestPolicies'> = { fixed: [], requestPolicies: [] }

export function limits(exchange: Resolved, next: Next<Resolved>, ports: LimitPorts): MaybePromise<Answer> {
  const { caller, workspace, transport } = exchange
  const { ledger } = exchange.request
  const set = workspace.limits.of(caller)
  const budget = transport.origin?.budget
  if (set === null && budget === undefined) return next(exchange)
  const now = Date.now()
  const { fixed, requestPolicies } = set ?? unlimited
  const applied = applicableLimits(fixed, requestPolicies, {
    subject: () => policySubjectOf(exchange, null),
    nowMs: now,
  })
  if (budget !== undefined) applied.push({ limit: budget, valueKey: null, key: budget.keyAt(now) })
  if (applied.length === 0) return next(exchange)
  const within: Within = {
    applied,
    likely: () => likelyTarget(exchange, exchange.node, exchange.input.body),
    attempts: () => ledger.attempts,
    onRates: (rates) => {
      ledger.requestRates = rates
    },
    refuse: (refusal) => {
      throw refusal
    },
  }
  return runWithin(ports, exchange, { within, nowMs: now, next })
}
