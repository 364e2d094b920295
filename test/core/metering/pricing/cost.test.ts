/** The cost of usage: class by class, with multipliers, tiers, units and images; and when it is unknown. */

import { noUsage, type Usage } from '@gateway/contract/dialect'
import type { Multipliers } from '@gateway/domain'
import { expect } from 'chai'
import { type CostOptions, costOf } from '#core/metering/pricing/cost'
import { type Prices, pricingRules } from '#core/metering/pricing/prices'

const prices = (parts: Partial<Prices>): Prices => ({
  tokens: {},
  units: {},
  images: {},
  ...parts,
})
const plain = prices({ tokens: { request_token: 1, response_token: 10 } })
const usage = (parts: Partial<Usage>): Usage => ({ ...noUsage, ...parts })
interface CostArguments {
  multipliers?: Multipliers
  options?: Partial<CostOptions>
}

const cost = (used: Usage, at: Prices, { multipliers = {}, options = {} }: CostArguments = {}) =>
  costOf(used, at, { multipliers, ...options })

describe('the cost of', () => {
  const rows: [
    what: string,
    used: Partial<Usage>,
    at: Partial<Prices>,
    multipliers: Multipliers,
    cents: number,
  ][] = [
    ['input and output', { promptTokens: 3, completionTokens: 2 }, plain, {}, 23],
    ['cached input without its own price', { promptTokens: 5, cachedTokens: 4 }, plain, {}, 5],
    [
      'cached input',
      { promptTokens: 5, cachedTokens: 4 },
      { tokens: { ...plain.tokens, cache_read_input_token: 0.5 } },
      {},
      3,
    ],
    [
      'input that is written to a cache, for five minutes and for an hour',
      { promptTokens: 10, cacheWriteTokens: 6, cacheWriteHourTokens: 2 },
      { tokens: { ...plain.tokens, cache_write_input_token: 2, cache_write_hour_token: 4 } },
      {},
      4 + 4 * 2 + 2 * 4,
    ],
    [
      'reasoning',
      { completionTokens: 5, reasoningTokens: 3 },
      { tokens: { ...plain.tokens, reasoning_token: 20 } },
      {},
      2 * 10 + 3 * 20,
    ],
    [
      'audio in and out',
      { promptTokens: 4, promptAudioTokens: 3, completionTokens: 2, completionAudioTokens: 1 },
      { tokens: { ...plain.tokens, request_audio_token: 5, response_audio_token: 50 } },
      {},
      1 + 3 * 5 + 10 + 50,
    ],
    [
      'cached audio',
      { promptTokens: 4, promptAudioTokens: 3, cachedTokens: 2, cachedAudioTokens: 2 },
      { tokens: { ...plain.tokens, request_audio_token: 5, cache_read_audio_input_token: 2 } },
      {},
      1 + 5 + 2 * 2,
    ],
    [
      'images that are read and drawn',
      { promptTokens: 4, promptImageTokens: 3, completionTokens: 2, completionImageTokens: 2 },
      { tokens: { ...plain.tokens, request_image_token: 5, response_image_token: 50 } },
      {},
      1 + 15 + 100,
    ],
    [
      'predictions',
      { completionTokens: 6, acceptedPredictionTokens: 2, rejectedPredictionTokens: 3 },
      { tokens: { ...plain.tokens, prediction_accepted_token: 2, prediction_rejected_token: 30 } },
      {},
      10 + 4 + 90,
    ],
    ['parts that add up to more than the whole', { promptTokens: 2, cachedTokens: 9 }, plain, {}, 2],
    [
      'a long input, whole at the price of its tier',
      { promptTokens: 11 },
      { tokens: { request_token: { base: 1, tiers: [{ start: 10, price: 2 }] } } },
      {},
      22,
    ],
    [
      'an input at the border of a tier',
      { promptTokens: 10 },
      { tokens: { request_token: { base: 1, tiers: [{ start: 10, price: 2 }] } } },
      {},
      10,
    ],
    [
      'output after a long input',
      { promptTokens: 11, completionTokens: 1 },
      { tokens: { request_token: 0, response_token: { base: 1, tiers: [{ start: 10, price: 2 }] } } },
      {},
      2,
    ],
    ['everything times the default', { promptTokens: 3, completionTokens: 2 }, plain, { default: 2 }, 46],
    [
      'a class times its own, not the default',
      { promptTokens: 3, completionTokens: 2 },
      plain,
      { default: 2, response_token: 1 },
      26,
    ],
    [
      'a class without a price, with a multiplier',
      { completionTokens: 5, reasoningTokens: 3 },
      plain,
      { reasoning_token: 2 },
      20 + 60,
    ],
    [
      'a class with a price, which has the default multiplier',
      { promptTokens: 5, cachedTokens: 4 },
      { tokens: { ...plain.tokens, cache_read_input_token: 0.5 } },
      { request_token: 3 },
      3 + 2,
    ],
    [
      'a class without a price, counted in its parent',
      { promptTokens: 5, promptAudioTokens: 4 },
      plain,
      { request_token: 3 },
      15,
    ],
    ['nothing, times nothing', { promptTokens: 5 }, plain, { default: 0 }, 0],
    [
      'searches',
      { promptTokens: 1, units: { web_search: 2 } },
      { ...plain, units: { web_search: 7 } },
      {},
      15,
    ],
    [
      'searches times theirs',
      { units: { web_search: 2 } },
      { ...plain, units: { web_search: 7 } },
      { default: 5, additional_units: { web_search: 2 } },
      28,
    ],
    ['a call, where calls have a price', { promptTokens: 1 }, { ...plain, units: { request: 3 } }, {}, 4],
  ]
  for (const [what, used, at, multipliers, cents] of rows) {
    it(what, () => {
      expect(cost(usage(used), prices(at), { multipliers })).to.deep.equal({ cents, isKnown: true })
    })
  }

  it('a batch, with its discount', () => {
    expect(cost(usage({ promptTokens: 4 }), plain, { options: { share: 0.5 } }).cents).to.equal(2)
  })

  it('images by quality and size, with a default for each', () => {
    const at = prices({ images: { default: { default: 4 }, hd: { '1024x1024': 8, default: 12 }, low: 1 } })
    const drawn = usage({ units: { image: 2 } })
    const ask = (quality: string | null, size: string | null) =>
      cost(drawn, at, { options: { image: { quality, size } } })
    expect([
      ask('hd', '1024x1024').cents,
      ask('hd', '512x512').cents,
      ask('low', '512x512').cents,
      ask(null, null).cents,
      ask('toString', 'toString').cents,
      cost(drawn, at, {
        multipliers: { default: 9, image: { default: 2 } },
        options: { image: { quality: 'low', size: null } },
      }).cents,
    ]).to.deep.equal([16, 24, 2, 8, 8, 4])
  })
})

