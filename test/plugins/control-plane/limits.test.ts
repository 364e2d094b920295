/** Limits set through the API apply to their requests, and report their usage. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { type Management, type ManagementReply, openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'

const toEcho = { 'x-gateway-provider': 'echo' }

describe('limits set through the API', () => {
  const admin = openManagement()
  const ask = (
    caller: Management,
    more: Record<string, unknown> = {},
    headers: Record<string, string> = toEcho,
  ) => caller.post('/v1/chat/completions', { ...chat(), model: 'echo-1', ...more }, headers)
  const statuses = async (caller: Management, times: number) => {
    const seen: number[] = []
    for (let time = 0; time < times; time += 1) seen.push((await ask(caller)).status)
    return seen
  }
  const makeKey = async (limits: Record<string, unknown>, workspace = 'default') => {
    const made = await admin.post('/v1/api-keys/workspace/service', {
      name: 'limited',
      workspace_id: workspace,
      scopes: ['completions.write'],
      ...limits,
    })
    expect(made.status, made.text).to.equal(200)
    return {
      path: `/v1/api-keys/${made.body.id}`,
      id: String(made.body.id),
      caller: admin.as(String(made.body.key)),
    }
  }
  const usageIn = ({ body }: ManagementReply) => body.usage_limits as Record<string, unknown>

  it('of a key block it, appear in it, and start again after a reset', async () => {
    const { path, id, caller } = await makeKey({
      usage_limits: { type: 'requests', credit_limit: 2, periodic_reset: 'monthly' },
    })
    expect(usageIn(await admin.get(path))).to.deep.include({ current_usage: 0, status: 'active' })
    expect(await statuses(caller, 3)).to.deep.equal([200, 200, 412])
    expect(usageIn(await admin.get(path))).to.deep.include({ current_usage: 2, status: 'exhausted' })
    expect((await ask(caller)).error.param).to.equal(`api-keys/${id}`)
    const reset = await admin.put(path, { reset_usage: true })
    expect(usageIn(reset)).to.deep.include({ current_usage: 0, status: 'active' })
    expect(reset.body.last_reset_at).to.be.a('string')
    expect(await statuses(caller, 3)).to.deep.equal([200, 200, 412])
  })

  it('are recorded in the audit log at their threshold and when they are exhausted', async () => {
    const { id, caller } = await makeKey({
      usage_limits: { type: 'requests', credit_limit: 3, alert_threshold: 2 },
    })
    expect(await statuses(caller, 4)).to.deep.equal([200, 200, 200, 412])
    const alerts = async () =>
      (await admin.audit('resource_type=usage-limit')).filter(
        ({ resource_id }) => resource_id === `api-keys/${id}`,
      )
    // Records are written after the requests.
    await until('both are recorded', async () => (await alerts()).length === 2)
    expect((await alerts()).map(({ action, user_type }) => [action, user_type])).to.have.deep.members([
      ['threshold', 'system'],
      ['exhausted', 'system'],
    ])
  })

  it('allow requests again at once when they are raised, with the same usage', async () => {
    const { path, caller } = await makeKey({ usage_limits: { type: 'requests', credit_limit: 1 } })
    expect(await statuses(caller, 2)).to.deep.equal([200, 412])
    await admin.put(path, { usage_limits: { type: 'requests', credit_limit: 3 } })
    expect(await statuses(caller, 3)).to.deep.equal([200, 200, 412])
  })

  it('keep the usage when a period is added', async () => {
    const { path, caller } = await makeKey({ usage_limits: { type: 'requests', credit_limit: 5 } })
    await statuses(caller, 2)
    const usage_limits = { type: 'requests', credit_limit: 5, periodic_reset: 'weekly' }
    expect(usageIn(await admin.put(path, { usage_limits })).current_usage).to.equal(2)
    const sent = usageIn(await admin.get(path))
    expect(usageIn(await admin.put(path, { usage_limits: sent })).current_usage).to.equal(2)
  })

  it('of a key can be rates', async () => {
    const { caller } = await makeKey({ rate_limits: [{ type: 'requests', unit: 'rpd', value: 1 }] })
    expect(await statuses(caller, 2)).to.deep.equal([200, 429])
  })

  it('of a workspace apply to all of its keys, and to no other workspace', async () => {
    const made = await admin.post('/v1/workspaces', {
      name: 'limited',
      slug: 'limited',
      rate_limits: [{ type: 'requests', unit: 'rpd', value: 2 }],
    })
    expect(made.status, made.text).to.equal(200)
    const [one, other] = [await makeKey({}, 'limited'), await makeKey({}, 'limited')]
    expect([...(await statuses(one.caller, 1)), ...(await statuses(other.caller, 2))]).to.deep.equal([
      200, 200, 429,
    ])
    expect((await ask(one.caller)).error.param).to.equal(`workspaces/${made.body.id}`)
    const elsewhere = await makeKey({})
    expect(await statuses(elsewhere.caller, 3)).to.deep.equal([200, 200, 200])
  })

  it('of a provider apply to its calls in its workspace', async () => {
    const integration = await admin.post('/v1/integrations', {
      name: 'limited echo',
      ai_provider_id: 'echo',
      workspace_id: 'default',
      create_default_provider: false,
    })
    expect(integration.status, integration.text).to.equal(200)
    const provider = await admin.post('/v1/providers', {
      name: 'limited echo',
      slug: 'limited-echo',
      integration_id: integration.body.id,
      workspace_id: 'default',
      usage_limits: { type: 'requests', credit_limit: 1 },
    })
    expect(provider.status, provider.text).to.equal(200)
    const { caller } = await makeKey({})
    const call = () => ask(caller, {}, { 'x-gateway-provider': '@limited-echo' })
    const replies = [await call(), await call()]
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 412])
    expect(replies[1]?.error.param).to.equal('providers/limited-echo')
    expect(usageIn(await admin.get(`/v1/providers/${provider.body.id}`))).to.deep.include({
      current_usage: 1,
      status: 'exhausted',
    })
  })

  it('of a policy apply to each group, which can be reset separately', async () => {
    const made = await admin.post('/v1/policies/usage-limits', {
      workspace_id: 'default',
      conditions: [{ key: 'metadata.team', value: 'red*' }],
      group_by: [{ key: 'metadata._user' }],
      type: 'requests',
      credit_limit: 1,
    })
    expect(made.status, made.text).to.equal(200)
    const path = `/v1/policies/usage-limits/${made.body.id}`
    const { caller } = await makeKey({})
    const as = async (team: string, user: string) => {
      const metadata = JSON.stringify({ team, _user: user })
      return (await ask(caller, {}, { ...toEcho, 'x-gateway-metadata': metadata })).status
    }
    expect([await as('red-1', 'ann'), await as('red-2', 'ann'), await as('red-1', 'bob')]).to.deep.equal([
      200, 412, 200,
    ])
    expect([await as('blue', 'ann'), await as('blue', 'ann')]).to.deep.equal([200, 200])
    const entities = await admin.get(`${path}/entities`)
    const ann = entities.data.find(({ value_key }) => value_key === 'metadata._user:ann')
    expect(ann).to.deep.include({ current_usage: 1, status: 'exhausted' })
    await admin.put(`${path}/entities/${ann?.id}/reset`)
    expect([await as('red', 'ann'), await as('red', 'bob')]).to.deep.equal([200, 412])
  })

  it('of a policy apply to a config by its slug and by its id, whichever a request uses', async () => {
    const saved = await admin.post('/v1/configs', {
      name: 'counted',
      slug: 'counted',
      workspace_id: 'default',
      config: { provider: 'echo' },
    })
    expect(saved.status, saved.text).to.equal(200)
    const { caller } = await makeKey({})
    const as = async (config: unknown) =>
      (await ask(caller, {}, { 'x-gateway-config': String(config) })).status
    for (const value of ['counted', String(saved.body.id)]) {
      const made = await admin.post('/v1/policies/rate-limits', {
        workspace_id: 'default',
        conditions: [{ key: 'config', value }],
        group_by: [{ key: 'config' }],
        type: 'requests',
        unit: 'rpd',
        value: 2,
      })
      expect(made.status, made.text).to.equal(200)
      expect([await as('counted'), await as(saved.body.id), await as('counted')], value).to.deep.equal([
        200, 200, 429,
      ])
      await admin.delete(`/v1/policies/rate-limits/${made.body.id}`)
    }
  })

  it('of a policy apply to an organisation by its slug and by its id', async () => {
    const { body } = await admin.get('/v1/organisation')
    const { caller } = await makeKey({})
    for (const value of [body.slug, body.id]) {
      const made = await admin.post('/v1/policies/rate-limits', {
        workspace_id: 'default',
        conditions: [{ key: 'organisation_id', value }],
        group_by: [{ key: 'organisation_id' }],
        type: 'requests',
        unit: 'rpd',
        value: 1,
      })
      expect(made.status, made.text).to.equal(200)
      expect(await statuses(caller, 2), String(value)).to.deep.equal([200, 429])
      await admin.delete(`/v1/policies/rate-limits/${made.body.id}`)
    }
  })
})
