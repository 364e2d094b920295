/** Exports of logs (management.md section 18): states, denied fields, signed download, own exports. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'
import { callEcho } from './support.ts'

const defaultWorkspace = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c02'

describe('log exports', () => {
  const api = openManagement()
  before(async () => {
    for (let index = 0; index < 3; index += 1)
      await callEcho(api, { 'x-gateway-trace-id': `exported-${index}` })
    await callEcho(api, { 'x-gateway-trace-id': 'left-out' })
  })
  const filters = { trace_id: 'exported-0,exported-1,exported-2' }
  const make = (own: object = {}) =>
    api.post('/v1/logs/exports', { filters, requested_data: ['trace_id', 'cost', 'request'], ...own })
  const finished = (id: unknown) =>
    until('the export is written', async () => {
      const { body } = await api.get(`/v1/logs/exports/${id}`)
      return body.status === 'success' ? body : null
    })

  it('change from draft to a file with one entry per line, behind a link without credentials', async () => {
    const made = await make({ description: 'three' })
    expect(made.status, made.text).to.equal(200)
    expect(made.body).to.deep.include({ object: 'export', status: 'draft', total: 3, description: 'three' })
    const { id } = made.body
    expect((await api.get(`/v1/logs/exports/${id}/download`)).status).to.equal(409)
    expect((await api.post(`/v1/logs/exports/${id}/cancel`)).status).to.equal(409)
    const started = await api.post(`/v1/logs/exports/${id}/start`)
    expect(started.body.status).to.equal('in_progress')
    expect(await finished(id)).to.include({ rows: 3 })
    const { body } = await api.get(`/v1/logs/exports/${id}/download`)
    const signed = new URL(String(body.signed_url))
    const file = await fetch(api.gateway.url + signed.pathname + signed.search)
    expect(file.status).to.equal(200)
    const lines = (await file.text()).trim().split('\n')
    const rows = lines.map((line) => JSON.parse(line))
    expect(rows.map(({ trace_id }) => trace_id).sort()).to.deep.equal([
      'exported-0',
      'exported-1',
      'exported-2',
    ])
    expect(rows[0]).to.have.all.keys('trace_id', 'cost', 'request')
    expect(rows[0].request.body).to.have.property('messages')
    for (const [name, value] of [
      ['signature', 'x'],
      ['expires', '9999999999'],
    ] as const) {
      const wrong = new URL(signed)
      wrong.searchParams.set(name, value)
      const refused = await fetch(api.gateway.url + wrong.pathname + wrong.search)
      expect(refused.status).to.equal(403)
    }
    expect((await api.post(`/v1/logs/exports/${id}/start`)).status).to.equal(409)
    expect((await api.put(`/v1/logs/exports/${id}`, { description: 'late' })).status).to.equal(409)
  })

  it('can be changed while they are drafts, and write one page', async () => {
    const { id } = (await make()).body
    const changed = await api.put(`/v1/logs/exports/${id}`, {
      filters: { ...filters, page_size: 2, current_page: 1 },
    })
    expect(changed.body).to.deep.include({ status: 'draft', requested_data: ['trace_id', 'cost', 'request'] })
    await api.post(`/v1/logs/exports/${id}/start`)
    expect(await finished(id)).to.include({ rows: 1 })
  })

  for (const [body, param] of [
    [{ filters: {}, requested_data: ['colour'] }, '/requested_data/0'],
    [{ requested_data: ['id'] }, '/filters'],
    [{ filters: {} }, '/requested_data'],
    [{ filters: { page_size: 50_001 }, requested_data: ['id'] }, '/filters/page_size'],
    [{ filters: { colour: 'red' }, requested_data: ['id'] }, '/filters/colour'],
    [{ filters: { cost_min: 'much' }, requested_data: ['id'] }, '/filters/cost_min'],
    [{ filters: { endpoint_type: 'telephone' }, requested_data: ['id'] }, '/filters/endpoint_type'],
  ] as const) {
    it(`are refused: ${JSON.stringify(body)}`, async () => {
      const { status, error } = await api.post('/v1/logs/exports', body)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', param])
    })
  }

  it('contain no field that the settings deny, even when started later', async () => {
    const { id } = (await make()).body
    await api.put('/v1/organisation', { settings: { export_settings: { deniedFields: ['cost'] } } })
    expect((await api.get('/v1/logs/exports/field-restrictions')).body).to.deep.equal({
      deniedFields: ['cost'],
    })
    for (const reply of [await make(), await api.post(`/v1/logs/exports/${id}/start`)])
      expect([reply.status, reply.error.param]).to.deep.equal([400, '/requested_data/1'])
    await api.put('/v1/organisation', { settings: { export_settings: { deniedFields: [] } } })
  })

  it("are visible to a user's key when that user created them", async () => {
    const user = await api.people.user('exporter@example.com')
    await api.people.member(defaultWorkspace, user, 'manager')
    const key = await api.people.key({
      type: 'workspace-user',
      workspace: defaultWorkspace,
      user,
      scopes: ['logs.export', 'logs.list', 'logs.view'],
    })
    const other = (await make()).body
    const own = await api.as(key).post('/v1/logs/exports', { filters, requested_data: ['id'] })
    expect(own.status, own.text).to.equal(200)
    const { data } = await api.as(key).get('/v1/logs/exports')
    expect(data.map(({ id }) => id)).to.deep.equal([own.body.id])
    expect((await api.as(key).get(`/v1/logs/exports/${other.id}`)).status).to.equal(404)
    const lacking = await api.people.key({
      type: 'workspace-service',
      workspace: defaultWorkspace,
      scopes: ['logs.list'],
    })
    const refused = await api.as(lacking).get('/v1/logs/exports')
    expect([refused.status, refused.error.code]).to.deep.equal([403, 'missing_scope'])
  })
})
