/** Policies over the management API: both kinds, immutable members, and the usage of their groups. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const workspace_id = 'default'
const common = {
  conditions: [{ key: 'metadata.team', value: 'a' }],
  group_by: [{ key: 'metadata._user' }],
  workspace_id,
}

describe('the rate-limit policies API', () => {
  const api = openManagement()
  const path = '/v1/policies/rate-limits'
  const create = (more: object = {}) =>
    api.post(path, { ...common, type: 'requests', unit: 'rpm', value: 5, ...more })

  it('answers a creation with exactly id and object', async () => {
    const { status, body } = await create()
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('id', 'object')
    expect(body.object).to.equal('policy_usage_limits')
  })

  it('returns the whole object', async () => {
    const { body } = await create({ name: 'Team a', target: 'llm' })
    const read = await api.get(`${path}/${body.id}`)
    expect(read.body).to.include({
      object: 'policy_rate_limits',
      name: 'Team a',
      type: 'requests',
      unit: 'rpm',
      value: 5,
      status: 'active',
      target: 'llm',
    })
    expect(read.body.conditions).to.deep.equal(common.conditions)
    expect(read.body.group_by).to.deep.equal(common.group_by)
  })

  const refused: [string, object, string][] = [
    ['no conditions', { conditions: [] }, '/conditions'],
    ['no groups', { group_by: [] }, '/group_by'],
    ['an unknown key', { conditions: [{ key: 'colour', value: 'a' }] }, '/conditions/0/key'],
    ['a key of the other target', { group_by: [{ key: 'mcp_tool' }] }, '/group_by/0/key'],
    ['no values', { conditions: [{ key: 'model', value: [] }] }, '/conditions/0/value'],
    ['an unknown endpoint', { conditions: [{ key: 'endpoint_type', value: 'x' }] }, '/conditions/0/value'],
    ['an invalid unit', { unit: 'rps' }, '/unit'],
    ['nothing allowed', { value: 0 }, '/value'],
    ['a name that is too long', { name: 'x'.repeat(256) }, '/name'],
  ]
  for (const [what, more, param] of refused) {
    it(`refuses ${what}`, async () => {
      const reply = await create(more)
      expect(reply.status, reply.text).to.equal(400)
      expect([reply.error.code, reply.error.param]).to.deep.equal(['invalid_body', param])
    })
  }

  it('requires a workspace', async () => {
    const { status, error } = await create({ workspace_id: undefined })
    expect([status, error.param]).to.deep.equal([400, '/workspace_id'])
  })

  it('requires the organisation from a session', async () => {
    const person = await api.people.user('owner@example.com', 'owner')
    const owner = api.as(await api.people.session(person))
    const body = { ...common, type: 'requests', unit: 'rpm', value: 5 }
    const { status, error } = await owner.post(path, body)
    expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', '/organisation_id'])
    expect((await owner.post(path, { ...body, organisation_id: 'default' })).status).to.equal(200)
  })

  it('normalises the name of an endpoint', async () => {
    const { body } = await create({ conditions: [{ key: 'endpoint_type', value: ['uploadFile'] }] })
    const read = await api.get(`${path}/${body.id}`)
    expect(read.body.conditions).to.deep.equal([{ key: 'endpoint_type', value: ['createFile'] }])
  })

  it('changes only members that can change', async () => {
    const { body } = await create()
    const changed = await api.put(`${path}/${body.id}`, { value: 9, unit: 'rph', name: 'New' })
    expect(changed.body).to.include({ value: 9, unit: 'rph', name: 'New' })
    for (const [more, param] of [
      [{ type: 'tokens' }, '/type'],
      [{ group_by: [{ key: 'model' }] }, '/group_by'],
      [{ target: 'mcp_tools' }, '/target'],
    ] as const) {
      const reply = await api.put(`${path}/${body.id}`, more)
      expect([reply.status, reply.error.param]).to.deep.equal([400, param])
    }
    const again = await api.get(`${path}/${body.id}`)
    expect((await api.put(`${path}/${body.id}`, again.body)).body).to.deep.equal({
      ...again.body,
      last_updated_at: (await api.get(`${path}/${body.id}`)).body.last_updated_at,
    })
  })

  it('lists active policies by type and unit, and archived ones on request', async () => {
    const { body: first } = await create({ unit: 'rpw', type: 'tokens' })
    const { body: second } = await create({ unit: 'rpd' })
    const ids = async (query: string) =>
      (await api.get(`${path}?page_size=1000&${query}`)).data.map(({ id }) => id)
    expect(await ids('unit=rpw')).to.deep.equal([first.id])
    expect(await ids('type=tokens'))
      .to.include(first.id)
      .and.not.to.include(second.id)
    await api.delete(`${path}/${first.id}`)
    expect(await ids(''))
      .to.include(second.id)
      .and.not.to.include(first.id)
    expect(await ids('status=archived'))
      .to.include(first.id)
      .and.not.to.include(second.id)
    expect((await api.get(`${path}/${first.id}`)).status).to.equal(404)
    expect((await api.get(`${path}/${first.id}?status=archived`)).status).to.equal(200)
    expect((await api.get(`${path}/${second.id}?status=archived`)).status).to.equal(404)
    const restored = await api.put(`${path}/${first.id}`, { status: 'active' })
    expect(restored.body.status).to.equal('active')
  })
})

describe('the usage-limit policies API', () => {
  const api = openManagement({ providers: { 'file-echo': { provider: 'echo' } } })
  const path = '/v1/policies/usage-limits'
  const create = (more: object = {}) =>
    api.post(path, { ...common, type: 'requests', credit_limit: 2, ...more })

  it('answers a creation with exactly id and object, and returns the whole object', async () => {
    const { body } = await create({ periodic_reset: 'monthly', alert_threshold: 1 })
    expect(body).to.have.all.keys('id', 'object')
    const read = await api.get(`${path}/${body.id}`)
    expect(read.body).to.include({
      object: 'policy_usage_limits',
      type: 'requests',
      credit_limit: 2,
      alert_threshold: 1,
      periodic_reset: 'monthly',
      periodic_reset_days: null,
      last_reset_at: null,
    })
    expect(read.body.next_usage_reset_at).to.match(/^\d{4}-\d\d-01T00:00:00\.000Z$/)
    expect(read.body).not.to.have.property('value_key_usage_map')
  })

  const refused: [string, object, string][] = [
    ['both periods', { periodic_reset: 'weekly', periodic_reset_days: 3 }, '/periodic_reset_days'],
    ['a threshold above the limit', { alert_threshold: 2 }, '/alert_threshold'],
    ['half a request', { credit_limit: 1.5 }, '/credit_limit'],
    ['no limit', { credit_limit: 0 }, '/credit_limit'],
    ['an invalid time', { next_usage_reset_at: 'soon' }, '/next_usage_reset_at'],
    ['too long a period', { periodic_reset_days: 366 }, '/periodic_reset_days'],
  ]
  for (const [what, more, param] of refused) {
    it(`refuses ${what}`, async () => {
      const reply = await create(more)
      expect(reply.status, reply.text).to.equal(400)
      expect([reply.error.code, reply.error.param]).to.deep.equal(['invalid_body', param])
    })
  }

  it('replaces one kind of period with the other', async () => {
    const { body } = await create({ periodic_reset: 'weekly' })
    const days = await api.put(`${path}/${body.id}`, { periodic_reset_days: 10 })
    expect(days.body).to.include({ periodic_reset: null, periodic_reset_days: 10 })
    const weekly = await api.put(`${path}/${body.id}`, { periodic_reset: 'weekly' })
    expect(weekly.body).to.include({ periodic_reset: 'weekly', periodic_reset_days: null })
    const none = await api.put(`${path}/${body.id}`, { periodic_reset: null })
    expect(none.body).to.include({ periodic_reset: null, next_usage_reset_at: null })
  })

  describe('with groups that have usage', () => {
    const team = `t${Date.now()}`
    let id = ''
    const ask = (user: string) =>
      api.post(
        '/v1/chat/completions',
        { ...chat(), model: '@file-echo/echo-1' },
        {
          'x-gateway-metadata': JSON.stringify({ team, _user: user }),
        },
      )
    const groups = async (query = '') => (await api.get(`${path}/${id}/entities${query}`)).data

    before(async () => {
      id = String((await create({ conditions: [{ key: 'metadata.team', value: team }] })).body.id)
      for (const user of ['ann', 'ann', 'bob']) expect((await ask(user)).status).to.equal(200)
    })

    it('refuses only the group that has exhausted its limit', async () => {
      const refusal = await ask('ann')
      expect([refusal.status, refusal.error.code]).to.deep.equal([412, 'usage_limit_exceeded'])
      expect(refusal.error.param).to.equal(`policies/usage-limits/${id}`)
    })

    it('lists them', async () => {
      const list = await groups()
      expect(
        list.map(({ value_key, current_usage, status }) => [value_key, current_usage, status]),
      ).to.deep.equal([
        ['metadata._user:ann', 2, 'exhausted'],
        ['metadata._user:bob', 1, 'active'],
      ])
      expect((await groups('?status=active')).map(({ value_key }) => value_key)).to.deep.equal([
        'metadata._user:bob',
      ])
      expect((await groups('?search=ANN')).map(({ value_key }) => value_key)).to.deep.equal([
        'metadata._user:ann',
      ])
      const second = await groups('?page_size=1&current_page=1')
      expect(second.map(({ value_key }) => value_key)).to.deep.equal(['metadata._user:bob'])
      const bad = await api.get(`${path}/${id}/entities?status=x`)
      expect([bad.status, bad.error.param]).to.deep.equal([400, 'query/status'])
      const large = await api.get(`${path}/${id}/entities?page_size=101`)
      expect([large.status, large.error.param]).to.deep.equal([400, 'query/page_size'])
    })

    it('shows when each was last used, to the minute', async () => {
      await api.gateway.runtime.identities.flush()
      const seen = (await groups()).map(({ last_seen_at }) => String(last_seen_at))
      expect(seen).to.have.length(2)
      for (const time of seen) expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/)
    })

    it('includes them in the policy on request', async () => {
      const { body } = await api.get(`${path}/${id}?include_usage=true`)
      expect(body.value_key_usage_map).to.have.property('metadata._user:ann')
      expect((body.value_key_usage_map as Record<string, object>)['metadata._user:ann']).to.include({
        current_usage: 2,
        status: 'exhausted',
      })
    })

    it('resets one of them', async () => {
      const [ann] = await groups('?search=ann')
      const reset = await api.put(`${path}/${id}/entities/${ann?.id}/reset`)
      expect(reset.status, reset.text).to.equal(200)
      expect(reset.body).to.include({ value_key: 'metadata._user:ann', current_usage: 0, status: 'active' })
      expect(reset.body.last_reset_at).to.be.a('string')
      expect((await ask('ann')).status).to.equal(200)
      expect((await groups('?search=ann'))[0]).to.include({ last_reset_at: reset.body.last_reset_at })
      const unknown = await api.put(`${path}/${id}/entities/nobody/reset`)
      expect(unknown.status).to.equal(404)
    })

    it('resets one of them by its value through the policy', async () => {
      expect((await ask('bob')).status).to.equal(200)
      expect((await ask('bob')).status).to.equal(412)
      await api.put(`${path}/${id}`, { reset_usage_for_value: 'metadata._user:bob' })
      expect((await ask('bob')).status).to.equal(200)
    })
  })
})
