/**
 * A model's capabilities and prices (management contract, section 12): from its provider, else the price list; the
 * operator's own prices take precedence, adjusted as charged. US cents.
 */
import type { JsonObject } from '@gateway/contract'
import { adjustedPrices, pricedModel } from '@gateway/domain'
import { listNameOf, loadPriceList, type PriceList, rulesOf, toConfig } from '../../metering/index.ts'
import type { ModelDetails, ProviderModel } from './listed.ts'

/** Loads the price list if necessary; returns a function that describes one model. */
export async function loadDetails(nowMs: number): Promise<(model: ProviderModel) => ModelDetails> {
  const list = await loadPriceList()
  return (model) => detailsOf(model, list, nowMs)
}

function detailsOf(
  { adapter, info, slug, stored }: ProviderModel,
  list: PriceList,
  nowMs: number,
): ModelDetails {
  const listName = listNameOf(adapter)
  const { config, names } = pricedModel(slug, (name) => stored?.models.get(name))
  const first = <Found>(look: (provider: string, name: string) => Found | null): Found | null => {
    if (listName === null) return null
    for (const name of names) {
      const found = look(listName, name)
      if (found !== null) return found
    }
    return null
  }
  const own = config?.pay_as_you_go ?? null
  const prices = own ?? first((provider, name) => pricesOf(list, { provider, name, nowMs }))
  const multipliers = stored === null ? {} : (rulesOf(stored, slug).rules?.multipliers ?? {})
  return {
    capabilities: capabilitiesOf(
      info.capabilities,
      first((provider, name) => list.contextWindow(provider, name, nowMs)),
    ),
    pricing:
      prices === null
        ? null
        : {
            pay_as_you_go: adjustedPrices(prices, multipliers),
            currency: 'USD',
            source: own === null ? 'price-list' : 'integration',
          },
  }
}

interface PricesOptions {
  provider: string
  name: string
  nowMs: number
}

function pricesOf(list: PriceList, { provider, name, nowMs }: PricesOptions) {
  const found = list.find(provider, name, nowMs)
  return found === null ? null : toConfig(found).pay_as_you_go
}

const capabilitiesOf = (told: JsonObject | undefined, contextWindow: number | null): JsonObject | null =>
  told === undefined && contextWindow === null
    ? null
    : { ...(contextWindow === null ? {} : { context_window: contextWindow }), ...told }
