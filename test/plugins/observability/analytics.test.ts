/** Groups, graphs and summaries (management.md section 19), over calls that are added with their times. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

const hourMs = 3_600_000

interface Given {
  model: string
  status?: number
  time?: number
  user?: string
  hoursAgo?: number
  trace?: string
  team?: string
}

const given: readonly Given[] = [
  { model: 'small', time: 100, user: 'ann', hoursAgo: 5, trace: 'one', team: 'a' },
  { model: 'small', time: 300, user: 'bob', hoursAgo: 5, status: 429, trace: 'two' },
  { model: 'large', time: 1000, user: 'ann', hoursAgo: 3, status: 246, team: 'b' },
  { model: 'large', time: 2000, hoursAgo: 3, status: 446 },
  { model: 'large', time: 3000, user: 'cy', hoursAgo: 1, team: 'a' },
]

describe('analytics', () => {
  const api = openManagement()
  // The beginning of an hour: no bucket is cut.
  const now = Math.floor(Date.now() / hourMs) * hourMs
  const iso = (hoursAgo: number) => new Date(now - hoursAgo * hourMs).toISOString()
  const range = `time_of_generation_min=${iso(6)}&time_of_generation_max=${new Date(now - 1).toISOString()}`

  before(async () => {
    const items = given.map(({ model, status = 200, time = 1, user, hoursAgo = 0, trace, team }) => ({
      request: { url: '/v1/chat/completions', provider: 'openai', body: { model, user } },
      response: {
        status,
        response_time: time,
        body: { model, usage: { prompt_tokens: 10, completion_tokens: 30, total_tokens: 40 } },
      },
      metadata: {
        ...(trace === undefined ? {} : { trace_id: trace }),
        ...(team === undefined ? {} : { team }),
      },
      created_at: iso(hoursAgo),
    }))
    const reply = await api.post('/v1/logs', items)
    expect(reply.status, reply.text).to.equal(200)
    expect(reply.body.ids).to.have.length(given.length)
    await api.post('/v1/feedback', [
      { trace_id: 'one', value: 10, weight: 0.5 },
      { trace_id: 'two', value: -2 },
    ])
  })

  const groups = async (by: string, query = '') => api.get(`/v1/analytics/groups/${by}?${range}&${query}`)

  it('count requests by a group, largest first, with only the default columns', async () => {
    const { body, data } = await groups('model')
    expect(body).to.include({ object: 'list', total: 2, has_more: false })
    expect(data).to.deep.equal([
      { object: 'analytics-group', model: 'large', requests: 3 },
      { object: 'analytics-group', model: 'small', requests: 2 },
    ])
    expect((await api.get(`/v1/logs/groups/model?${range}`)).data).to.deep.equal(data)
  })

  it('return all 13 columns', async () => {
    const names =
      'cost,total_tokens,avg_tokens,avg_input_tokens,avg_output_tokens,avg_latency,p95_latency,p99_latency,success_rate,error_count,cache_hit_rate,last_seen,first_seen'
    const [large] = (await groups('model', `columns=${names}`)).data
    expect(large).to.deep.include({
      model: 'large',
      requests: 3,
      total_tokens: 120,
      avg_tokens: 40,
      avg_input_tokens: 10,
      avg_output_tokens: 30,
      avg_latency: 2000,
      success_rate: 66.6667,
      error_count: 1,
      cache_hit_rate: 0,
      first_seen: iso(3),
      last_seen: iso(1),
    })
    expect(large?.p95_latency).to.be.within(2970, 3030)
    expect(large?.cost).to.be.a('number')
  })

  it('are sorted by a chosen column, and paged', async () => {
    const sorted = await groups('model', 'columns=avg_latency&sort=avg_latency&order=asc&page_size=1')
    expect(sorted.body).to.include({ total: 2, has_more: true })
    expect(sorted.data.map(({ model }) => model)).to.deep.equal(['small'])
    const second = await groups(
      'model',
      'columns=avg_latency&sort=avg_latency&order=asc&page_size=1&current_page=1',
    )
    expect(second.data.map(({ model }) => model)).to.deep.equal(['large'])
  })

  it('name the value of each group: numbers as numbers, null for no value', async () => {
    const statuses = (await groups('status_code')).data.map(({ status_code }) => status_code)
    expect(statuses).to.have.members([200, 246, 429, 446])
    const users = (await groups('users')).data
    expect(users.map(({ user, requests }) => [user, requests])).to.deep.equal([
      ['ann', 2],
      [null, 1],
      ['bob', 1],
      ['cy', 1],
    ])
    const teams = (await groups('metadata/team')).data
    expect(teams.map(({ value, requests }) => [value, requests])).to.deep.equal([
      [null, 2],
      ['a', 2],
      ['b', 1],
    ])
    const [workspace] = (await groups('workspace')).data
    expect(workspace).to.include({ name: 'default', requests: 5 })
    expect((await groups('ai_service')).data).to.deep.equal([
      { object: 'analytics-group', ai_service: 'openai', requests: 5 },
    ])
    for (const by of ['api_key', 'config', 'provider', 'prompt', 'ai-models'])
      expect((await groups(by)).status, by).to.equal(200)
  })

  for (const [path, param] of [
    ['groups/colour', 'path/groupBy'],
    ['groups/model?columns=speed', 'query/columns'],
    ['groups/model?sort=cost', 'query/sort'],
    ['groups/model?cost_min=much', 'query/cost_min'],
    ['groups/model?time_of_generation_min=today', 'query/time_of_generation_min'],
    ['graphs/requests?interval=minute', 'query/interval'],
    ['graphs/requests?group_by=colour', 'query/group_by'],
    ['summary?endpoint_type=telephone', 'query/endpoint_type'],
    ['summary?cache_status=WARM', 'query/cache_status'],
    ['summary?metadata=[1]', 'query/metadata'],
    [`summary?search=x&time_of_generation_min=2020-01-01`, 'query/search'],
  ] as const) {
    it(`refuse ${path}`, async () => {
      const { status, error } = await api.get(`/v1/analytics/${path}`)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_query', param])
    })
  }

  const graph = async (name: string, query = '') => {
    const reply = await api.get(`/v1/analytics/graphs/${name}?${range}&${query}`)
    expect(reply.status, reply.text).to.equal(200)
    const { summary, data_points } = reply.body as Record<string, Record<string, unknown>[]>
    return { summary, points: data_points ?? [] }
  }

  it('return a point for every bucket, with zero for empty ones', async () => {
    const { summary, points } = await graph('requests', 'interval=hour')
    expect(summary).to.deep.equal({ total: 5 })
    expect(points).to.deep.equal(
      [6, 5, 4, 3, 2, 1].map((ago, index) => ({ timestamp: iso(ago), total: [0, 2, 0, 2, 0, 1][index] })),
    )
    expect((await graph('requests')).points.length, 'minutes would be too fine, hours are usual').to.equal(6)
    expect((await graph('requests', 'interval=week')).points.length).to.be.within(1, 2)
  })

  it('return every graph', async () => {
    const last = async (name: string) => (await graph(name, 'interval=day')).summary
    expect(await last('tokens')).to.deep.equal({ total: 200, avg: 40 })
    expect(await last('users')).to.deep.equal({ total: 3 })
    expect(await last('users/requests')).to.deep.equal({ total: 5, unique: 3, avg: 1.6667 })
    expect(await last('errors')).to.deep.equal({ total: 2 })
    expect(await last('errors/rate')).to.deep.equal({ rate: 40 })
    expect(await last('errors/stacks')).to.deep.equal({
      stats: [
        { response_status_code: 429, count: 1 },
        { response_status_code: 446, count: 1 },
      ],
    })
    expect(await last('requests/rescued')).to.deep.equal({ retry: 0, fallback: 0 })
    expect(await last('cache/hit-rate')).to.deep.equal({
      total: 0,
      rate: 0,
      simple_hits: 0,
      semantic_hits: 0,
      cumulative_savings: 0,
    })
    expect(await last('cache/latency')).to.deep.equal({ avg: 0 })
    expect(await last('feedbacks')).to.deep.equal({ total: 2 })
    expect(await last('feedbacks/weighted')).to.deep.equal({ avg: 1.5 })
    const latency = (await last('latency')) as unknown as Record<string, number>
    expect(latency.avg).to.equal(1280)
    expect(latency.p50).to.be.within(990, 1010)
    expect((await graph('cost')).summary).to.have.keys('total', 'avg')
    expect((await graph('feedbacks/scores')).points).to.deep.equal([
      { score: -2, total: 1 },
      { score: 10, total: 1 },
    ])
    expect((await graph('feedbacks/ai-models')).points).to.deep.equal([
      { ai_model: 'small', total: 2, avg_weighted_feedback: 1.5 },
    ])
    expect((await graph('errors/status-codes')).points).to.deep.equal([
      { status_code: 429, count: 1 },
      { status_code: 446, count: 1 },
    ])
    for (const name of ['colours', 'cache/colours'])
      expect((await api.get(`/v1/analytics/graphs/${name}`)).status).to.equal(404)
  })

  it('return a heat map of response times', async () => {
    const { points } = await graph('latency/heatmap', 'interval=hour')
    expect(points).to.deep.equal([
      { timestamp: iso(5), bucket_ms: 100, total: 1 },
      { timestamp: iso(5), bucket_ms: 500, total: 1 },
      { timestamp: iso(3), bucket_ms: 1000, total: 1 },
      { timestamp: iso(3), bucket_ms: 2000, total: 1 },
      { timestamp: iso(1), bucket_ms: 5000, total: 1 },
    ])
  })

  it('return a graph for each of the largest groups, and one for all other groups', async () => {
    const { summary, points } = await graph('requests', 'interval=day&group_by=model')
    expect(summary).to.deep.equal({
      total: 5,
      groups: [
        { model: 'large', total: 3 },
        { model: 'small', total: 2 },
      ],
    })
    expect(points.slice(-2).map(({ model }) => model)).to.deep.equal(['large', 'small'])
  })

  it('order the groups of a graph by the value shown, not by their requests', async () => {
    const { summary } = await graph('errors', 'interval=day&group_by=users')
    const { groups: found } = summary as unknown as { groups: { users: string | null; total: number }[] }
    expect(found.map(({ total }) => total)).to.deep.equal([1, 1, 0, 0])
    expect(found[2]?.users).to.equal('ann')
  })

  it('return totals', async () => {
    const { body } = await api.get(`/v1/analytics/summary?${range}`)
    expect(body).to.deep.include({
      object: 'analytics-summary',
      requests: 5,
      total_tokens: 200,
      success_rate: 60,
      error_count: 2,
      first_seen: iso(5),
    })
    const none = (await api.get('/v1/analytics/summary?ai_model=none')).body
    expect(none).to.deep.include({
      requests: 0,
      avg_latency: 0,
      success_rate: 0,
      first_seen: null,
      last_seen: null,
    })
    expect((await api.get(`/v1/analytics/summary/cache?${range}`)).body).to.deep.equal({
      object: 'analytics-cache-summary',
      hits: 0,
      avg_latency: 0,
      total_requests: 5,
      cache_speedup: 0,
    })
  })

  it('are filtered by feedback, tokens, metadata and times', async () => {
    const total = async (query: string) =>
      (await api.get(`/v1/analytics/summary?${range}&${query}`)).body.requests
    expect(await total('weighted_feedback_min=1')).to.equal(1)
    expect(await total('total_units_min=40&total_units_max=40')).to.equal(5)
    expect(await total('prompt_token_min=11')).to.equal(0)
    expect(await total(`metadata=${encodeURIComponent('{"team":"a"}')}`)).to.equal(2)
    expect(await total('status_code=429,446')).to.equal(2)
    expect(await total('ai_org_model=openai__small,openai__none')).to.equal(2)
    expect(await total('total_units_min=50&total_units_max=40')).to.equal(0)
  })
})
