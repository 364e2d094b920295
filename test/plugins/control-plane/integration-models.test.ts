/** The models of an integration: the catalogue's, configured ones, and custom models. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { answerOk, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

describe('the models of an integration', () => {
  const api = openManagement({ security: { trusted_hosts: ['127.0.0.1'] } })
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream((request, response, seen) => {
      if (request.path !== '/v1/models') return answerOk(request, response, seen)
      sendJson(response, 200, { object: 'list', data: [{ id: 'told-by-itself', object: 'model' }] })
    })
  })
  after(() => upstream.close())

  let count = 0
  const create = async (more: object = {}) => {
    const made = await api.post('/v1/integrations', {
      name: `Models ${++count}`,
      ai_provider_id: 'openai',
      key: 'sk-0123456789abcdef',
      workspace_id: 'default',
      configurations: { custom_host: upstream.url },
      ...more,
    })
    expect(made.status, made.text).to.equal(200)
    return made.body as { id: string; slug: string }
  }
  const slugsOf = (data: Record<string, unknown>[]) => data.map(({ slug }) => slug)

  for (const path of ['models', 'integration-models']) {
    it(`include the catalogue and the provider's own, at /${path}`, async () => {
      const { id } = await create()
      const { body, data } = await api.get(`/v1/integrations/${id}/${path}`)
      expect(body).to.include({ object: 'list', allow_all_models: true, total: data.length })
      expect(body.models).to.deep.equal(body.data)
      expect(slugsOf(data)).to.include.members(['told-by-itself', 'gpt-4o'])
      expect(data[0]).to.include({ enabled: true, is_custom: false })
    })
  }

  it('can be searched, and filtered by enabled', async () => {
    const { id } = await create()
    await api.put(`/v1/integrations/${id}/models`, { models: [{ slug: 'gpt-4o', enabled: false }] })
    const found = await api.get(`/v1/integrations/${id}/models?search=GPT-4O&enabled=false`)
    expect(slugsOf(found.data)).to.deep.equal(['gpt-4o'])
    const enabled = await api.get(`/v1/integrations/${id}/models?enabled=true`)
    expect(slugsOf(enabled.data)).not.to.include('gpt-4o')
  })

  it('are merged by slug, and other models stay', async () => {
    const { id } = await create()
    await api.put(`/v1/integrations/${id}/models`, {
      models: [{ slug: 'gpt-4o', enabled: true, name: 'Omni' }],
    })
    const { data, status } = await api.put(`/v1/integrations/${id}/models`, {
      models: [{ slug: 'my-model', enabled: true, is_custom: true }],
    })
    expect(status).to.equal(200)
    const bySlug = new Map(data.map((model) => [model.slug, model]))
    expect(bySlug.get('gpt-4o')).to.include({ name: 'Omni', enabled: true })
    expect(bySlug.get('my-model')).to.include({ is_custom: true, base_model_slug: null })
  })

  it('are not lost in concurrent updates', async () => {
    const { id } = await create()
    const slugs = ['one', 'two', 'three', 'four']
    const replies = await Promise.all(
      slugs.map((slug) =>
        api.put(`/v1/integrations/${id}/models`, { models: [{ slug, enabled: true, is_custom: true }] }),
      ),
    )
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    const { data } = await api.get(`/v1/integrations/${id}/models`)
    expect(slugsOf(data)).to.include.members(slugs)
  })

  it('are refused when they are disabled, or not enabled while allow_all_models is off', async () => {
    const { id, slug } = await create()
    const ask = async (model: string) =>
      (await api.post('/v1/chat/completions', chat('hello', { model: `@${slug}/${model}` }))).error.code ??
      'answered'
    await api.put(`/v1/integrations/${id}/models`, { models: [{ slug: 'gpt-4o', enabled: false }] })
    expect(await ask('gpt-4o')).to.equal('model_not_allowed')
    expect(await ask('gpt-4o-mini')).to.equal('answered')
    await api.put(`/v1/integrations/${id}/models`, {
      models: [{ slug: 'gpt-4o', enabled: true }],
      allow_all_models: false,
    })
    expect(await ask('gpt-4o')).to.equal('answered')
    expect(await ask('gpt-4o-mini')).to.equal('model_not_allowed')
  })

  it('are called at their own host, with headers that cannot be read back', async () => {
    const other = await openUpstream()
    const { id, slug } = await create()
    const configurations = { custom_host: other.url, custom_headers: { 'x-api-token': 'header-secret' } }
    const models = [{ slug: 'tuned', enabled: true, is_custom: true, configurations }]
    const put = await api.put(`/v1/integrations/${id}/models`, { models })
    expect(put.text).not.to.include('header-secret')
    await api.put(`/v1/integrations/${id}/models`, {
      models: put.data.filter((model) => model.slug === 'tuned'),
    })
    const answered = await api.post('/v1/chat/completions', chat('hello', { model: `@${slug}/tuned` }))
    expect(answered.status, answered.text).to.equal(200)
    expect(other.seen.at(-1)?.headers['x-api-token'], 'a mask that is sent back keeps the value').to.equal(
      'header-secret',
    )
    await other.close()
  })

  it('are deleted when they are custom models, and disabled when they are in the catalogue', async () => {
    const { id } = await create()
    await api.put(`/v1/integrations/${id}/models`, {
      models: [
        { slug: 'mine', enabled: true, is_custom: true },
        { slug: 'gpt-4o', enabled: true },
      ],
    })
    const after = await api.delete(`/v1/integrations/${id}/models?slugs=mine,gpt-4o-mini`, {
      slugs: ['gpt-4o'],
    })
    const bySlug = new Map(after.data.map((model) => [model.slug, model]))
    expect(bySlug.has('mine')).to.equal(false)
    expect(bySlug.get('gpt-4o')).to.include({ enabled: false })
    expect(bySlug.get('gpt-4o-mini')).to.include({ enabled: false })
    expect((await api.delete(`/v1/integrations/${id}/models`)).error.param).to.equal('/slugs')
  })

  const one = (more: object) => [{ slug: 'm', enabled: true, is_custom: true, ...more }]
  const wrong: [string, object[], string, string?][] = [
    ['an unknown slug', [{ slug: 'no-such-model', enabled: true }], '/models/0/slug'],
    ['empty configurations', one({ configurations: {} }), '/models/0/configurations'],
    [
      'an invalid host',
      one({ configurations: { custom_host: 'x' } }),
      '/models/0/configurations/custom_host',
    ],
    [
      'a host that may not be called',
      one({ configurations: { custom_host: 'http://10.0.0.1' } }),
      '/models/0/configurations/custom_host',
      'host_not_allowed',
    ],
    [
      'an unknown class of prices',
      one({ pricing_config: { type: 'static', pay_as_you_go: { nothing: { price: 1 } } } }),
      '/models/0/pricing_config/pay_as_you_go',
    ],
    [
      'an unknown unit of prices',
      one({ pricing_config: { pay_as_you_go: { additional_units: { images: { price: 1 } } } } }),
      '/models/0/pricing_config/pay_as_you_go/additional_units',
    ],
    [
      'a multiplier of an unknown unit',
      one({ pricing_adjustments: { multiplier: { additional_units: { images: 1 } } } }),
      '/models/0/pricing_adjustments/multiplier/additional_units',
    ],
    ['a slug twice', [...one({}), ...one({})], '/models'],
    ['no word of whether', [{ slug: 'gpt-4o' }], '/models/0/enabled'],
  ]
  for (const [what, models, param, code = 'invalid_body'] of wrong) {
    it(`refuse ${what} at ${param}`, async () => {
      const { id } = await create()
      const { status, error, text } = await api.put(`/v1/integrations/${id}/models`, { models })
      expect([status, error.code, error.param], text).to.deep.equal([400, code, param])
    })
  }

  it('have prices, custom ones before the price list', async () => {
    const { id, slug } = await create()
    const listed = await api.get('/v1/model-configs/pricing/openai/gpt-4o')
    expect(listed.body).to.include({ source: 'price-list', currency: 'USD' })
    expect(listed.body.pay_as_you_go).to.have.nested.property('request_token.price').that.is.above(0)
    const pay_as_you_go = { request_token: { price: 0.5 }, response_token: { price: 1 } }
    await api.put(`/v1/integrations/${id}/models`, {
      models: [{ slug: 'gpt-4o', enabled: true, pricing_config: { type: 'static', pay_as_you_go } }],
    })
    expect(listed.body.effective_from).to.equal(null)
    const changed = await api.get('/v1/model-configs/pricing/openai/o3')
    expect(changed.body.effective_from).to.equal('2025-06-10T00:00:00.000Z')
    const own = await api.get(`/v1/model-configs/pricing/${slug}/gpt-4o`)
    expect(own.body).to.deep.include({ source: 'integration', pay_as_you_go })
    expect((await api.get('/v1/model-configs/pricing/openai/no-such-model')).status).to.equal(404)
  })

  it('show price tiers by input size, with the adjustments that are charged', async () => {
    const { slug } = await create({
      ai_provider_id: 'google',
      create_default_provider: true,
      pricing_adjustments: { multiplier: { default: 2 } },
    })
    const listed = await api.get('/v1/model-configs/pricing/google/gemini-2.5-pro')
    expect(listed.body, listed.text).to.have.nested.property('pay_as_you_go.request_token')
    expect((listed.body.pay_as_you_go as { request_token: unknown }).request_token).to.deep.equal({
      price: 0.000125,
      tiers: [{ above_input_tokens: 200_000, price: 0.00025 }],
    })
    const own = await api.get(`/v1/model-configs/pricing/${slug}/gemini-2.5-pro`)
    expect((own.body.pay_as_you_go as { request_token: unknown }).request_token, own.text).to.deep.equal({
      price: 0.00025,
      tiers: [{ above_input_tokens: 200_000, price: 0.0005 }],
    })
  })
})
