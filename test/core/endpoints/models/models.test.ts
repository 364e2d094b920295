/** `GET /v1/models`: the models of the configured providers, requested from them. */
import Anthropic from '@anthropic-ai/sdk'
import { expect } from 'chai'
import OpenAI from 'openai'
import { adminKey, configHeader, startGateway, type TestGateway } from '../../../support/gateway.ts'
import { type Handler, openUpstream, sendJson, type Upstream } from '../../../support/upstream.ts'

interface Entry {
  id: string
  object: string
  created: number
  owned_by: string
  slug: string
  name: string
  provider: { slug: string; name: string }
  ai_service: string
  is_custom: boolean
}

interface List {
  object: string
  total_count: number
  has_more: boolean
  data: Entry[]
}

const listOf = (...ids: string[]) => ({
  object: 'list',
  data: ids.map((id, index) => ({ id, object: 'model', created: 1_700_000_000 + index, owned_by: 'acme' })),
})

const lists: Record<string, Handler> = {
  '/one/v1/models': (_request, response) => sendJson(response, 200, listOf('m-1', 'm-2', 'org/deep/m-3')),
  // A bare list, with display names.
  '/two/v1/models': (_request, response) =>
    sendJson(response, 200, [{ id: 'm-2', display_name: 'Model Two' }, { id: 7 }, null, 'x', { id: '' }]),
  '/three/v1/models': (_request, response) =>
    sendJson(response, 401, { error: { message: 'sk-three is wrong' } }),
  '/four/v1/models?limit=1000': (_request, response) =>
    sendJson(response, 200, {
      data: [
        { type: 'model', id: 'claude-1', display_name: 'Claude One', created_at: '2025-02-19T00:00:00Z' },
        { type: 'model', id: 'claude-2', display_name: 'Claude Two', created_at: 'never' },
      ],
    }),
}

const plays: Handler = (request, response, count) => {
  const handler = lists[request.path]
  if (handler === undefined) sendJson(response, 404, { error: { message: 'not here' } })
  else return handler(request, response, count)
}

