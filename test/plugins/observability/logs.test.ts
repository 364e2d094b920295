/** Entries of calls: one a call, with every field; lists, one entry, traces, and erasure (management.md section 18). */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { callEcho } from './support.ts'

const fieldNames = [
  ...['id', 'trace_id', 'span_id', 'parent_span_id', 'span_name', 'created_at', 'workspace_id', 'api_key_id'],
  ...['key_version', 'user_id', 'endpoint_type', 'request_url', 'request_method', 'response_status_code'],
  ...['is_success', 'ai_org', 'provider', 'ai_model', 'requested_model', 'mode', 'config', 'config_version'],
  ...[
    'prompt_slug',
    'prompt_version',
    'last_used_option',
    'cache_status',
    'stream',
    'is_partial',
    'retry_count',
  ],
  ...['req_units', 'res_units', 'total_units', 'reasoning_units', 'cached_units', 'cost', 'cost_currency'],
  ...['cost_known', 'is_estimate', 'response_time', 'time_to_first_token', 'upstream_time', 'gateway_time'],
  ...['guardrail_verdict', 'metadata', 'batch_id', 'source'],
]

const denies = {
  provider: 'echo',
  before_request_hooks: [
    {
      id: 'no-hello',
      type: 'guardrail',
      deny: true,
      checks: [{ id: 'default.regexMatch', parameters: { rule: 'hello', not: true } }],
      on_fail: { feedback: { value: -5, weight: 0.5, metadata: { why: 'hello' } } },
    },
  ],
}

