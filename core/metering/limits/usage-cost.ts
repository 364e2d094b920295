/**
 * What tries used and cost: as their providers reported it, else by the estimate of their bodies; nothing for those that
 * failed before any output; what was sent of a stream that was cut off before its output was reported (management
 * contract, section 16).
 */
import type { Exchange } from '../../flow/exchange.ts'
import type { Spent, Try } from '../../flow/ledger.ts'
import { noUsage, type Usage } from '../../flow/usage.ts'
import type { ImageAsked } from '../pricing/cost.ts'
import { noCost } from '../pricing/cost.ts'
import { listNameOf } from '../pricing/listed-price.ts'
import { type Priced, priceOf } from '../pricing/price.ts'
import { noRules, rulesOf } from '../pricing/provider-rules.ts'
import { addUsage } from '../usage.ts'
import { needOf, tokensOfBytes } from './estimate.ts'

export type { Spent } from '../../flow/ledger.ts'

export const nothingSpent: Spent = { usage: noUsage, cost: noCost, isEstimate: false }

/** Whose price a try pays. */
export function pricedOf(
  { settings }: Pick<Exchange, 'settings'>,
  { target, body, answeredModel }: Pick<Try, 'target' | 'body' | 'answeredModel'>,
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

/** Of these tries so far. */
export function spentBy(exchange: Exchange, tries: readonly Try[], nowMs: number): Spent {
  let spent = nothingSpent
  for (const each of tries) {
    const own = spentByTry(exchange, each, nowMs)
    if (own !== nothingSpent) spent = spent === nothingSpent ? own : add(spent, own)
  }
  return spent
}

const add = (one: Spent, other: Spent): Spent => ({
  usage: addUsage(one.usage, other.usage),
  cost: {
    cents: one.cost.cents + other.cost.cents,
    isKnown: one.cost.isKnown && other.cost.isKnown,
  },
  isEstimate: one.isEstimate || other.isEstimate,
})

/** What a provider reported is priced once: limits, metrics and the log ask for it in turn. */
function spentByTry(exchange: Exchange, each: Try, nowMs: number): Spent {
  if (each.outcome === 'nothing') return nothingSpent
  const { usage } = each
  if (usage === null) return pricedAs(exchange, each, estimate(exchange, each), nowMs)
  const { ledger } = exchange
  const sent = isCut(exchange, each, usage) ? sentTokens(exchange) : 0
  if (sent > 0) return pricedAs(exchange, each, { ...usage, completionTokens: sent }, nowMs)
  if (ledger.spent?.by === each && ledger.spent.usage === usage) return ledger.spent.spent
  const spent = pricedAs(exchange, each, usage, nowMs)
  ledger.spent = { by: each, usage, spent }
  return spent
}

function pricedAs(exchange: Exchange, each: Try, usage: Usage, nowMs: number): Spent {
  if (usage === noUsage) return nothingSpent
  const priced = priceOf(pricedOf(exchange, each), usage, { nowMs, ...imageAsked(each) })
  const cost = each.usage === null && !each.endpoint.isEstimatePriced ? { ...priced, isKnown: false } : priced
  return { usage, cost, isEstimate: each.usage !== usage }
}

function estimate(exchange: Exchange, { endpoint, body, outcome }: Try): Usage {
  const need = needOf(exchange.ledger, endpoint, body)
  if (outcome === 'whole' || isComplete(exchange)) return need
  const sent = sentTokens(exchange)
  return sent === 0 ? noUsage : { ...need, completionTokens: sent, units: null }
}

const sentTokens = ({ ledger }: Exchange): number => tokensOfBytes(ledger.sent?.textBytes() ?? 0)

/** Whether a stream ended before its output was reported: some formats report the input at their beginning. */
const isCut = (exchange: Exchange, each: Try, { completionTokens }: Usage): boolean =>
  completionTokens === 0 &&
  each.outcome === 'stream' &&
  each === exchange.ledger.tries.at(-1) &&
  !isComplete(exchange)

/** Whether a stream came to its end and was read to it. */
const isComplete = ({ streamError, transport }: Exchange) => streamError === null && !transport.isClosed()

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** What tells the price of its images, where there are any. */
export function imageAsked({ endpoint, body }: Pick<Try, 'endpoint' | 'body'>): { image?: ImageAsked } {
  if (!endpoint.makesImages) return {}
  return { image: { quality: textOf(body.quality), size: textOf(body.size) } }
}
