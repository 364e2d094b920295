/** A model's listed price, in the format of `pricing_config` (management contract, section 12). */
import type { ListedPart, ListedPricing, PricingConfig } from '@gateway/contract'
import type { Registry } from '@gateway/flow'
import { listNameOf, loadPriceList } from './price.ts'
import type { Price, Prices } from './prices.ts'

interface ListedPriceOptions {
  provider: string
  model: string
  nowMs: number
}

/** The listed price of a model; null for an unlisted model. */
export async function listedPrice(
  { providers }: Pick<Registry, 'providers'>,
  { provider, model, nowMs }: ListedPriceOptions,
): Promise<ListedPricing | null> {
  const adapter = providers.get(provider)
  const listName = adapter === undefined ? null : listNameOf(adapter)
  if (listName === null) return null
  const list = await loadPriceList()
  const prices = list.find(listName, model, nowMs)
  return prices === null ? null : { ...toConfig(prices), effective_from: list.since(listName, model, nowMs) }
}

export function toConfig({ tokens, units }: Prices): PricingConfig {
  const { cache_write_hour_token: _, ...classes } = tokens
  const named = Object.entries(classes).map(([name, price]) => [name, partOf(price)])
  const additional = Object.entries(units).map(([unit, price]) => [unit, { price }])
  return {
    type: 'static',
    pay_as_you_go: {
      ...Object.fromEntries(named),
      ...(additional.length === 0 ? {} : { additional_units: Object.fromEntries(additional) }),
    },
    currency: 'USD',
  }
}

const partOf = (price: Price): ListedPart =>
  typeof price === 'number'
    ? { price }
    : {
        price: price.base,
        tiers: price.tiers.map(({ start, price: ofTier }) => ({ above_input_tokens: start, price: ofTier })),
      }
