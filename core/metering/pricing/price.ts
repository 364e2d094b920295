/** The cost of a call: the operator's price of the model where there is one, else the price list's; unknown otherwise. */
import type { Cost, Usage } from '../../flow/usage.ts'
import { costOf, type ImageAsked, unknownCost } from './cost.ts'
import { loadedPriceList, loadPriceList } from './price-list.ts'
import { noMultipliers, type Prices, type PricingRules } from './prices.ts'

/** Whose price is asked for. */
export interface Priced {
  /** The provider's id in the price list; null: the list does not know it. */
  listName: string | null
  /** Names of the model, the likeliest first. */
  models: readonly string[]
  rules: PricingRules | null
}

/** What most providers take for a batch of what they take else. */
const batchShare = 0.5

export interface PriceOptions {
  nowMs: number
  isBatch?: boolean
  image?: ImageAsked
}

/** Whether the list is needed for it. */
const needsList = ({ listName, rules }: Priced): boolean =>
  listName !== null && (rules?.prices ?? null) === null

/** Reads the list where {@link priceOf} needs it. */
export async function preparePrices(priced: Priced): Promise<void> {
  if (needsList(priced)) await loadPriceList()
}

export function priceOf(priced: Priced, usage: Usage, options: PriceOptions): Cost {
  const { rules } = priced
  const isBatch = options.isBatch ?? false
  const ofBatch = isBatch ? (rules?.batchPrices ?? null) : null
  const prices = ofBatch ?? rules?.prices ?? listed(priced, options.nowMs)
  if (prices === null) return unknownCost
  return costOf(usage, prices, {
    multipliers: rules?.multipliers ?? noMultipliers,
    share: isBatch && ofBatch === null ? batchShare : 1,
    ...(options.image === undefined ? {} : { image: options.image }),
  })
}

function listed({ listName, models }: Priced, nowMs: number): Prices | null {
  const list = loadedPriceList()
  if (listName === null || list === null) return null
  for (const model of models) {
    const found = list.find(listName, model, nowMs)
    if (found !== null) return found
  }
  return null
}
