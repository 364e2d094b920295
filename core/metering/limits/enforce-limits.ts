/**
 * Runs a part of the pipeline within limits: reserves its estimate and settles with the attempts' usage, for a body as
 * soon as it exists, for a stream after its last byte.
 */

import type { GatewayError, JsonObject } from '@gateway/contract'
import {
  type Answer,
  type Attempt,
  type Authenticated,
  elapsedMs,
  type LimitPorts,
  type Next,
  nodePath,
  type RateReading,
  type ReportPorts,
  type Resolved,
  type ResolvedTarget,
  type Routed,
  recordDecision,
} from '@gateway/flow'
import { preparePrices, priceOf } from '../pricing/price.ts'
import type { ApplicableLimit } from './applicable-limits.ts'
import { noteReached, noteRefused, noteSeen, noteUnsettled } from './limit-events.ts'
import { type Amounts, type Held, reserve } from './reserve.ts'
import { estimateUsage, imageAsked, pricedOf, usageCostOf } from './usage-cost.ts'

export interface Within {
  /** At least one. */
  applied: readonly ApplicableLimit[]
  /** The target whose price is used for the estimate, or null. */
  likely(): { target: ResolvedTarget; body: JsonObject } | null
  /** The attempts to charge. */
  attempts(): readonly Attempt[]
  /** Receives the rate limit readings. */
  onRates(rates: readonly RateReading[]): void
  /** The answer to a refused request, unless the refusal is thrown. */
  refuse(refusal: GatewayError): Answer
}

type Settle = NonNullable<Held['settle']>

interface RunWithinOptions<Phase extends Resolved> {
  within: Within
  nowMs: number
  next: Next<Phase>
}

/** Errors: those of the call that runs, and of the counters. */
export async function runWithin<Phase extends Resolved>(
  ports: LimitPorts,
  exchange: Phase,
  { within, nowMs, next }: RunWithinOptions<Phase>,
): Promise<Answer> {
  const amounts = amountsNeeded(exchange, within)
  const needed = amounts instanceof Promise ? await amounts : amounts
  const reserved = reserve(exchange.request.stores.counters, within.applied, { need: needed, nowMs })
  // In-process counters answer synchronously.
  const held = reserved instanceof Promise ? await reserved : reserved
  within.onRates(held.rates)
  for (const { limit } of within.applied) {
    const rate = held.rates.find((reading) => reading.limit === limit)
    recordDecision(exchange, {
      step: 'limit',
      path: nodePath(exchange),
      at_ms: elapsedMs(exchange),
      param: limit.param,
      admitted: held.refusal?.param !== limit.param,
      remaining: rate === undefined ? null : Math.max(0, limit.limit - rate.used - rate.reserved),
    })
  }
  noteReached(ports, exchange, held.reached)
  noteSeen(ports, exchange, within.applied)
  const { refusal, settle } = held
  if (refusal !== null) {
    noteRefused(ports, refusal)
    return within.refuse(refusal)
  }
  if (settle === null) return next(exchange)
  let final: Answer
  try {
    final = await next(exchange)
  } catch (error) {
    await settleWith(ports, exchange, { within, settle })
    throw error
  }
  if (final.stream === null) await settleWith(ports, exchange, { within, settle })
  else exchange.request.ledger.deferred.add(() => void settleLater(ports, exchange, { within, settle }))
  return final
}

const requestAlone: Amounts = { tokens: 0, usd: 0 }

/** The parts of a request's estimate that the limits need. */
export function amountsNeeded(
  exchange: Routed,
  { applied, likely }: Pick<Within, 'applied' | 'likely'>,
): Amounts | Promise<Amounts> {
  const hasCost = applied.some(({ limit }) => limit.measure === 'cost')
  if (!hasCost && applied.every(({ limit }) => limit.measure === 'requests')) return requestAlone
  const endpoint = exchange.endpoint
  const { promptTokens, completionTokens } = estimateUsage(
    exchange.request.ledger,
    endpoint,
    exchange.input.body,
  )
  const tokens = promptTokens + completionTokens
  const chosen = hasCost ? likely() : null
  return chosen === null ? { tokens, usd: 0 } : withCost(exchange, tokens, chosen)
}

async function withCost(
  exchange: Routed,
  tokens: number,
  chosen: NonNullable<ReturnType<Within['likely']>>,
): Promise<Amounts> {
  const endpoint = exchange.endpoint
  const priced = pricedOf(exchange, { ...chosen, answeredModel: null })
  await preparePrices(priced)
  const usage = estimateUsage(exchange.request.ledger, endpoint, chosen.body)
  const options = { nowMs: Date.now(), ...imageAsked({ endpoint, body: chosen.body }) }
  return { tokens, usd: priceOf(priced, usage, options).cents / 100 }
}

/** A gateway that stops waits for it. */
async function settleLater(
  ports: ReportPorts,
  exchange: Authenticated,
  { within, settle }: { within: Within; settle: Settle },
): Promise<void> {
  ports.inFlight.begin()
  await settleWith(ports, exchange, { within, settle })
  ports.inFlight.end()
}

/** A failure of the counters is only logged, because the answer already exists. */
async function settleWith(
  ports: ReportPorts,
  exchange: Authenticated,
  { within: { attempts, onRates }, settle }: { within: Within; settle: Settle },
): Promise<void> {
  try {
    const now = Date.now()
    const { usage, cost } = usageCostOf(exchange, attempts(), now)
    const used = { tokens: usage.promptTokens + usage.completionTokens, usd: cost.cents / 100 }
    const answer = settle(used, now)
    const { rates, reached } = answer instanceof Promise ? await answer : answer
    onRates(rates)
    noteReached(ports, exchange, reached)
  } catch (error) {
    noteUnsettled(ports, exchange, error)
  }
}
