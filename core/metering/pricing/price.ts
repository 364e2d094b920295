/**
 * The cost of a call: by the operator's price of the model, else by the public price list; otherwise unknown. The list
 * is the snapshot in its package; nothing is ever fetched. It is loaded on first use, because loading is slow.
 * Reference: https://github.com/pydantic/genai-prices
 */
import type { ProviderAdapter } from '@gateway/contract'
import type { Usage } from '@gateway/contract/dialect'
import type { Cost } from '@gateway/flow'
import { LRUCache } from 'lru-cache'
import { costOf, type ImageAsked, unknownCost } from './cost.ts'
import { noMultipliers, type Price, type PriceClass, type Prices, type PricingRules } from './prices.ts'

/** The model to price. */
export interface Priced {
  /** The provider's id in the price list; null: not listed. */
  listName: string | null
  /** Names of the model, the likeliest first. */
  models: readonly string[]
  rules: PricingRules | null
}

/** The id of a provider in the price list; null: not listed. */
export const listNameOf = ({
  name,
  priceList,
}: Pick<ProviderAdapter, 'name' | 'priceList'>): string | null => (priceList === undefined ? name : priceList)

/** The usual fraction of the price for batches. */
const batchShare = 0.5

export interface PriceOptions {
  nowMs: number
  isBatch?: boolean
  image?: ImageAsked
}

/** Whether pricing it requires the list. */
const needsList = ({ listName, rules }: Priced): boolean =>
  listName !== null && (rules?.prices ?? null) === null

/** Loads the list if {@link priceOf} needs it. */
export function preparePrices(priced: Priced): Promise<void> | undefined {
  if (loaded === null && needsList(priced)) return loadPriceList().then(() => undefined)
}

export function priceOf(priced: Priced, usage: Usage, options: PriceOptions): Cost {
  const { rules } = priced
  const isBatch = options.isBatch ?? false
  const ofBatch = isBatch ? (rules?.batchPrices ?? null) : null
  const prices = ofBatch ?? rules?.prices ?? listedPrices(priced, options.nowMs)
  if (prices === null) return unknownCost
  return costOf(usage, prices, {
    multipliers: rules?.multipliers ?? noMultipliers,
    share: isBatch && ofBatch === null ? batchShare : 1,
    ...(options.image === undefined ? {} : { image: options.image }),
  })
}

function listedPrices({ listName, models }: Priced, nowMs: number): Prices | null {
  if (listName === null || loaded === null) return null
  for (const model of models) {
    const found = loaded.find(listName, model, nowMs)
    if (found !== null) return found
  }
  return null
}

export interface PriceList {
  /** The current prices of a model; null when it is not listed. `provider` is the list's id. */
  find(provider: string, model: string, nowMs: number): Prices | null
  /** Start of validity, in ISO 8601; null if the list has no earlier prices. */
  since(provider: string, model: string, nowMs: number): string | null
  /** The context window of a model; null when the list lacks it. */
  contextWindow(provider: string, model: string, nowMs: number): number | null
  /** The listed models of a provider. */
  modelsOf(provider: string): string[]
}

/** Some prices depend on the hour of the day, so lookups expire after this time. */
const keptMs = 60_000
const maxKept = 2000
/** The list matches names by patterns; longer names are not models. */
const longestModel = 200

let loading: Promise<PriceList> | null = null
let loaded: PriceList | null = null

/** Reads the list, once. */
export function loadPriceList(): Promise<PriceList> {
  loading ??= import('@pydantic/genai-prices').then((library) => {
    loaded = createPriceList(library)
    return loaded
  })
  return loading
}

type Library = typeof import('@pydantic/genai-prices')

interface Listed {
  prices: Prices | null
  since: string | null
  contextWindow: number | null
  untilMs: number
}