describe('GET /v1/models', () => {
  let upstream: Upstream
  let gateway: TestGateway
  const openai = (name: string, extra = {}) => ({
    provider: 'openai',
    api_key: `sk-${name}`,
    custom_host: `${upstream.origin}/${name}/v1`,
    ...extra,
  })
  before(async () => {
    upstream = await openUpstream(plays)
    gateway = await startGateway({
      providers: {
        one: openai('one', {
          models: [
            { slug: 'm-1', enabled: false },
            { slug: 'm-2', name: 'The second' },
            { slug: 'tuned', is_custom: true },
          ],
        }),
        two: openai('two'),
        three: openai('three'),
        four: { provider: 'anthropic', api_key: 'k', custom_host: `${upstream.origin}/four/v1` },
        e: { provider: 'echo' },
      },
      configs: {
        saved: { provider: '@one' },
        both: { strategy: { mode: 'fallback' }, targets: [{ provider: '@one' }, { provider: '@two' }] },
        plain: { retry: { attempts: 1 } },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  const get = async (query = '', headers: Record<string, string> = {}) => {
    const response = await gateway.get(`/v1/models${query}`, headers)
    return {
      status: response.status,
      ...((await response.json()) as List & { error?: { code: string; param: string } }),
    }
  }
  const idsOf = ({ data }: List) => data.map(({ id }) => id)

  it('contains the models of each provider and of the config file, by credential', async () => {
    const list = await get('?ai_service=openai&provider=one')
    expect(list).to.deep.include({ status: 200, object: 'list', total_count: 3, has_more: false })
    expect(list.data).to.deep.equal(
      [
        {
          id: '@one/m-2',
          object: 'model',
          created: 1_700_000_001,
          owned_by: 'acme',
          slug: 'm-2',
          name: 'The second',
          provider: { slug: 'one', name: 'one' },
          ai_service: 'openai',
          is_custom: false,
          capabilities: null,
          pricing: null,
        },
        {
          id: '@one/org/deep/m-3',
          object: 'model',
          created: 1_700_000_002,
          owned_by: 'acme',
          slug: 'org/deep/m-3',
          name: 'org/deep/m-3',
          provider: { slug: 'one', name: 'one' },
          ai_service: 'openai',
          is_custom: false,
          capabilities: null,
          pricing: null,
        },
        {
          id: '@one/tuned',
          object: 'model',
          created: 0,
          owned_by: 'openai',
          slug: 'tuned',
          name: 'tuned',
          provider: { slug: 'one', name: 'one' },
          ai_service: 'openai',
          is_custom: true,
          capabilities: null,
          pricing: null,
        },
      ].sort((left, right) => (left.name < right.name ? -1 : 1)),
    )
  })

  it('requests each list with its credential and without a body', async () => {
    await get()
    const asked = upstream.seen.find(({ path }) => path === '/one/v1/models')
    expect(asked).to.deep.include({ method: 'GET', text: '' })
    expect(asked?.headers).to.include({ authorization: 'Bearer sk-one', accept: 'application/json' })
    expect(upstream.seen.find(({ path }) => path.startsWith('/four'))?.headers).to.include({
      'x-api-key': 'k',
    })
  })

  it('reads the list formats of different vendors', async () => {
    expect(idsOf(await get('?provider=two'))).to.deep.equal(['@two/m-2'])
    expect((await get('?provider=two')).data[0]).to.include({
      name: 'Model Two',
      owned_by: 'openai',
      created: 0,
    })
    const { data } = await get('?provider=four')
    expect(data.map(({ id, name, created }) => [id, name, created])).to.deep.equal([
      ['@four/claude-1', 'Claude One', 1_739_923_200],
      ['@four/claude-2', 'Claude Two', 0],
    ])
  })

  it('contains the known models of a provider that does not answer, with a warning', async () => {
    const { data } = await get('?provider=three')
    expect(data.map(({ slug }) => slug)).to.include('gpt-4.1')
    const warning = gateway.logs.find(({ msg }) => msg === 'failed to list the models of a provider')
    expect(warning).to.include({ level: 40, provider: 'openai', slug: 'three', reason: 'upstream_error' })
    expect(JSON.stringify(gateway.logs)).not.to.contain('sk-three')
  })

  it('contains the models of the embedded provider', async () => {
    expect(idsOf(await get('?ai_service=echo'))).to.include.members(['@e/echo-1', '@e/echo-speech-1'])
  })

  it('requests each list once while it is fresh, for any number of callers', async () => {
    const count = () => upstream.seen.length
    await get()
    const before = count()
    await Promise.all([get(), get(), get('?search=m')])
    expect(count()).to.equal(before)
  })

  const queries: [query: string, ids: string[]][] = [
    ['?search=M-2', ['@two/m-2', '@one/m-2']],
    ['?search=second', ['@one/m-2']],
    ['?search=nothing', []],
    ['?provider=@two', ['@two/m-2']],
    ['?provider=nobody', []],
    ['?ai_service=anthropic', ['@four/claude-1', '@four/claude-2']],
    ['?ai_service=anthropic&order=desc', ['@four/claude-2', '@four/claude-1']],
    ['?search=m-2&sort=provider', ['@one/m-2', '@two/m-2']],
    ['?search=m-2&sort=provider&order=desc', ['@two/m-2', '@one/m-2']],
    ['?ai_service=anthropic&limit=1', ['@four/claude-1']],
    ['?ai_service=anthropic&limit=1&offset=1', ['@four/claude-2']],
    ['?ai_service=anthropic&page_size=1&current_page=1', ['@four/claude-2']],
    ['?ai_service=anthropic&pageSize=1&currentPage=1', ['@four/claude-2']],
    ['?ai_service=anthropic&offset=9', []],
  ]
  for (const [query, ids] of queries) {
    it(`is filtered, sorted and paged: ${query}`, async () => {
      expect(idsOf(await get(query))).to.deep.equal(ids)
    })
  }

  it('reports the total after filtering, and whether there are more models', async () => {
    expect(await get('?ai_service=anthropic&limit=1')).to.include({ total_count: 2, has_more: true })
    expect(await get('?ai_service=anthropic&limit=1&offset=1')).to.include({
      total_count: 2,
      has_more: false,
    })
  })

  for (const [query, param] of [
    ['?limit=0', 'query/limit'],
    ['?limit=1001', 'query/limit'],
    ['?offset=-1', 'query/offset'],
    ['?page_size=x', 'query/page_size'],
    ['?sort=price', 'query/sort'],
    ['?order=up', 'query/order'],
  ]) {
    it(`refuses ${query}`, async () => {
      const { status, error } = await get(query)
      expect(status).to.equal(400)
      expect(error).to.include({ code: 'invalid_query', param })
    })
  }

  describe('for one provider', () => {
    const named: [how: string, headers: () => Record<string, string>, ids: string[]][] = [
      [
        'x-gateway-provider',
        () => ({ 'x-gateway-provider': '@one' }),
        ['@one/m-1', '@one/m-2', '@one/org/deep/m-3'],
      ],
      ['x-gateway-virtual-key', () => ({ 'x-gateway-virtual-key': 'two' }), ['@two/m-2']],
      [
        'a saved config',
        () => ({ 'x-gateway-config': 'saved' }),
        ['@one/m-1', '@one/m-2', '@one/org/deep/m-3'],
      ],
      [
        'a config with several',
        () => ({ 'x-gateway-config': 'both' }),
        ['@two/m-2', '@one/m-1', '@one/m-2', '@one/org/deep/m-3'],
      ],
      [
        'a credential of the caller’s own',
        () =>
          configHeader({ provider: 'openai', api_key: 'sk-mine', custom_host: `${upstream.origin}/one/v1` }),
        ['m-1', 'm-2', 'org/deep/m-3'],
      ],
      [
        'x-gateway-provider, for an integrated provider',
        () => ({ 'x-gateway-provider': '@one', 'x-gateway-fetch-integrated-models': 'true' }),
        ['@one/m-2', '@one/org/deep/m-3', '@one/tuned'],
      ],
    ]
    for (const [how, headers, ids] of named) {
      it(`contains only its models: ${how}`, async () => {
        expect(idsOf(await get('', headers()))).to.have.members(ids)
      })
    }

    it('contains every model with a config that names no provider', async () => {
      const all = await get()
      expect((await get('', { 'x-gateway-config': 'plain' })).total_count).to.equal(all.total_count)
    })

    for (const [headers, status, code] of [
      [{ 'x-gateway-provider': '@nobody' }, 404, 'unknown_virtual_key'],
      [{ 'x-gateway-provider': 'nobody' }, 400, 'unknown_provider'],
      [{ 'x-gateway-config': 'nobody' }, 404, 'unknown_config'],
    ] as const) {
      it(`refuses ${JSON.stringify(headers)}`, async () => {
        const { status: given, error } = await get('', headers)
        expect([given, error?.code]).to.deep.equal([status, code])
      })
    }
  })

  describe('for one model', () => {
    for (const path of ['/v1/models/', '/models/']) {
      for (const id of [
        '@one/m-2',
        '@one%2Fm-2',
        '%40one%2Forg%2Fdeep%2Fm-3',
        '@one/org/deep/m-3',
        'claude-1',
      ]) {
        it(`returns it: ${path}${id}`, async () => {
          const response = await gateway.get(path + id)
          expect(response.status).to.equal(200)
          const model = (await response.json()) as Entry
          expect(model.object).to.equal('model')
          expect([model.id, model.slug]).to.include(decodeURIComponent(id))
        })
      }
    }

    for (const id of ['@one/m-1', '@one/nothing', '@nobody/m-2', 'nothing', '%zz']) {
      it(`answers 404: ${id}`, async () => {
        const response = await gateway.get(`/v1/models/${id}`)
        expect(response.status).to.equal(404)
        expect(await response.json()).to.have.nested.property('error.code', 'not_found')
      })
    }
  })

  describe('with the client of another vendor', () => {
    const version = { 'anthropic-version': '2023-06-01' }

    it("uses that vendor's format", async () => {
      const response = await gateway.get('/v1/models?provider=four', version)
      expect(await response.json()).to.deep.equal({
        data: [
          {
            type: 'model',
            id: '@four/claude-1',
            display_name: 'Claude One',
            created_at: '2025-02-19T00:00:00.000Z',
          },
          {
            type: 'model',
            id: '@four/claude-2',
            display_name: 'Claude Two',
            created_at: '1970-01-01T00:00:00.000Z',
          },
        ],
        has_more: false,
        first_id: '@four/claude-1',
        last_id: '@four/claude-2',
      })
    })

    it("can be paged by the vendor's package, which also reads one model", async () => {
      const client = new Anthropic({ apiKey: adminKey, baseURL: gateway.url, maxRetries: 0 })
      const ids: string[] = []
      for await (const { id, type } of client.models.list({ limit: 2 })) {
        expect(type).to.equal('model')
        ids.push(id)
      }
      expect(ids).to.have.members(idsOf(await get('?limit=1000')))
      expect(await client.models.retrieve('@four/claude-1')).to.include({ display_name: 'Claude One' })
      const backwards = await client.models.list({ limit: 2, before_id: ids[3] ?? '' })
      expect(backwards.data.map(({ id }) => id)).to.deep.equal(ids.slice(1, 3))
    })
  })

  it('can be read by the openai package, which also reads one model', async () => {
    const client = new OpenAI({ apiKey: adminKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)
    expect(ids).to.include.members(['@one/m-2', '@four/claude-1', '@e/echo-1'])
    expect(await client.models.retrieve('@one/org/deep/m-3')).to.include({
      id: '@one/org/deep/m-3',
      object: 'model',
    })
  })

  it('marks models that are not enabled, and calls to them are refused', async () => {
    const call = (model: string, headers: Record<string, string> = {}) =>
      gateway.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'x' }] }, headers)
    for (const response of [await call('@one/m-1'), await call('m-1', { 'x-gateway-provider': '@one' })]) {
      expect(response.status).to.equal(403)
      expect((await response.json()) as object).to.deep.include({
        error: {
          message: 'The model "m-1" is not enabled for @one.',
          type: 'permission_error',
          param: '/model',
          code: 'model_not_allowed',
        },
      })
    }
    expect((await call('@one/m-2')).status).to.equal(404)
  })
})
