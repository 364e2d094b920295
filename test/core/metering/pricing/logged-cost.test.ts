/** The cost of a request in its log line: from the price list, from custom prices, or unknown. */
import { expect } from 'chai'
import { openScene } from '../../../support/scene.ts'
import { sendJson } from '../../../support/upstream.ts'
import { reports, usageOf } from '../limits/scene.ts'

describe('the cost of a request', () => {
  const scene = openScene((origin) => {
    const at = (name: string, more: Record<string, unknown> = {}) => ({
      provider: 'openai',
      api_key: 'sk-1',
      custom_host: `${origin}/${name}/v1`,
      ...more,
    })
    return {
      providers: {
        listed: at('listed'),
        marked: at('marked', {
          pricing_adjustments: { multiplier: { default: 3 } },
          models: [{ slug: 'gpt-4o-mini', pricing_adjustments: { multiplier: { default: 1 } } }],
        }),
        own: at('own', {
          models: [
            { slug: 'gpt-4o', pricing_adjustments: { multiplier: { default: 2, response_token: 0 } } },
            { slug: 'house', is_custom: true, base_model_slug: 'gpt-4o' },
            { slug: 'ft:gpt-3.5-turbo:acme', is_finetune: true, base_model_slug: 'gpt-4o' },
            { slug: 'ft:unlisted', is_finetune: true, base_model_slug: 'gpt-4o' },
            {
              slug: 'priced',
              pricing_config: { pay_as_you_go: { request_token: { price: 1 } } },
            },
            { slug: 'like-priced', is_custom: true, base_model_slug: 'priced' },
            {
              slug: 'painter',
              pricing_config: {
                pay_as_you_go: { image: { default: { price: 4 }, hd: { '1024x1024': { price: 8 } } } },
              },
            },
            {
              slug: 'unit-painter',
              pricing_config: { pay_as_you_go: { additional_units: { image: { price: 5 } } } },
            },
          ],
        }),
        ranks: {
          provider: 'echo',
          models: [
            {
              slug: 'ranker',
              pricing_config: { pay_as_you_go: { additional_units: { rerank_search: { price: 7 } } } },
            },
          ],
        },
        claude: { provider: 'anthropic', api_key: 'sk-2', custom_host: `${origin}/claude/v1` },
      },
    }
  })
  const messages = [{ role: 'user', content: 'hello' }]
  const line = async (body: Record<string, unknown>, path = '/v1/chat/completions') => {
    const reply = await scene.ask(null, { body, path })
    expect(reply.status, reply.text).to.equal(200)
    return scene.gateway.logs.at(-1) ?? {}
  }

  it('uses the price list, with a separate price for cached input', async () => {
    const usage = usageOf(1_000_000, 0, { prompt_tokens_details: { cached_tokens: 1_000_000 } })
    scene.answers = { listed: [reports(usageOf(1_000_000, 1_000_000)), reports(usage)] }
    expect(await line({ model: '@listed/gpt-4o', messages })).to.include({ cost: 1250, cost_known: true })
    expect(await line({ model: '@listed/gpt-4o', messages })).to.include({
      cost: 125,
      cached_units: 1_000_000,
    })
  })

  it('uses the multipliers of the model', async () => {
    scene.answers = { own: reports(usageOf(1_000_000, 1_000_000)) }
    expect(await line({ model: '@own/gpt-4o', messages })).to.include({ cost: 500, cost_known: true })
  })

  it('uses the multipliers of a provider in the config file, or those of its model instead', async () => {
    scene.answers = { marked: reports(usageOf(1_000_000, 0)) }
    expect(await line({ model: '@marked/gpt-4o', messages })).to.include({ cost: 750, cost_known: true })
    expect((await line({ model: '@marked/gpt-4o-mini', messages })).cost).to.be.closeTo(15, 1e-9)
  })

  it('is unknown for a custom model without a price for a class that was used', async () => {
    scene.answers = { own: reports(usageOf(10, 5)) }
    expect(await line({ model: '@own/priced', messages })).to.include({ cost: 10, cost_known: false })
  })

  it("uses the base model's price for a custom model, and for a fine-tuned model that is not in the list", async () => {
    scene.answers = { own: reports(usageOf(1_000_000, 0)) }
    const costs: Record<string, number> = {
      house: 250,
      'ft:unlisted': 250,
      'ft:gpt-3.5-turbo:acme': 300,
      'like-priced': 1_000_000,
    }
    for (const [model, cost] of Object.entries(costs)) {
      expect(await line({ model: `@own/${model}`, messages }), model).to.include({ cost, cost_known: true })
    }
  })

  it('includes cache writes, which are hidden from the caller under strict compliance', async () => {
    scene.answers = {
      claude: (_request, response) =>
        sendJson(response, 200, {
          id: 'm1',
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text: 'well' }],
          stop_reason: 'end_turn',
          usage: {
            input_tokens: 0,
            output_tokens: 0,
            cache_read_input_tokens: 100_000,
            cache_creation_input_tokens: 20_000,
            cache_creation: { ephemeral_5m_input_tokens: 10_000, ephemeral_1h_input_tokens: 10_000 },
          },
        }),
    }
    const expected = 100_000 * 0.00003 + 10_000 * 0.000375 + 10_000 * 0.0006
    const reply = await scene.ask(null, {
      body: { model: '@claude/claude-sonnet-4-5', max_tokens: 9, messages },
    })
    expect(reply.text).to.not.include('cache_creation')
    expect(scene.gateway.logs.at(-1)?.cost).to.be.closeTo(expected, 1e-6)
    const native = await line({ model: '@claude/claude-sonnet-4-5', max_tokens: 9, messages }, '/v1/messages')
    expect(native.cost).to.be.closeTo(expected, 1e-6)
  })

  it('is marked when the price is unknown, and counts 0', async () => {
    scene.answers = { listed: reports(usageOf(10, 10)) }
    expect(await line({ model: '@listed/house-model', messages })).to.include({
      cost: 0,
      cost_known: false,
      prompt_tokens: 10,
    })
  })

  it('is unknown for audio without reported usage, even when text has a price', async () => {
    scene.answers = {
      own: (_request, response) => {
        response.writeHead(200, { 'content-type': 'audio/mpeg' })
        response.end('sound')
      },
    }
    const spoken = await line({ model: '@own/gpt-4o', input: 'hello', voice: 'a' }, '/v1/audio/speech')
    expect(spoken).to.include({ cost_known: false, is_estimate: true })
  })

  it('of images depends on their number, quality and size', async () => {
    scene.answers = {
      own: (_request, response) =>
        sendJson(response, 200, { created: 1, data: [{ url: 'a' }, { url: 'b' }] }),
    }
    const draw = (more: Record<string, unknown>) =>
      line({ model: '@own/painter', prompt: 'a cat', n: 2, ...more }, '/v1/images/generations')
    expect(await draw({})).to.include({ cost: 8, cost_known: true })
    expect(await draw({ quality: 'hd', size: '1024x1024' })).to.include({ cost: 16 })
  })

  it('of images uses the image price if the provider also reports tokens but only images have a price', async () => {
    const answer = { created: 1, data: [{ url: 'a' }, { url: 'b' }] }
    const usage = { input_tokens: 10, output_tokens: 50, total_tokens: 60 }
    const draw = (model: string) =>
      line({ model: `@own/${model}`, prompt: 'a cat', n: 2 }, '/v1/images/generations')
    scene.answers = { own: (_request, response) => sendJson(response, 200, answer) }
    expect(await draw('unit-painter')).to.include({ cost: 10, cost_known: true })
    scene.answers = { own: (_request, response) => sendJson(response, 200, { ...answer, usage }) }
    expect(await draw('unit-painter')).to.include({ cost: 10, cost_known: true })
    expect(await draw('painter')).to.include({ cost: 8, cost_known: true })
  })

  it('of a rerank call uses the search units that the provider reports', async () => {
    const rank = (model: string) =>
      line({ model: `@ranks/${model}`, query: 'cat', documents: ['a cat', 'a dog'] }, '/v1/rerank')
    expect(await rank('ranker')).to.include({ cost: 7, cost_known: true })
    expect(await rank('other')).to.include({ cost: 0, cost_known: false })
  })

  it('is missing when the provider was never called', async () => {
    scene.answers = { listed: 401 }
    await scene.ask(null, { body: { model: '@listed/gpt-4o', messages } })
    expect(scene.gateway.logs.at(-1)).to.not.have.any.keys('cost', 'prompt_tokens')
  })
})