function createPriceList({ calcPrice, findProvider }: Library): PriceList {
  const kept = new LRUCache<string, Listed>({ max: maxKept })
  return {
    find: (provider, model, nowMs) => listed(provider, model, nowMs).prices,
    since: (provider, model, nowMs) => listed(provider, model, nowMs).since,
    contextWindow: (provider, model, nowMs) => listed(provider, model, nowMs).contextWindow,
    modelsOf(provider) {
      const found = findProvider({ providerId: provider })
      return found?.id === provider ? found.models.map(({ id }) => id) : []
    },
  }

  function listed(provider: string, model: string, nowMs: number): Listed {
    const key = `${provider}\n${model}`
    const known = kept.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known
    const found = look(provider, model, nowMs)
    const entry = {
      prices: found === null ? null : toPrices(found.model_price),
      since: found === null ? null : sinceOf(found),
      contextWindow: found?.model.context_window ?? null,
      untilMs: nowMs + keptMs,
    }
    kept.set(key, entry)
    return entry
  }

  function look(provider: string, model: string, nowMs: number) {
    // The list would match another provider with a similar name.
    if (model.length > longestModel || findProvider({ providerId: provider })?.id !== provider) return null
    return calcPrice({}, model, { providerId: provider, timestamp: new Date(nowMs) })
  }
}

/** Token classes by the list's keys, which are in USD per million tokens. */
const classes: Readonly<Record<string, PriceClass>> = {
  input_mtok: 'request_token',
  output_mtok: 'response_token',
  cache_read_mtok: 'cache_read_input_token',
  cache_write_mtok: 'cache_write_input_token',
  cache_write_1h_mtok: 'cache_write_hour_token',
  input_audio_mtok: 'request_audio_token',
  output_audio_mtok: 'response_audio_token',
  cache_audio_read_mtok: 'cache_read_audio_input_token',
  input_image_mtok: 'request_image_token',
  output_image_mtok: 'response_image_token',
  cache_image_read_mtok: 'cache_read_image_input_token',
  output_reasoning_mtok: 'reasoning_token',
}

/** Units by the list's keys, and the number of units per price. */
const units: Readonly<Record<string, { unit: string; per: number }>> = {
  web_searches_kcount: { unit: 'web_search', per: 1000 },
  storage_searches_kcount: { unit: 'file_search', per: 1000 },
  requests_kcount: { unit: 'request', per: 1000 },
  rerank_searches_kcount: { unit: 'rerank_search', per: 1000 },
  audio_hours: { unit: 'audio_second', per: 3600 },
  input_audio_hours: { unit: 'audio_second', per: 3600 },
}

const centsPerUsd = 100
const tokensPerPrice = 1e6

type Calculated = NonNullable<ReturnType<Library['calcPrice']>>
type ModelPrice = Calculated['model_price']

/** A model whose prices changed has several entries; all but the first have a start date. */
function sinceOf({ model: { prices }, model_price }: Calculated): string | null {
  const current = Array.isArray(prices) ? prices.find((one) => one.prices === model_price) : undefined
  if (current?.constraint?.type !== 'start_date') return null
  return new Date(current.constraint.start_date).toISOString()
}

/** Null for a model without a usable listed price. */
function toPrices(listed: ModelPrice): Prices | null {
  const tokens: Partial<Record<PriceClass, Price>> = {}
  const perUnit: Record<string, number> = {}
  const cents = (usd: number) => (usd * centsPerUsd) / tokensPerPrice
  for (const [key, value] of Object.entries(listed)) {
    if (value === undefined) continue
    const name = classes[key]
    const unit = units[key]
    if (name !== undefined) {
      tokens[name] =
        typeof value === 'number'
          ? cents(value)
          : {
              base: cents(value.base),
              tiers: value.tiers.map(({ start, price }) => ({ start, price: cents(price) })),
            }
    } else if (unit !== undefined && typeof value === 'number') {
      perUnit[unit.unit] = (value * centsPerUsd) / unit.per
    }
  }
  if (Object.keys(tokens).length + Object.keys(perUnit).length === 0) return null
  return { tokens, units: perUnit, images: {} }
}
