/**
 * What a provider, its integration and policies about targets allow, reserved before each try of a target and settled
 * with what the try used. A refusal is that target's answer (412, 429), on which a fallback can act.
 */
import { faultAnswer } from '../answer.ts'
import { type Exchange, required } from '../exchange.ts'
import { type Applied, appliedOf } from '../limits/applied.ts'
import type { RateReading } from '../limits/ledger.ts'
import { runWithin } from '../limits/run-within.ts'
import { subjectOf } from '../limits/subject.ts'
import type { Next } from '../stage.ts'

const none: readonly RateReading[] = []

export function targetLimits(exchange: Exchange, next: Next): Promise<void> {
  const target = required(exchange.target, 'target')
  const { limits } = exchange.settings
  // What another target said is not this one's.
  exchange.ledger.targetRates = none
  const fixed = target.slug === null ? [] : limits.ofTarget(target.slug)
  const set = limits.of(required(exchange.identity, 'identity'), exchange.keyDocument)
  const policies = set?.targetPolicies ?? []
  if (fixed.length + policies.length === 0) return next()
  const now = Date.now()
  const subject = () => subjectOf(exchange, { target, body: exchange.body })
  const applied = appliedOf(fixed, policies, subject, now)
  return applied.length === 0 ? next() : limit(exchange, applied, now, next)
}

async function limit(
  exchange: Exchange,
  applied: readonly Applied[],
  now: number,
  next: Next,
): Promise<void> {
  const { ledger } = exchange
  const target = required(exchange.target, 'target')
  const from = ledger.tries.length
  const refusal = await runWithin(
    exchange,
    {
      applied,
      likely: () => ({ target, body: exchange.body }),
      // A try is one call.
      tries: () => ledger.tries.slice(from, from + 1),
      tell: (rates) => {
        ledger.targetRates = rates
      },
    },
    now,
    next,
  )
  if (refusal === null) return
  exchange.answer = faultAnswer(refusal, {
    provider: target.adapter.name,
    index: required(exchange.node, 'config node').path,
    beforeResults: exchange.beforeResults,
  })
}
