/** Log permissions: scopes, workspaces, visibility settings, own data (management.md sections 3 and 5). */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { callEcho } from './support.ts'

const scopes = [
  'completions.write',
  'logs.list',
  'logs.view',
  'logs.export',
  'logs.write',
  'analytics.view',
  'feedbacks.read',
]

describe('log permissions', () => {
  const api = openManagement()
  const made = { workspace: '', other: '' }
  const keys: Record<'service' | 'member' | 'manager' | 'other', string> = {
    service: '',
    member: '',
    manager: '',
    other: '',
  }
  const ids: Record<string, string> = {}

  before(async () => {
    made.workspace = await api.people.workspace('Seen')
    made.other = await api.people.workspace('Unseen')
    for (const role of ['member', 'manager'] as const) {
      const user = await api.people.user(`${role}@example.com`)
      await api.people.member(made.workspace, user, role)
      keys[role] = await api.people.key({ type: 'workspace-user', workspace: made.workspace, user, scopes })
    }
    keys.service = await api.people.key({ type: 'workspace-service', workspace: made.workspace, scopes })
    keys.other = await api.people.key({ type: 'workspace-service', workspace: made.other, scopes })
    for (const [name, key] of Object.entries(keys)) {
      const trace = { 'x-gateway-trace-id': `by-${name}` }
      ids[name] = (await callEcho(api, { ...trace, 'x-gateway-api-key': key })).id
    }
  })
  const traces = async (key: string, query = '') =>
    (await api.as(key).get(`/v1/logs?${query}`)).data.map(({ trace_id }) => trace_id).sort()
  const security = (settings: object) =>
    api.put('/v1/organisation', { settings: { security_settings: settings } })

  it('are limited to the workspace of a key', async () => {
    expect(await traces(keys.service)).to.deep.equal(['by-manager', 'by-member', 'by-service'])
    expect(await traces(keys.other)).to.deep.equal(['by-other'])
    expect((await api.as(keys.service).get(`/v1/logs/${ids.other}`)).status).to.equal(404)
    expect((await api.as(keys.service).get('/v1/traces/by-other')).status).to.equal(404)
    for (const path of [`logs?workspace_id=${made.other}`, `analytics/summary?workspace_slug=unseen`])
      expect((await api.as(keys.service).get(`/v1/${path}`)).status, path).to.equal(404)
    expect((await api.as(keys.service).get('/v1/analytics/summary')).body.requests).to.equal(3)
    expect((await api.get(`/v1/analytics/summary?workspace_slug=seen,unseen`)).body.requests).to.equal(4)
    expect((await api.get(`/v1/logs?workspace_id=${made.other}`)).body.total).to.equal(1)
  })

  it('depend on the scopes of a key', async () => {
    const key = await api.people.key({
      type: 'workspace-service',
      workspace: made.workspace,
      scopes: ['logs.list'],
    })
    const as = api.as(key)
    expect((await as.get('/v1/logs')).status).to.equal(200)
    for (const [path, scope] of [
      [`logs/${ids.service}`, 'logs.view'],
      ['logs?search=hello', 'logs.view'],
      ['logs/exports', 'logs.export'],
      ['analytics/summary', 'analytics.view'],
      ['feedback', 'feedbacks.read'],
    ]) {
      const { status, error } = await as.get(`/v1/${path}`)
      expect([status, error.code, error.param], path).to.deep.equal([403, 'missing_scope', scope])
    }
    const written = await as.post('/v1/logs', { request: { url: '/x', body: {} }, response: { body: {} } })
    expect([written.status, written.error.param]).to.deep.equal([403, 'logs.write'])
    const given = await as.post('/v1/feedback', { trace_id: 't', value: 1 })
    expect([given.status, given.error.param]).to.deep.equal([403, 'feedbacks.write'])
  })

  it('allow members to list and view, and never to export', async () => {
    const as = api.as(keys.member)
    expect((await as.get('/v1/logs')).status).to.equal(200)
    expect((await as.get(`/v1/logs/${ids.service}`)).status).to.equal(200)
    const refused = await as.get('/v1/logs/exports')
    expect([refused.status, refused.error.code]).to.deep.equal([403, 'missing_scope'])
    expect((await api.as(keys.manager).get('/v1/logs/exports')).status).to.equal(200)
  })

  const withheld: readonly [setting: string, refused: readonly string[], still: readonly string[]][] = [
    [
      'membersViewLogs',
      ['logs/ENTRY', 'logs?search=hello'],
      ['logs', 'analytics/summary', 'traces/by-service'],
    ],
    [
      'membersViewLogMetadata',
      [
        'logs',
        'traces/by-service',
        'logs/ENTRY',
        'analytics/groups/users',
        'analytics/groups/metadata/team',
        'feedback',
      ],
      ['analytics/summary', 'analytics/groups/model'],
    ],
    [
      'membersViewAnalytics',
      ['analytics/summary', 'analytics/groups/model', 'analytics/graphs/cost'],
      ['logs'],
    ],
  ]
  for (const [setting, refused, still] of withheld) {
    it(`are denied only to members when ${setting} is false`, async () => {
      await security({ [setting]: false })
      const path = (name: string) => `/v1/${name.replace('ENTRY', ids.service ?? '')}`
      for (const name of refused) {
        const { status, error } = await api.as(keys.member).get(path(name))
        expect([status, error.code, error.param], name).to.deep.equal([403, 'forbidden', setting])
        expect((await api.as(keys.manager).get(path(name))).status, name).to.equal(200)
        expect((await api.as(keys.service).get(path(name))).status, name).to.equal(200)
      }
      for (const name of still) expect((await api.as(keys.member).get(path(name))).status, name).to.equal(200)
      await security({ [setting]: true })
    })
  }

  it('for exports are denied when managersViewLogs or managersViewLogMetadata is false', async () => {
    const as = api.as(keys.manager)
    const make = (fields: string[]) =>
      as.post('/v1/logs/exports', { filters: { status_code: '200' }, requested_data: fields })
    const draft = await make(['id', 'request'])
    expect(draft.status, draft.text).to.equal(200)
    await security({ managersViewLogs: false })
    for (const field of ['request', 'response']) {
      const { status, error } = await make(['id', field])
      expect([status, error.code, error.param], field).to.deep.equal([403, 'forbidden', 'managersViewLogs'])
    }
    const late = await as.post(`/v1/logs/exports/${draft.body.id}/start`)
    expect([late.status, late.error.param]).to.deep.equal([403, 'managersViewLogs'])
    expect((await make(['id', 'cost'])).status).to.equal(200)
    await security({ managersViewLogs: true, managersViewLogMetadata: false })
    for (const reply of [await make(['id']), await as.get('/v1/logs/exports')])
      expect([reply.status, reply.error.param]).to.deep.equal([403, 'managersViewLogMetadata'])
    await security({ managersViewLogMetadata: true })
  })

  it('for exports are limited to exports of their own keys when managersViewAllData is false', async () => {
    await security({ managersViewAllData: false })
    const { body } = await api
      .as(keys.manager)
      .post('/v1/logs/exports', { filters: {}, requested_data: ['id'] })
    expect(body.total).to.equal(1)
    await security({ managersViewAllData: true })
  })

  it('are limited to calls of their own keys when membersViewAllData is false', async () => {
    await security({ membersViewAllData: false })
    const as = api.as(keys.member)
    expect(await traces(keys.member)).to.deep.equal(['by-member'])
    expect((await as.get('/v1/logs')).body.total).to.equal(1)
    expect((await as.get(`/v1/logs/${ids.service}`)).status).to.equal(404)
    expect((await as.get(`/v1/logs/${ids.member}`)).status).to.equal(200)
    expect((await as.get('/v1/traces/by-manager')).status).to.equal(404)
    expect((await as.get('/v1/analytics/summary')).body.requests).to.equal(1)
    const after = await as.get(`/v1/logs?after=${ids.service}`)
    expect([after.status, after.error.code]).to.deep.equal([400, 'invalid_cursor'])
    expect(await traces(keys.manager)).to.have.length(3)
    expect(await traces(keys.service)).to.have.length(3)
    await security({ membersViewAllData: true })
  })

  it("follow the workspace's settings, which override those of the organisation", async () => {
    await security({ membersViewLogs: false })
    await api.put('/v1/organisation', { settings: { workspace_overrides: ['logs'] } })
    await api.put(`/v1/workspaces/${made.workspace}`, {
      settings: { security_settings: { membersViewLogs: true } },
    })
    expect((await api.as(keys.member).get(`/v1/logs/${ids.service}`)).status).to.equal(200)
    await api.put(`/v1/workspaces/${made.workspace}`, {
      settings: { security_settings: { membersViewLogs: null } },
    })
    expect((await api.as(keys.member).get(`/v1/logs/${ids.service}`)).status).to.equal(403)
    await security({ membersViewLogs: true })
  })

  it("exclude entries older than the organisation's retention, even before they are deleted", async () => {
    const old = new Date(Date.now() - 3 * 86_400_000).toISOString()
    const item = { request: { url: '/x', body: 'a' }, response: { body: 'b' }, created_at: old }
    const [id] = (await api.as(keys.service).post('/v1/logs', { ...item, metadata: { trace_id: 'old' } }))
      .body.ids as string[]
    const as = api.as(keys.service)
    const seen = async () => [
      (await as.get(`/v1/logs/${id}`)).status,
      (await as.get('/v1/traces/old')).status,
      (await as.get('/v1/logs?trace_id=old')).body.total,
    ]
    expect(await seen()).to.deep.equal([200, 200, 1])
    await api.put('/v1/organisation', { settings: { retention: { logs_days: 1 } } })
    expect(await seen()).to.deep.equal([404, 404, 0])
    expect((await as.post('/v1/logs', item)).error.param).to.equal('/created_at')
    await api.put('/v1/organisation', { settings: { retention: null } })
    expect(await seen()).to.deep.equal([200, 200, 1])
  })

  it('of a session are those of the person in each workspace', async () => {
    const user = await api.people.user('session@example.com')
    await api.people.member(made.other, user, 'member')
    const session = await api.people.session(user)
    const list = await fetch(`${api.gateway.url}/v1/logs`, {
      headers: { authorization: `Bearer ${session}` },
    })
    const { total } = (await list.json()) as { total: number }
    expect([list.status, total]).to.deep.equal([200, 1])
    const hidden = await fetch(`${api.gateway.url}/v1/logs?workspace_id=${made.workspace}`, {
      headers: { authorization: `Bearer ${session}` },
    })
    expect(hidden.status).to.equal(404)
  })

  it('separate feedback and traces with the same id by workspace', async () => {
    await api.as(keys.service).post('/v1/feedback', { trace_id: 'shared', value: 1 })
    const { body } = await api.as(keys.other).post('/v1/feedback', { trace_id: 'shared', value: 2 })
    const [id] = body.feedback_ids as string[]
    const listed = await api.as(keys.other).get('/v1/feedback?trace_id=shared')
    expect(listed.data.map(({ value }) => value)).to.deep.equal([2])
    for (const body of [{ value: 3 }, { value: 'x' }, {}])
      expect((await api.as(keys.service).put(`/v1/feedback/${id}`, body)).status).to.equal(404)
    expect((await api.as(keys.other).put(`/v1/feedback/${id}`, { value: 'x' })).status).to.equal(400)
    const changed = await api.as(keys.other).put(`/v1/feedback/${id}`, { weight: 0.5 })
    expect(changed.body).to.deep.include({ status: 'success', feedback_ids: [id] })
    const [feedback] = (await api.as(keys.other).get('/v1/feedback?trace_id=shared')).data
    expect(feedback).to.deep.include({ value: 2, weight: 0.5, source: 'api', metadata: {} })
  })

  for (const [body, param] of [
    [{ value: 1 }, '/trace_id'],
    [{ trace_id: 't' }, '/value'],
    [{ trace_id: 't', value: 11 }, '/value'],
    [{ trace_id: 't', value: 1.5 }, '/value'],
    [{ trace_id: 't', value: 1, weight: 2 }, '/weight'],
    [
      [
        { trace_id: 't', value: 1 },
        { trace_id: 't', value: -11 },
      ],
      '/1/value',
    ],
  ] as const) {
    it(`refuse feedback ${JSON.stringify(body)}`, async () => {
      const { status, error } = await api.post('/v1/feedback', body)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', param])
    })
  }
})
