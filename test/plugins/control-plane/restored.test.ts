/** Small differences of the management API: objects without a slug, disabled checks, unknown roles, keys of conditions. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const condition = { key: 'api_key', value: '*' }
const limit = { type: 'requests', unit: 'rpm', value: 100 }

describe('the management API with a config file', () => {
  const api = openManagement({
    policies: { rate_limits: [{ conditions: [condition], group_by: [{ key: 'api_key' }], ...limit }] },
    api_keys: [{ name: 'filed', key_hash: `sha256:${'a'.repeat(64)}`, scopes: ['completions.write'] }],
  })

  it('restores a key that has no slug', async () => {
    const made = await api.post('/v1/api-keys/workspace/service', {
      name: 'k',
      workspace_id: 'default',
      scopes: ['completions.write'],
    })
    const path = `/v1/api-keys/${made.body.id}`
    expect((await api.delete(path)).status).to.equal(200)
    const restored = await api.put(path, { status: 'active' })
    expect(restored.status, restored.text).to.equal(200)
    expect(restored.body.status).to.equal('active')
  })

  it('passes a guardrail with all checks disabled', async () => {
    const made = await api.post('/v1/guardrails', {
      name: 'off',
      workspace_id: 'default',
      deny: true,
      checks: [{ id: 'default.contains', is_enabled: false, parameters: { words: ['x'], operator: 'none' } }],
    })
    expect(made.status, made.text).to.equal(200)
    const config = { provider: 'echo', input_guardrails: [made.body.slug], output_guardrails: [made.body.id] }
    const used = await api.post('/v1/chat/completions', chat('x'), {
      'x-gateway-config': JSON.stringify(config),
    })
    expect(used.status, used.text).to.equal(200)
  })

  it('names the path of an unknown role', async () => {
    const id = await api.people.user('role@example.com')
    const reply = await api.post('/v1/workspaces/default/users', { users: [{ id, role: 'nobody' }] })
    expect([reply.status, reply.error.param]).to.deep.equal([400, '/users/0/role'])
  })

  it('shows the keys of policy conditions in the audit log', async () => {
    const made = await api.post('/v1/policies/rate-limits', {
      name: 'p',
      workspace_id: 'default',
      conditions: [condition],
      group_by: [{ key: 'api_key' }],
      ...limit,
    })
    expect(made.status, made.text).to.equal(200)
    const [record] = await api.audit('action=create')
    expect(record?.request_body).to.deep.include({ conditions: [condition], group_by: [{ key: 'api_key' }] })
  })
})