describe('the request log', () => {
  const api = openManagement({
    providers: { main: { provider: 'echo' } },
    configs: { saved: { provider: '@main' } },
  })
  const config = (value: unknown) => ({ 'x-gateway-config': JSON.stringify(value) })
  const read = async (id: string) => (await api.get(`/v1/logs/${id}`)).body

  it('contains every field of a call', async () => {
    const { id, traceId } = await callEcho(api, {
      'x-gateway-metadata': JSON.stringify({ _user: 'ann', team: 'core' }),
      'x-gateway-config': 'saved',
      'x-gateway-span-id': 'span',
      'x-gateway-parent-span-id': 'parent',
      'x-gateway-span-name': 'step',
    })
    const listed = await api.get(`/v1/logs?trace_id=${traceId}`)
    expect(listed.body).to.include({
      object: 'list',
      total: 1,
      current_page: 0,
      page_size: 100,
      has_more: false,
    })
    const [entry] = listed.data
    expect(entry).to.include.all.keys(...fieldNames)
    expect(entry).to.not.have.any.keys('request', 'response', 'attempts', 'details')
    expect(entry).to.deep.include({
      id,
      trace_id: traceId,
      span_id: 'span',
      parent_span_id: 'parent',
      span_name: 'step',
      endpoint_type: 'chatComplete',
      request_url: '/v1/chat/completions',
      request_method: 'POST',
      response_status_code: 200,
      is_success: true,
      ai_org: 'echo',
      provider: 'main',
      requested_model: 'test-model',
      mode: 'single',
      config: 'saved',
      cache_status: 'DISABLED',
      stream: false,
      is_partial: false,
      retry_count: 0,
      cost_currency: 'USD',
      guardrail_verdict: null,
      metadata: { _user: 'ann', team: 'core' },
      batch_id: null,
      source: 'gateway',
    })
    expect(entry?.total_units).to.equal(Number(entry?.req_units) + Number(entry?.res_units))
    expect(entry?.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('returns one entry with its bodies, headers without credentials, and attempts', async () => {
    const { id } = await callEcho(api, {
      authorization: 'Bearer canary-secret',
      ...config({ provider: '@main' }),
    })
    const entry = await read(id)
    const { request, response } = entry as Record<string, Record<string, unknown>>
    expect(request).to.deep.include({ url: '/v1/chat/completions', method: 'POST', body_truncated: false })
    expect(request?.body).to.deep.equal(chat('hello'))
    expect(request?.headers).to.include({ 'x-gateway-api-key': '****', authorization: '****' })
    expect(response).to.include({ status: 200 })
    expect(response?.body).to.include({ object: 'chat.completion' })
    expect(response?.headers).to.include({ 'x-request-id': id })
    const [attempt] = entry.attempts as Record<string, unknown>[]
    expect(attempt).to.include({ path: 'config', provider: 'main', status: 200, reason: 'first' })
    expect(JSON.stringify(entry)).not.to.include('canary')
  })

  it('returns the newest entry of a trace by the trace id', async () => {
    const trace = { 'x-gateway-trace-id': 'trace-of-two' }
    await callEcho(api, trace)
    const { id } = await callEcho(api, trace)
    expect((await read('trace-of-two')).id).to.equal(id)
    expect((await api.get('/v1/logs/none')).status).to.equal(404)
  })

  it('stores the answer of a stream as one body', async () => {
    const { id } = await callEcho(api, {}, { body: chat('streamed', { stream: true }) })
    const entry = await read(id)
    expect(entry).to.include({ stream: true, is_partial: false })
    expect(entry.time_to_first_token).to.be.a('number')
    expect(JSON.stringify((entry.response as Record<string, unknown>).body)).to.include('streamed')
  })

  for (const [status, headers, body, path] of [
    [400, { 'x-gateway-metadata': '{' }, chat(), '/v1/chat/completions'],
    [400, {}, '{', '/v1/chat/completions'],
    [400, {}, { model: 'm' }, '/v1/chat/completions'],
    [404, { 'x-gateway-virtual-key': 'none' }, chat(), '/v1/chat/completions'],
    [446, config(denies), chat('hello'), '/v1/chat/completions'],
  ] as const) {
    it(`contains calls refused with ${status}: ${JSON.stringify(headers)}`, async () => {
      const called = await callEcho(api, headers, { body, path })
      expect(called.status).to.equal(status)
      const entry = await read(called.id)
      expect(entry).to.include({
        response_status_code: status,
        is_success: false,
        provider: null,
        cost: 0,
        endpoint_type: 'chatComplete',
      })
    })
  }

  it('contains no calls without a valid key', async () => {
    const { id, status } = await callEcho(api, { 'x-gateway-api-key': 'wrong' })
    expect(status).to.equal(401)
    expect((await api.get(`/v1/logs/${id}`)).status).to.equal(404)
  })

  it('reports the cost saved by a cache hit', async () => {
    const cached = config({ provider: '@main', cache: { mode: 'simple' } })
    await callEcho(api, cached, { body: chat('to be cached') })
    const { id } = await callEcho(api, cached, { body: chat('to be cached') })
    expect(await read(id)).to.include({
      cache_status: 'HIT',
      cost: 0,
      req_units: 0,
      res_units: 0,
      total_units: 0,
    })
  })

  it('is paged by number and by the id of an entry', async () => {
    const trace = { 'x-gateway-trace-id': 'paged' }
    for (let index = 0; index < 5; index += 1) await callEcho(api, trace)
    const list = async (query: string) => api.get(`/v1/logs?trace_id=paged&${query}`)
    const all = (await list('')).data.map(({ id }) => id)
    expect(all).to.have.length(5)
    const second = await list('current_page=1&page_size=2')
    expect(second.data.map(({ id }) => id)).to.deep.equal(all.slice(2, 4))
    expect(second.body).to.include({ total: 5, has_more: true })
    const behind = await list(`page_size=2&after=${all[1]}&current_page=9`)
    expect(behind.data.map(({ id }) => id)).to.deep.equal(all.slice(2, 4))
    expect(behind.body).to.include({ total: 5, has_more: true })
    expect((await list('current_page=9')).data).to.deep.equal([])
    for (const after of ['none', '01930000-0000-7000-8000-000000000000']) {
      const refused = await list(`after=${after}`)
      expect([refused.status, refused.error.code, refused.error.param]).to.deep.equal([
        400,
        'invalid_cursor',
        'query/after',
      ])
    }
  })

  it('is sorted by tokens, in both orders, but not with a place in time', async () => {
    const traceId = 'sorted-by-tokens'
    const ids: string[] = []
    for (const words of [3, 300, 30]) {
      const text = 'word '.repeat(words)
      ids.push((await callEcho(api, { 'x-gateway-trace-id': traceId }, { body: chat(text) })).id)
    }
    const [few, most, some] = ids
    const sorted = async (query: string) =>
      (await api.get(`/v1/logs?trace_id=${traceId}&sort=total_units${query}`)).data.map(({ id }) => id)
    expect(await sorted('')).to.deep.equal([most, some, few])
    expect(await sorted('&order=asc&page_size=2')).to.deep.equal([few, some])
    const refused = await api.get(`/v1/logs?sort=cost&after=${few}`)
    expect([refused.status, refused.error.param]).to.deep.equal([400, 'query/sort'])
    expect((await api.get('/v1/logs?sort=model')).status).to.equal(400)
  })

  it('lists the calls of a trace, oldest first, with feedback from callers and guardrails', async () => {
    const trace = { 'x-gateway-trace-id': 'judged' }
    const first = await callEcho(api, trace)
    const second = await callEcho(api, { ...trace, ...config(denies) })
    const given = await api.post('/v1/feedback', { trace_id: 'judged', value: 7 })
    expect(given.body).to.include({ status: 'success' })
    const { body } = await api.get('/v1/traces/judged')
    expect((body.data as { id: string }[]).map(({ id }) => id)).to.deep.equal([first.id, second.id])
    expect(body).to.include({ object: 'list', total: 2, trace_id: 'judged' })
    const feedback = body.feedback as Record<string, unknown>[]
    expect(feedback.map(({ source, value, weight }) => [source, value, weight])).to.have.deep.members([
      ['guardrail', -5, 0.5],
      ['api', 7, 1],
    ])
    expect((await api.get('/v1/traces/none')).status).to.equal(404)
  })

  it('refuses other methods for an entry', async () => {
    const { id } = await callEcho(api)
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      expect(
        (await api.call(method, `/v1/logs/${id}`, { body: method === 'DELETE' ? undefined : {} })).status,
      ).to.equal(405)
  })

  it('erases the calls of a user, and records it in the audit log', async () => {
    const of = (user: string) => ({ 'x-gateway-metadata': JSON.stringify({ _user: user }) })
    const theirs = await callEcho(api, of('gone'))
    const other = await callEcho(api, of('stays'))
    const query = encodeURIComponent(JSON.stringify({ _user: 'gone' }))
    const reply = await api.delete(`/v1/logs?metadata=${query}`)
    expect(reply.body).to.deep.equal({ deleted: 1 })
    expect((await api.get(`/v1/logs/${theirs.id}`)).status).to.equal(404)
    expect((await api.get(`/v1/logs/${other.id}`)).status).to.equal(200)
    const [record] = await api.audit('resource_type=log&action=delete')
    expect(record).to.deep.include({ details: { deleted: 1 } })
    const refused = await api.delete('/v1/logs')
    expect([refused.status, refused.error.param]).to.deep.equal([400, 'query/metadata'])
    const key = await api.people.key({
      type: 'workspace-service',
      workspace: '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c02',
      scopes: ['logs.list'],
    })
    expect((await api.as(key).delete(`/v1/logs?metadata=${query}`)).status).to.equal(403)
  })
})
