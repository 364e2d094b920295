/**
 * What tries used and cost: as their providers reported it, else by the estimate of their bodies; nothing for those that
 * failed before any output; what was sent for a stream that its caller left (management contract, section 16).
 */
import type { EndpointId } from '../contract/index.ts'
import type { Exchange } from '../exchange.ts'
import type { ImageAsked } from '../pricing/cost.ts'
import { noCost } from '../pricing/cost.ts'
import { listNameOf } from '../pricing/listed-price.ts'
import { type Priced, priceOf } from '../pricing/price.ts'
import { noRules, rulesOf } from '../pricing/provider-rules.ts'
import { addUsage, noUsage, type Usage } from '../usage.ts'
import type { Spent, Try } from './ledger.ts'
import { needOf, tokensOfBytes } from './need.ts'

export type { Spent } from './ledger.ts'

export const nothingSpent: Spent = { usage: noUsage, cost: noCost, isEstimate: false }

/** Cents as logs say them: to a millionth. */
export const roundCents = (cents: number): number => Math.round(cents * 1e6) / 1e6

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

/** Endpoints whose price is of something that no body tells: seconds of audio, searches, whatever a route is. */
const unguessed: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'rerank',
  'proxy',
])

/** What a provider reported is priced once: limits, metrics and the log ask for it in turn. */
function spentByTry(exchange: Exchange, each: Try, nowMs: number): Spent {
  if (each.outcome === 'nothing') return nothingSpent
  const { usage } = each
  if (usage === null) return pricedAs(exchange, each, estimate(exchange, each), nowMs)
  const { ledger } = exchange
  if (ledger.spent?.by === each && ledger.spent.usage === usage) return ledger.spent.spent
  const spent = pricedAs(exchange, each, usage, nowMs)
  ledger.spent = { by: each, usage, spent }
  return spent
}

function pricedAs(exchange: Exchange, each: Try, usage: Usage, nowMs: number): Spent {
  if (usage === noUsage) return nothingSpent
  const image = imageAsked(each)
  const priced = priceOf(pricedOf(exchange, each), usage, { nowMs, ...(image === null ? {} : { image }) })
  const cost = each.usage === null && unguessed.has(each.endpoint) ? { ...priced, isKnown: false } : priced
  return { usage, cost, isEstimate: each.usage === null }
}

function estimate(exchange: Exchange, { endpoint, body, outcome }: Try): Usage {
  const need = needOf(exchange.ledger, endpoint, body)
  if (outcome === 'whole' || isComplete(exchange)) return need
  const sentBytes = exchange.ledger.sent?.textBytes() ?? 0
  return sentBytes === 0 ? noUsage : { ...need, completionTokens: tokensOfBytes(sentBytes), units: null }
}

/** Whether a stream came to its end and was read to it. */
const isComplete = ({ streamError, transport }: Exchange) => streamError === null && !transport.isClosed()

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function imageAsked({ endpoint, body }: Try): ImageAsked | null {
  if (endpoint !== 'imageGenerate' && endpoint !== 'imageEdit') return null
  return { quality: textOf(body.quality), size: textOf(body.size) }
}
