/**
 * Runs a part of the pipeline within limits: what it may need is reserved, and settled with what its tries used, of a
 * body as soon as there is one, of a stream behind its last byte.
 */
import type { ResolvedTarget } from '../config/node.ts'
import type { GatewayError, JsonObject } from '../contract/index.ts'
import { type Exchange, required } from '../exchange.ts'
import { preparePrices, priceOf } from '../pricing/price.ts'
import type { Next } from '../stage.ts'
import type { Applied } from './applied.ts'
import type { RateReading, Try } from './ledger.ts'
import { noteReached, noteRefused, noteUnsettled } from './limit-events.ts'
import { needOf } from './need.ts'
import { type Amounts, type Held, reserve } from './reserve.ts'
import { pricedOf, spentBy } from './spent.ts'

export interface Within {
  /** At least one. */
  applied: readonly Applied[]
  /** Whose price the estimate is made with; null: nobody's. */
  likely(): { target: ResolvedTarget; body: JsonObject } | null
  /** Those that are charged. */
  tries(): readonly Try[]
  /** Takes what rate limits say. */
  tell(rates: readonly RateReading[]): void
}

/** Why it was not run; null when it was. Errors: those of what runs, and of the counters. */
export async function runWithin(
  exchange: Exchange,
  within: Within,
  nowMs: number,
  next: Next,
): Promise<GatewayError | null> {
  const needed = await amountsNeeded(exchange, within)
  const held = await reserve(exchange.runtime.store.counters, within.applied, needed, nowMs)
  within.tell(held.rates)
  noteReached(exchange, held.reached)
  const { refusal, settle } = held
  if (refusal !== null) {
    noteRefused(exchange, refusal)
    return refusal
  }
  if (settle === null) {
    await next()
    return null
  }
  try {
    await next()
  } catch (error) {
    await settleWith(exchange, within, settle)
    throw error
  }
  if (exchange.answer?.stream) exchange.afterwards.add(() => void settleLater(exchange, within, settle))
  else await settleWith(exchange, within, settle)
  return null
}

/** As far as the limits ask. */
async function amountsNeeded(exchange: Exchange, { applied, likely }: Within): Promise<Amounts> {
  const hasCost = applied.some(({ limit }) => limit.measure === 'cost')
  if (!hasCost && applied.every(({ limit }) => limit.measure === 'requests')) return { tokens: 0, usd: 0 }
  const endpoint = required(exchange.endpoint, 'endpoint')
  const { promptTokens, completionTokens } = needOf(endpoint, exchange.body)
  const tokens = promptTokens + completionTokens
  const chosen = hasCost ? likely() : null
  if (chosen === null) return { tokens, usd: 0 }
  const priced = pricedOf(exchange, { ...chosen, answeredModel: null })
  const preparing = preparePrices(priced)
  if (preparing !== null) await preparing
  const { cents } = priceOf(priced, needOf(endpoint, chosen.body), { nowMs: Date.now() })
  return { tokens, usd: cents / 100 }
}

/** A gateway that stops waits for it. */
async function settleLater(
  exchange: Exchange,
  within: Within,
  settle: NonNullable<Held['settle']>,
): Promise<void> {
  const { runtime } = exchange
  runtime.inFlight += 1
  await settleWith(exchange, within, settle)
  runtime.inFlight -= 1
}

/** A fault of the counters is noted and no more: the answer is there. */
async function settleWith(
  exchange: Exchange,
  { tries, tell }: Within,
  settle: NonNullable<Held['settle']>,
): Promise<void> {
  try {
    const now = Date.now()
    const { usage, cost } = spentBy(exchange, tries(), now)
    const used = { tokens: usage.promptTokens + usage.completionTokens, usd: cost.cents / 100 }
    const { rates, reached } = await settle(used, now)
    tell(rates)
    noteReached(exchange, reached)
  } catch (error) {
    noteUnsettled(exchange, error)
  }
}