describe('the cost is unknown', () => {
  it('when a token class that was used has no price, and its parent class has none', () => {
    const input = prices({ tokens: { request_token: 1 } })
    expect(cost(usage({ promptTokens: 2, completionTokens: 3 }), input)).to.deep.equal({
      cents: 2,
      isKnown: false,
    })
    expect(cost(usage({ promptTokens: 2 }), input).isKnown).to.equal(true)
  })

  it('when a unit has no price', () => {
    expect(cost(usage({ promptTokens: 2, units: { web_search: 1 } }), plain)).to.deep.equal({
      cents: 2,
      isKnown: false,
    })
    expect(cost(usage({ units: { image: 1 } }), plain).isKnown).to.equal(false)
  })
})

describe('custom prices', () => {
  const rules = pricingRules(
    {
      type: 'static',
      pay_as_you_go: {
        request_token: { price: 0.1 },
        additional_units: { web_search: { price: 2 } },
        image: { default: { price: 3 } },
      },
      batch_config: { request_token: { price: 0.02 } },
    },
    { default: 2 },
    { default: 7, response_token: 9 },
  )

  it('replace all prices of a model: a class without a price is unknown, never free', () => {
    const at = rules?.prices ?? plain
    const priced = usage({ promptTokens: 10, units: { web_search: 1, image: 1 } })
    expect(cost(priced, at)).to.deep.equal({ cents: 6, isKnown: true })
    const rows: [used: Partial<Usage>, cents: number, isKnown: boolean][] = [
      [{ promptTokens: 10, cachedTokens: 4 }, 1, true],
      [{ promptTokens: 10, cacheWriteTokens: 4, cacheWriteHourTokens: 2 }, 1, true],
      [{ promptTokens: 10, promptAudioTokens: 4, cachedTokens: 2, cachedAudioTokens: 2 }, 1, true],
      [{ promptTokens: 10, completionTokens: 5 }, 1, false],
      [{ completionTokens: 5, reasoningTokens: 5 }, 0, false],
      [{ completionTokens: 5, completionAudioTokens: 5 }, 0, false],
      [{ promptTokens: 10, units: { file_search: 4 } }, 1, false],
    ]
    for (const [used, cents, isKnown] of rows)
      expect(cost(usage(used), at), JSON.stringify(used)).to.deep.equal({ cents, isKnown })
  })

  it('can set one price for every image, as a unit', () => {
    const config = {
      pay_as_you_go: { additional_units: { image: { price: 3 } }, image: { hd: { price: 8 } } },
    }
    const at = pricingRules(config, null, null)?.prices ?? plain
    const drawn = usage({ units: { image: 2 } })
    const ask = (quality: string, multipliers: Multipliers = {}) =>
      cost(drawn, at, { multipliers, options: { image: { quality, size: null } } })
    expect(ask('hd')).to.deep.equal({ cents: 16, isKnown: true })
    expect(ask('low')).to.deep.equal({ cents: 6, isKnown: true })
    expect(ask('low', { default: 9, additional_units: { image: 2 } }).cents).to.equal(12)
    expect(ask('low', { additional_units: { image: 2 }, image: { default: 5 } }).cents).to.equal(12)
    expect(ask('hd', { additional_units: { image: 2 }, image: { default: 5 } }).cents).to.equal(80)
  })

  it('of an image cover tokens without a price, and token prices cover images', () => {
    const drawn = usage({ promptTokens: 10, completionTokens: 5, units: { image: 2 } })
    const perImage = prices({ units: { image: 3 } })
    expect(cost(drawn, perImage)).to.deep.equal({ cents: 6, isKnown: true })
    expect(cost(drawn, prices({ tokens: { request_token: 1 }, units: { image: 3 } }))).to.deep.equal({
      cents: 16,
      isKnown: true,
    })
    expect(cost(drawn, plain)).to.deep.equal({ cents: 60, isKnown: true })
    expect(cost(drawn, prices({})).isKnown).to.equal(false)
  })

  it('can include batch prices', () => {
    expect(cost(usage({ promptTokens: 100 }), rules?.batchPrices ?? plain).cents).to.equal(2)
  })

  it('use the multipliers of the model instead of those of its integration', () => {
    expect(rules?.multipliers).to.deep.equal({ default: 2 })
    expect(pricingRules(null, null, { default: 7 })?.multipliers).to.deep.equal({ default: 7 })
    expect(pricingRules(null, null, null)).to.equal(null)
  })
})
