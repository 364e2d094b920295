/**
 * What attempts used and cost: as their providers reported it, else by the estimate of their bodies; nothing for those that
 * failed before any output; what was sent of a stream that was cut off before its output was reported (management
 * contract, section 16).
 */
import type { Exchange } from '../../flow/exchange.ts'
import type { Attempt, UsageCost } from '../../flow/ledger.ts'
import { noUsage, type Usage } from '../../flow/usage.ts'
import type { ImageAsked } from '../pricing/cost.ts'
import { noCost } from '../pricing/cost.ts'
import { listNameOf } from '../pricing/listed-price.ts'
import { type Priced, priceOf } from '../pricing/price.ts'
import { noRules, rulesOf } from '../pricing/provider-rules.ts'
import { addUsage } from '../usage.ts'
import { estimateUsage, tokensOfBytes } from './estimate.ts'

export type { UsageCost } from '../../flow/ledger.ts'

export const noUsageCost: UsageCost = { usage: noUsage, cost: noCost, isEstimate: false }

/** Whose price an attempt pays. */
export function pricedOf(
  { settings }: Pick<Exchange, 'settings'>,
  { target, body, answeredModel }: Pick<Attempt, 'target' | 'body' | 'answeredModel'>,
): Priced {
  const { adapter, slug } = target
  const asked = typeof body.model === 'string' ? body.model : null
  const stored = slug === null ? undefined : settings.storedProviders.get(slug)
  const { names, rules } = stored === undefined ? noRules(asked) : rulesOf(stored, asked)
  return {
    listName: listNameOf(adapter),
    models: answeredModel === null ? names : [...names, answeredModel],
    rules,
  }
}

/** Of these attempts so far. */
export function usageCostOf(exchange: Exchange, attempts: readonly Attempt[], nowMs: number): UsageCost {
  let sum = noUsageCost
  for (const each of attempts) {
    const own = costOfAttempt(exchange, each, nowMs)
    if (own !== noUsageCost) sum = sum === noUsageCost ? own : add(sum, own)
  }
  return sum
}

const add = (one: UsageCost, other: UsageCost): UsageCost => ({
  usage: addUsage(one.usage, other.usage),
  cost: {
    cents: one.cost.cents + other.cost.cents,
    isKnown: one.cost.isKnown && other.cost.isKnown,
  },
  isEstimate: one.isEstimate || other.isEstimate,
})

/** What a provider reported is priced once: limits, metrics and the log ask for it in turn. */
function costOfAttempt(exchange: Exchange, each: Attempt, nowMs: number): UsageCost {
  if (each.outcome === 'nothing') return noUsageCost
  const { usage } = each
  if (usage === null) return pricedAs(exchange, each, estimate(exchange, each), nowMs)
  const { ledger } = exchange
  const sent = isCut(exchange, each, usage) ? sentTokens(exchange) : 0
  if (sent > 0) return pricedAs(exchange, each, { ...usage, completionTokens: sent }, nowMs)
  if (ledger.usageCost?.of === each && ledger.usageCost.usage === usage) return ledger.usageCost.cost
  const cost = pricedAs(exchange, each, usage, nowMs)
  ledger.usageCost = { of: each, usage, cost }
  return cost
}

function pricedAs(exchange: Exchange, each: Attempt, usage: Usage, nowMs: number): UsageCost {
  if (usage === noUsage) return noUsageCost
  const priced = priceOf(pricedOf(exchange, each), usage, { nowMs, ...imageAsked(each) })
  const cost = each.usage === null && !each.endpoint.isEstimatePriced ? { ...priced, isKnown: false } : priced
  return { usage, cost, isEstimate: each.usage !== usage }
}

function estimate(exchange: Exchange, { endpoint, body, outcome }: Attempt): Usage {
  const whole = estimateUsage(exchange.ledger, endpoint, body)
  if (outcome === 'whole' || isComplete(exchange)) return whole
  const sent = sentTokens(exchange)
  return sent === 0 ? noUsage : { ...whole, completionTokens: sent, units: null }
}

const sentTokens = ({ ledger }: Exchange): number => tokensOfBytes(ledger.sent?.textBytes() ?? 0)

/** Whether a stream ended before its output was reported: some formats report the input at their beginning. */
const isCut = (exchange: Exchange, each: Attempt, { completionTokens }: Usage): boolean =>
  completionTokens === 0 &&
  each.outcome === 'stream' &&
  each === exchange.ledger.attempts.at(-1) &&
  !isComplete(exchange)

/** Whether a stream came to its end and was read to it. */
const isComplete = ({ streamError, transport }: Exchange) => streamError === null && !transport.isClosed()

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** What tells the price of its images, where there are any. */
export function imageAsked({ endpoint, body }: Pick<Attempt, 'endpoint' | 'body'>): { image?: ImageAsked } {
  if (!endpoint.makesImages) return {}
  return { image: { quality: textOf(body.quality), size: textOf(body.size) } }
}
