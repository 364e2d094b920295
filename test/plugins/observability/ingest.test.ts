/** POST `/logs` (management.md section 18): all or nothing, with usage and cost of the answer. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

const request = {
  url: 'https://me:canary@api.example/v1/chat/completions?api_key=canary',
  body: { model: 'gpt-4o-mini', user: 'ann' },
}
const response = {
  body: { model: 'gpt-4o-mini', usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } },
}

describe('log entries sent to the API', () => {
  const api = openManagement({
    providers: { own: { provider: 'openai', api_key: 'sk-x', models: [] } },
  })
  const add = (body: unknown, query = '') => api.post(`/v1/logs${query}`, body)
  const read = async (id: unknown) => (await api.get(`/v1/logs/${id}`)).body

  it('get usage and cost from their answer, and columns from their metadata', async () => {
    const created_at = new Date(Date.now() - 3_600_000).toISOString()
    const { body } = await add({
      request: { ...request, method: 'POST', provider: '@own', headers: { authorization: 'Bearer canary' } },
      response: { ...response, status: 201, response_time: 1234 },
      metadata: { traceId: 'theirs', span_id: 's', team: 'core', _user: 'bob' },
      created_at,
    })
    expect(body).to.include({ status: 'success' })
    const [id] = body.ids as string[]
    const entry = await read(id)
    expect(entry).to.deep.include({
      id,
      created_at,
      trace_id: 'theirs',
      span_id: 's',
      metadata: { team: 'core', _user: 'bob' },
      source: 'custom',
      endpoint_type: 'chatComplete',
      request_method: 'POST',
      response_status_code: 201,
      is_success: true,
      ai_org: 'openai',
      provider: 'own',
      ai_model: 'gpt-4o-mini',
      req_units: 1000,
      res_units: 500,
      total_units: 1500,
      response_time: 1234,
      cost_known: true,
    })
    expect(entry.cost).to.be.closeTo(0.045, 0.0001)
    expect(JSON.stringify(entry)).not.to.include('canary')
    expect((entry.request as Record<string, unknown>).body).to.deep.equal(request.body)
  })

  it('get status 200, a new trace id and an unknown cost by default', async () => {
    const { body } = await add({
      request: { url: '/what', body: 'text', provider: 'nobody' },
      response: { body: null },
    })
    const entry = await read((body.ids as string[])[0])
    expect(entry).to.include({
      response_status_code: 200,
      endpoint_type: 'proxy',
      ai_org: 'nobody',
      provider: null,
      cost: 0,
      cost_known: false,
    })
    expect(entry.trace_id).to.be.a('string')
  })

  it('are accepted up to a hundred at once, in the workspace of the query', async () => {
    const workspace = await api.people.workspace('Filled')
    const { body } = await add(
      Array.from({ length: 100 }, () => ({ request, response })),
      `?workspace_id=${workspace}`,
    )
    expect(body.ids).to.have.length(100)
    expect((await api.get(`/v1/logs?workspace_id=${workspace}`)).body.total).to.equal(100)
    expect((await add({ request, response }, '?workspace_id=none')).status).to.equal(404)
  })

  it('are each in the workspace that they name, and none is stored if one is unknown', async () => {
    const [one, other] = [await api.people.workspace('One'), await api.people.workspace('Other')]
    const items = [one, other, one].map((workspace_id) => ({ request, response, workspace_id }))
    expect((await add(items)).status).to.equal(200)
    const total = async (id: string) => (await api.get(`/v1/logs?workspace_id=${id}`)).body.total
    expect([await total(one), await total(other)]).to.deep.equal([2, 1])
    const refused = await add([...items, { request, response, workspace_id: 'none' }])
    expect([refused.status, refused.error.param]).to.deep.equal([404, '/3/workspace_id'])
    expect([await total(one), await total(other)]).to.deep.equal([2, 1])
  })

  const ahead = new Date(Date.now() + 3_600_000).toISOString()
  for (const [body, param] of [
    [{ response }, '/request'],
    [{ request, response: { body: {}, status: 42 } }, '/response/status'],
    [{ request, response, created_at: 'today' }, '/created_at'],
    [{ request, response, created_at: '2001-01-01T00:00:00Z' }, '/created_at'],
    [{ request, response, created_at: ahead }, '/created_at'],
    [{ request, response, metadata: { a: 1 } }, '/metadata/a'],
    [
      [
        { request, response },
        { request: { url: '/x' }, response },
      ],
      '/1/request/body',
    ],
    [
      [
        { request, response },
        { request, response, created_at: ahead },
      ],
      '/1/created_at',
    ],
  ] as const) {
    it(`are all refused together: ${JSON.stringify(body).slice(-80)} at ${param}`, async () => {
      const before = (await api.get('/v1/analytics/summary')).body.requests
      const { status, error } = await add(body)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', param])
      expect((await api.get('/v1/analytics/summary')).body.requests).to.equal(before)
    })
  }
})
