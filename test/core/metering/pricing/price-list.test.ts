/** The public price list as parsed here, compared with the prices of its own package for the same usage. */
import { noUsage, type Usage } from '@gateway/contract/dialect'
import { calcPrice } from '@pydantic/genai-prices'
import { expect } from 'chai'
import fastCheck from 'fast-check'
import { costOf } from '#core/metering/pricing/cost'
import { loadPriceList, priceOf } from '#core/metering/pricing/price'

/** Models whose prices have all forms in the list. */
const models: [provider: string, model: string][] = [
  ['openai', 'gpt-4o'],
  ['openai', 'gpt-4o-audio-preview'],
  ['openai', 'text-embedding-3-small'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-opus-4-6'],
  ['google', 'gemini-2.5-pro'],
  ['deepseek', 'deepseek-chat'],
  ['aws', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
]

describe('the price list', () => {
  const tokens = fastCheck.integer({ min: 0, max: 400_000 })
  const used = fastCheck
    .record({ input: tokens, cached: tokens, written: tokens, output: tokens })
    .map(({ input, cached, written, output }): Usage => {
      const read = Math.min(cached, input)
      return {
        ...noUsage,
        promptTokens: input,
        cachedTokens: read,
        cacheWriteTokens: Math.min(written, input - read),
        completionTokens: output,
      }
    })

  for (const [provider, model] of models) {
    it(`prices ${provider}/${model} like its source package`, async () => {
      const list = await loadPriceList()
      const nowMs = Date.parse('2026-11-21T10:00Z')
      const prices = list.find(provider, model, nowMs)
      if (prices === null) throw new Error('It is not in the list.')
      fastCheck.assert(
        fastCheck.property(used, (usage) => {
          const expected = calcPrice(
            {
              input_tokens: usage.promptTokens,
              cache_read_tokens: usage.cachedTokens,
              cache_write_tokens: usage.cacheWriteTokens,
              output_tokens: usage.completionTokens,
            },
            model,
            { providerId: provider, timestamp: new Date(nowMs) },
          )
          const { cents } = costOf(usage, prices, { multipliers: {} })
          expect(cents).to.be.closeTo((expected?.total_price ?? Number.NaN) * 100, 1e-6)
        }),
        { numRuns: 200 },
      )
    })
  }

  it("returns no price for an unknown model, and never another provider's price", async () => {
    const list = await loadPriceList()
    const found = [
      list.find('openai', 'house-model', 0),
      list.find('openai-house', 'gpt-4o', 0),
      list.find('', 'gpt-4o', 0),
      list.find('openai', 'gpt-4o'.padEnd(300, 'o'), 0),
    ]
    expect(found).to.deep.equal([null, null, null, null])
    const unknown = priceOf({ listName: 'openai', models: ['house-model'], rules: null }, noUsage, {
      nowMs: 0,
    })
    expect(unknown).to.deep.equal({ cents: 0, isKnown: false })
  })

  it('is searched for the requested model, then for the model that answered', async () => {
    await loadPriceList()
    const usage = { ...noUsage, promptTokens: 1_000_000 }
    const { cents, isKnown } = priceOf(
      { listName: 'openai', models: ['my-deployment', 'gpt-4o'], rules: null },
      usage,
      { nowMs: Date.parse('2026-11-21T10:00Z') },
    )
    expect(isKnown).to.equal(true)
    expect(cents).to.be.closeTo(250, 1e-9)
  })
})
