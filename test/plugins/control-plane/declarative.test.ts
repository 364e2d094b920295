/**
 * The requirements of a Terraform provider, or of other programs that compare a declaration with the current state, for
 * a resource: a stable id, create, read, update and delete by this id, and a PUT of the result of GET that changes
 * nothing.
 */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { objectOf } from '../../support/openapi.ts'

const place = { workspace_id: 'default' }
const policy = {
  ...place,
  conditions: [{ key: 'metadata.team', value: 'a' }],
  group_by: [{ key: 'metadata._user' }],
}
const string = JSON.stringify([{ role: 'user', content: 'Hi {{name}}' }])

/** A body that creates one, by the path of the resource. */
const bodies: Readonly<Record<string, (ids: Readonly<Record<string, unknown>>) => object>> = {
  '/v1/workspaces': () => ({ name: 'Declared', defaults: { metadata: { team: 'b' } } }),
  '/v1/api-keys': () => ({
    ...place,
    type: 'workspace-service',
    name: 'Key',
    scopes: ['completions.write'],
    usage_limits: { type: 'requests', credit_limit: 5 },
    rate_limits: [{ type: 'requests', unit: 'rpd', value: 3 }],
  }),
  '/v1/integrations': () => ({
    ...place,
    name: 'Integration',
    ai_provider_id: 'openai',
    key: 'sk-declared-0123456789',
    create_default_provider: false,
    tags: ['prod'],
  }),
  '/v1/providers': (ids) => ({ ...place, name: 'Provider', integration_id: ids['/v1/integrations'] }),
  '/v1/virtual-keys': (ids) => ({ ...place, name: 'Virtual', integration_id: ids['/v1/integrations'] }),
  '/v1/secret-references': () => ({
    name: 'Vault',
    manager_type: 'hashicorp_vault',
    auth_config: {
      vault_auth_type: 'token',
      vault_token: 'hvs.0123456789',
      vault_addr: 'https://vault.example',
    },
    secret_path: 'secret/openai',
  }),
  '/v1/configs': () => ({ ...place, name: 'Config', config: { retry: { attempts: 2 } } }),
  '/v1/guardrails': () => ({
    ...place,
    name: 'Guardrail',
    checks: [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }],
    actions: { deny: true },
  }),
  '/v1/prompts/partials': () => ({ ...place, name: 'Partial', string: 'Be brief.' }),
  '/v1/prompts': () => ({
    ...place,
    name: 'Prompt',
    string,
    parameters: { temperature: 0.5 },
    model: 'gpt-4o',
  }),
  '/v1/labels': () => ({ ...place, name: 'Label', color_code: '#112233' }),
  '/v1/collections': () => ({ ...place, name: 'Collection' }),
  '/v1/policies/rate-limits': () => ({ ...policy, type: 'requests', unit: 'rpm', value: 5 }),
  '/v1/policies/usage-limits': () => ({ ...policy, type: 'cost', credit_limit: 5 }),
  '/v1/webhooks': () => ({ name: 'Hook', url: 'https://hook.example/in', events: ['api_key.created'] }),
  '/v1/mcp-integrations': () => ({
    ...place,
    name: 'Tools',
    url: 'https://tools.example/mcp',
    auth_type: 'headers',
    transport: 'http',
    configurations: { custom_headers: { 'x-team': 'a-secret-value' } },
  }),
  '/v1/mcp-servers': (ids) => ({ ...place, name: 'Server', mcp_integration_id: ids['/v1/mcp-integrations'] }),
  '/v1/agent-integrations': () => ({
    ...place,
    name: 'Agent',
    url: 'https://agent.example',
    auth_type: 'none',
  }),
  '/v1/agent-servers': (ids) => ({
    ...place,
    name: 'Agent',
    agent_integration_id: ids['/v1/agent-integrations'],
  }),
}

/** Members that every write changes. */
const leftOut = new Set(['last_updated_at', 'updated_at'])
const stable = (body: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !leftOut.has(name)))

describe('a declared resource', () => {
  const api = openManagement({ providers: { echo: { provider: 'echo' } } })

  it('is every resource that can be created and read by its id', async () => {
    const { paths } = (await api.get('/v1/openapi.json')).body as { paths: Record<string, object> }
    const found = Object.entries(paths).flatMap(([path, operations]) => {
      const list = path.replace(/\/\{id\}$/, '')
      // SCIM has its own protocol, and its own PUT.
      const isOwn = list.startsWith('/v1/') && !/\/(?:admin|scim)\//.test(list)
      const isOne = isOwn && list !== path && ['get', 'put', 'delete'].every((method) => method in operations)
      return isOne && 'post' in objectOf(paths[list]) ? [list] : []
    })
    expect(Object.keys(bodies)).to.have.members(found)
  })

  const ids: Record<string, unknown> = {}
  for (const [path, bodyOf] of Object.entries(bodies)) {
    it(`at ${path} has an id that stays, and an update with what it returns changes nothing`, async () => {
      const created = await api.post(path, bodyOf(ids))
      expect(created.status, created.text).to.equal(200)
      const { id } = created.body
      ids[path] = id
      const read = await api.get(`${path}/${id}`)
      expect(read.status, read.text).to.equal(200)
      expect(read.body.id).to.equal(id)
      const put = await api.put(`${path}/${id}`, read.body)
      expect(put.status, put.text).to.equal(200)
      const again = await api.get(`${path}/${id}`)
      expect(stable(again.body)).to.deep.equal(stable(read.body))
    })
  }

  for (const path of Object.keys(bodies).reverse()) {
    it(`at ${path} is gone after its deletion`, async () => {
      const removed = await api.delete(`${path}/${ids[path]}`)
      expect(removed.status, removed.text).to.equal(200)
      const read = await api.get(`${path}/${ids[path]}`)
      expect(read.status === 404 || read.body.status === 'archived', read.text).to.equal(true)
    })
  }
})
