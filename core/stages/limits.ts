/**
 * What the key, the workspace and policies allow a request, reserved in one step before anything is asked, and settled
 * with what all of its tries used.
 * Errors: 412 `usage_limit_exceeded`, 429 `rate_limit_exceeded`; 503 when nobody can count.
 */
import { type Exchange, required } from '../exchange.ts'
import { appliedOf } from '../limits/applied.ts'
import { likelyTarget } from '../limits/likely-target.ts'
import type { LimitSet } from '../limits/limit-table.ts'
import { runWithin } from '../limits/run-within.ts'
import { subjectOf } from '../limits/subject.ts'
import type { Next } from '../stage.ts'

export function limits(exchange: Exchange, next: Next): Promise<void> {
  const identity = required(exchange.identity, 'identity')
  const set = exchange.settings.limits.of(identity, exchange.keyDocument)
  return set === null ? next() : limit(exchange, set, next)
}

async function limit(exchange: Exchange, set: LimitSet, next: Next): Promise<void> {
  const now = Date.now()
  const { ledger } = exchange
  const applied = appliedOf(set.fixed, set.requestPolicies, () => subjectOf(exchange, null), now)
  if (applied.length === 0) return next()
  const refusal = await runWithin(
    exchange,
    {
      applied,
      likely: () => likelyTarget(exchange, required(exchange.node, 'config node'), exchange.body),
      tries: () => ledger.tries,
      tell: (rates) => {
        ledger.requestRates = rates
      },
    },
    now,
    next,
  )
  if (refusal !== null) throw refusal
}
