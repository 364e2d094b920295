/** `GET /models` over stored providers: the models that a workspace may call, and none of other workspaces. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const entry = (id: string, more: object = {}) => ({
  id,
  object: 'model',
  created: 1,
  owned_by: 'them',
  ...more,
})

describe('the models of stored providers', () => {
  const api = openManagement({ security: { trusted_hosts: ['127.0.0.1'] } })
  const listed = [entry('model-a'), entry('model-b', { capabilities: { vision: true } })]
  let upstream: Upstream
  let workspace: string
  let key: string
  before(async () => {
    upstream = await openUpstream((_request, response) =>
      sendJson(response, 200, {
        object: 'list',
        data: listed,
      }),
    )
    workspace = await api.people.workspace('Models')
    key = await api.people.key({ type: 'workspace-service', workspace, scopes: ['models.list'] })
  })
  after(() => upstream.close())

  let count = 0
  const createProvider = async (more: object = {}) => {
    const made = await api.post('/v1/integrations', {
      name: `Listed ${++count}`,
      ai_provider_id: 'openai',
      key: 'sk-0123456789abcdef',
      workspace_id: workspace,
      configurations: { custom_host: upstream.url },
      ...more,
    })
    expect(made.status, made.text).to.equal(200)
    const provider = made.body.default_provider as { id: string; slug: string }
    return { integration: String(made.body.id), ...provider }
  }
  const list = async (query = '', headers: Record<string, string> = {}) =>
    (await api.as(key).get(`/v1/models?limit=1000&${query}`, headers)).body as {
      total_count: number
      has_more: boolean
      data: { id: string; slug: string; ai_service: string; is_custom: boolean; provider: { slug: string } }[]
    }
  const idsOf = async (query = '') => (await list(query)).data.map(({ id }) => id)

  it('are listed once each, by slug', async () => {
    const { slug } = await createProvider()
    const { data, total_count } = await list(`provider=${slug}`)
    expect(data.map(({ id }) => id)).to.deep.equal([`@${slug}/model-a`, `@${slug}/model-b`])
    expect(total_count).to.equal(2)
    expect(data[0]).to.deep.include({ slug: 'model-a', ai_service: 'openai', is_custom: false })
    expect(data[0]?.provider.slug).to.equal(slug)
  })

  it('are the enabled ones, including custom models', async () => {
    const { slug, integration } = await createProvider()
    await api.put(`/v1/integrations/${integration}/models`, {
      models: [
        { slug: 'model-a', enabled: false },
        { slug: 'mine', enabled: true, is_custom: true },
      ],
    })
    expect(await idsOf(`provider=${slug}`)).to.deep.equal([`@${slug}/mine`, `@${slug}/model-b`])
    await api.put(`/v1/integrations/${integration}/models`, { models: [], allow_all_models: false })
    expect(await idsOf(`provider=${slug}`)).to.deep.equal([`@${slug}/mine`])
  })

  it("show capabilities and prices: custom ones, the base model's, or the price list's", async () => {
    const { slug, integration } = await createProvider({
      pricing_adjustments: { multiplier: { default: 2, reasoning_token: 3 } },
    })
    const custom = { enabled: true, is_custom: true }
    const pay_as_you_go = { request_token: { price: 0.5 }, response_token: { price: 1 } }
    const saved = await api.put(`/v1/integrations/${integration}/models`, {
      models: [
        { slug: 'gpt-4o', enabled: true },
        { ...custom, slug: 'house', base_model_slug: 'gpt-4o' },
        { ...custom, slug: 'seer', base_model_slug: 'model-b', pricing_config: { pay_as_you_go } },
        { ...custom, slug: 'seer-2', base_model_slug: 'seer', pricing_adjustments: { multiplier: {} } },
      ],
    })
    expect(saved.status, saved.text).to.equal(200)
    const { data } = await list(`provider=${slug}`)
    const details = Object.fromEntries(
      data.map(({ slug: model, ...rest }) => {
        const { capabilities, pricing } = rest as { capabilities?: unknown; pricing?: unknown }
        return [model, { capabilities, pricing }]
      }),
    )
    expect(details['model-a']).to.deep.equal({ capabilities: null, pricing: null })
    expect(details['model-b']).to.deep.equal({ capabilities: { vision: true }, pricing: null })
    expect(details['gpt-4o']?.capabilities).to.deep.equal({ context_window: 128_000 })
    expect(details['gpt-4o']?.pricing).to.deep.include({ currency: 'USD', source: 'price-list' })
    expect(details['gpt-4o']?.pricing).to.have.nested.property(
      'pay_as_you_go.request_token.price',
      2 * 0.00025,
    )
    expect(details.house).to.deep.equal(details['gpt-4o'])
    expect(details.seer).to.deep.equal({
      capabilities: { vision: true },
      pricing: {
        pay_as_you_go: {
          request_token: { price: 1 },
          response_token: { price: 2 },
          reasoning_token: { price: 3 },
        },
        currency: 'USD',
        source: 'integration',
      },
    })
    expect(details['seer-2']?.pricing).to.deep.include({ pay_as_you_go, source: 'integration' })
    const one = await api.as(key).get(`/v1/models/@${slug}/seer`)
    expect(one.body).to.deep.include(details.seer)
    const priced = await api.get(`/v1/model-configs/pricing/${slug}/seer?workspace_id=${workspace}`)
    expect(priced.body, priced.text).to.deep.include((details.seer as { pricing: object }).pricing)
  })

  it('are paged, searched and filtered by service', async () => {
    const { slug } = await createProvider()
    expect(await idsOf(`provider=${slug}&search=MODEL-B`)).to.deep.equal([`@${slug}/model-b`])
    expect(await idsOf('ai_service=anthropic')).to.deep.equal([])
    const page = (await api.as(key).get(`/v1/models?provider=${slug}&limit=1&offset=1`)).body
    expect(page).to.include({ total_count: 2, has_more: false })
  })

  it('disappear with their provider, when it expires, and when its workspace loses access', async () => {
    const archived = await createProvider()
    await api.delete(`/v1/providers/${archived.id}`)
    expect(await idsOf(`provider=${archived.slug}`)).to.deep.equal([])
    const expired = await createProvider()
    await api.put(`/v1/providers/${expired.id}`, { expires_at: '2020-01-01' })
    expect(await idsOf(`provider=${expired.slug}`)).to.deep.equal([])
    const shared = await api.post('/v1/integrations', { name: 'Shared echo', ai_provider_id: 'echo' })
    const access = (enabled: boolean) =>
      api.put(`/v1/integrations/${shared.body.id}/workspaces`, { workspaces: [{ id: workspace, enabled }] })
    await access(true)
    expect(await idsOf('ai_service=echo')).not.to.deep.equal([])
    await access(false)
    expect(await idsOf('ai_service=echo')).to.deep.equal([])
  })

  it("are those of the caller's workspace", async () => {
    const { slug } = await createProvider()
    const other = await api.people.workspace('Other models')
    const theirs = await api.people.key({
      type: 'workspace-service',
      workspace: other,
      scopes: ['models.list'],
    })
    const { data } = await api.as(theirs).get('/v1/models?limit=1000')
    expect(data.map(({ id }) => id)).not.to.include(`@${slug}/model-a`)
  })
})
