/** Rotation of API keys by call (management contract, section 10): both secrets work in the transition. */
import { expect } from 'chai'
import { type Management, openManagement } from '../../support/management.ts'

const toEcho = { 'x-gateway-provider': 'echo' }
const chatBody = { model: 'echo-1', messages: [{ role: 'user', content: 'hello' }] }
const callsWith = async (management: Management, key: unknown) =>
  (await management.as(String(key)).post('/v1/chat/completions', chatBody, toEcho)).status

describe('the rotation of API keys', () => {
  const admin = openManagement()
  const make = async (more: Record<string, unknown> = {}) => {
    const made = await admin.post('/v1/api-keys/workspace/service', {
      name: 'rotated',
      workspace_id: 'default',
      scopes: ['completions.write'],
      ...more,
    })
    expect(made.status).to.equal(200)
    return { id: String(made.body.id), key: String(made.body.key), path: `/v1/api-keys/${made.body.id}` }
  }

  it('returns a new secret at once, and accepts the old one until the transition ends', async () => {
    const { id, key, path } = await make()
    const rotated = await admin.post(`${path}/rotate`)
    expect(rotated.status).to.equal(200)
    expect(rotated.body).to.include({ id, object: 'api-key' })
    expect(rotated.body.key)
      .to.match(/^gw-[A-Za-z0-9]{40}$/)
      .and.not.equal(key)
    expect(await callsWith(admin, key)).to.equal(200)
    expect(await callsWith(admin, rotated.body.key)).to.equal(200)
    const read = await admin.get(path)
    expect(read.body.key_transition_expires_at).to.equal(rotated.body.key_transition_expires_at)
    expect(read.body.last_rotated_at).to.be.a('string')
    const lengthMs =
      Date.parse(String(rotated.body.key_transition_expires_at)) -
      Date.parse(String(read.body.last_rotated_at))
    expect(lengthMs).to.equal(1_800_000)
    expect(read.text).not.to.contain(String(rotated.body.key))
  })

  it('refuses the old secret as soon as the transition ends, without a worker run', async () => {
    const { id, key, path } = await make()
    const rotated = await admin.post(`${path}/rotate`)
    const stored = await admin.stored('api_key', id)
    if (stored === null) throw new Error('The key is not stored.')
    const { version: _, ...document } = stored
    const [current, old] = document.data.secrets as { ends_at: string | null }[]
    const secrets = [current, { ...old, ends_at: '2020-01-01T00:00:00.000Z' }] as never
    await admin.gateway.runtime.store.documents.commit([
      { op: 'put', document: { ...document, data: { ...document.data, secrets } } },
    ])
    const reply = await admin.as(key).post('/v1/chat/completions', chatBody, toEcho)
    expect([reply.status, reply.error.code]).to.deep.equal([401, 'invalid_api_key'])
    expect(await callsWith(admin, rotated.body.key)).to.equal(200)
  })

  it('refuses another rotation during a transition, which DELETE previous ends', async () => {
    const { key, path } = await make()
    expect((await admin.delete(`${path}/previous`)).status).to.equal(404)
    const rotated = await admin.post(`${path}/rotate`)
    expect((await admin.post(`${path}/rotate`)).status).to.equal(409)
    expect((await admin.delete(`${path}/previous`)).status).to.equal(200)
    expect(await callsWith(admin, key)).to.equal(401)
    expect(await callsWith(admin, rotated.body.key)).to.equal(200)
    expect((await admin.post(`${path}/rotate`)).status).to.equal(200)
  })

  it('keeps id, limits and usage, and reset_usage clears the usage', async () => {
    const { path } = await make({ usage_limits: { type: 'requests', credit_limit: 5 } })
    const first = await admin.post(`${path}/rotate`)
    expect(await callsWith(admin, first.body.key)).to.equal(200)
    await admin.delete(`${path}/previous`)
    const second = await admin.post(`${path}/rotate`)
    expect((await admin.get(path)).body.usage_limits).to.include({ current_usage: 1 })
    await admin.delete(`${path}/previous`)
    expect(await callsWith(admin, second.body.key)).to.equal(200)
    await admin.post(`${path}/rotate`, { reset_usage: true })
    const read = await admin.get(path)
    expect(read.body.last_reset_at).to.be.a('string')
    const { last_reset_at } = read.body
    expect(read.body.usage_limits).to.include({ current_usage: 0, last_reset_at })
  })

  for (const { title, body, policy } of [
    { title: 'shorter than half an hour', body: { key_transition_period_ms: 1_799_999 }, policy: null },
    {
      title: 'as long as the rotation period',
      body: { key_transition_period_ms: 604_800_000 },
      policy: { rotation_period: 'weekly' },
    },
  ]) {
    it(`refuses a transition that is ${title}`, async () => {
      const { path } = await make({ rotation_policy: policy })
      const reply = await admin.post(`${path}/rotate`, body)
      expect([reply.status, reply.error.param]).to.deep.equal([400, '/key_transition_period_ms'])
    })
  }

  it("uses the policy's transition when the call specifies none", async () => {
    const { path } = await make({
      rotation_policy: { rotation_period: 'monthly', key_transition_period_ms: 7_200_000 },
    })
    const rotated = await admin.post(`${path}/rotate`)
    const { body } = await admin.get(path)
    const endsAt = Date.parse(String(rotated.body.key_transition_expires_at))
    expect(endsAt - Date.parse(String(body.last_rotated_at))).to.equal(7_200_000)
  })

  it('happens once for concurrent requests', async () => {
    const { body } = await admin.post('/v1/api-keys/workspace/service', {
      name: 'contested',
      workspace_id: 'default',
      scopes: ['completions.write'],
    })
    const rotate = () => admin.post(`/v1/api-keys/${body.id}/rotate`)
    const replies = await Promise.all(Array.from({ length: 6 }, rotate))
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409, 409, 409])
  })

  it('requires the scope, and an active key', async () => {
    const { path } = await make()
    const reader = await make({ scopes: ['workspace_service_api_keys.read'] })
    expect((await admin.as(reader.key).post(`${path}/rotate`)).status).to.equal(403)
    await admin.delete(path)
    expect((await admin.post(`${path}/rotate`)).status).to.equal(409)
  })

  it('records the caller in the audit log, without the secret', async () => {
    const { id, path } = await make()
    const rotated = await admin.post(`${path}/rotate`)
    const [record] = await admin.audit(`action=rotate&resource_type=api-key`)
    expect(record).to.include({ resource_id: id, response_status_code: 200 })
    expect(JSON.stringify(record)).not.to.contain(String(rotated.body.key))
  })
})
