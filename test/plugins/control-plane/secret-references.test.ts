/** Secret references over the management API: their managers, their secrets, who may use them, trying them. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const token = 'hvs.CAESIsecrettoken1234'

describe('the secret references API', () => {
  const api = openManagement({ security: { trusted_hosts: ['127.0.0.1'] } })
  let vault: Upstream
  let vaultSecret: object = {}
  before(async () => {
    vault = await openUpstream((request, response) => {
      if (request.path.endsWith('/chat/completions')) return sendJson(response, 200, chatAnswer('hi'))
      if (request.headers['x-vault-token'] !== token) return sendJson(response, 403, { errors: ['no'] })
      if (request.path.startsWith('/v1/secret/data/headers-'))
        return sendJson(response, 200, { data: { data: vaultSecret } })
      const found = request.path === '/v1/secret/data/openai'
      sendJson(response, found ? 200 : 404, found ? { data: { data: { api_key: 'sk-in-the-vault' } } } : {})
    })
  })
  after(() => vault.close())

  const authConfig = () => ({ vault_auth_type: 'token', vault_token: token, vault_addr: vault.origin })
  let count = 0
  const bodyOf = (more: object = {}) => ({
    name: `Vault ${++count}`,
    manager_type: 'hashicorp_vault',
    auth_config: authConfig(),
    secret_path: 'secret/openai',
    ...more,
  })
  const create = (more: object = {}) => api.post('/v1/secret-references', bodyOf(more))

  it('returns the whole object with its secrets masked, and stores them encrypted', async () => {
    const { status, body, text } = await create({ secret_key: 'api_key', tags: { env: 'prod' } })
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      object: 'secret-reference',
      manager_type: 'hashicorp_vault',
      auth_config: {
        vault_auth_type: 'token',
        vault_token: 'hvs****1234',
        vault_addr: vault.origin,
        vault_kv_version: 2,
      },
      secret_path: 'secret/openai',
      secret_key: 'api_key',
      allow_all_workspaces: true,
      allowed_workspaces: [],
      tags: { env: 'prod' },
      description: null,
    })
    expect(text).not.to.include(token)
    expect((await api.get(`/v1/secret-references/${body.slug}`)).body).to.deep.equal(body)
    expect(JSON.stringify(await api.stored('secret_reference', String(body.id)))).not.to.include(token)
    expect(JSON.stringify(await api.audit('resource_type=secret-reference'))).not.to.include(token)
  })

  const wrong: [string, object, string, string?][] = [
    ['an unknown manager', { manager_type: 'other' }, '/manager_type'],
    [
      'a missing secret',
      { auth_config: { vault_auth_type: 'token', vault_addr: 'https://v' } },
      '/auth_config/vault_token',
    ],
    [
      'an unknown member',
      { auth_config: { vault_auth_type: 'token', vault_token: 't', vault_addr: 'https://v', more: 1 } },
      '/auth_config',
    ],
    [
      'a mask',
      { auth_config: { vault_auth_type: 'token', vault_token: 'hvs****1234', vault_addr: 'https://v' } },
      '/auth_config/vault_token',
    ],
    [
      'a private address',
      { auth_config: { vault_auth_type: 'token', vault_token: 't', vault_addr: 'http://10.0.0.1' } },
      '/auth_config/vault_addr',
      'host_not_allowed',
    ],
    ['a long path', { secret_path: 'x'.repeat(1025) }, '/secret_path'],
    ['a long key', { secret_key: 'x'.repeat(256) }, '/secret_key'],
    [
      'both kinds of access',
      { allow_all_workspaces: true, allowed_workspaces: ['default'] },
      '/allowed_workspaces',
    ],
    ['an empty list of those with access', { allowed_workspaces: [] }, '/allowed_workspaces'],
    ['its own workspace', { workspace_id: 'default' }, ''],
    ['no access at all', { allow_all_workspaces: false }, '/allowed_workspaces'],
    ['an unknown workspace', { allowed_workspaces: ['default', 'nowhere'] }, '/allowed_workspaces/1'],
  ]
  for (const [what, more, param, code = 'invalid_body'] of wrong) {
    it(`refuses ${what} at ${param}`, async () => {
      const { status, error } = await create(more)
      expect([status, error.code, error.param]).to.deep.equal([400, code, param])
    })
  }

  it('keeps a secret that is sent back masked, and changes a new one', async () => {
    const { body } = await create()
    const same = await api.put(`/v1/secret-references/${body.id}`, body)
    expect([same.status, same.body.auth_config]).to.deep.equal([200, body.auth_config])
    expect((await api.post(`/v1/secret-references/${body.id}/test`)).body.success).to.equal(true)
    const other = await api.put(`/v1/secret-references/${body.id}`, {
      auth_config: { vault_token: 'hvs.another0000' },
    })
    expect(other.body.auth_config).to.include({ vault_token: 'hvs****0000', vault_auth_type: 'token' })
    expect((await api.post(`/v1/secret-references/${body.id}/test`)).body.success).to.equal(false)
  })

  it('refuses to change the manager', async () => {
    const { body } = await create()
    const changed = await api.put(`/v1/secret-references/${body.id}`, { manager_type: 'aws_sm' })
    expect([changed.status, changed.error.param]).to.deep.equal([400, '/manager_type'])
  })

  it('replaces one kind of access with the other', async () => {
    const { body } = await create({ allowed_workspaces: ['default'] })
    expect(body.allow_all_workspaces).to.equal(false)
    expect(body.allowed_workspaces).to.have.length(1)
    const all = await api.put(`/v1/secret-references/${body.id}`, { allow_all_workspaces: true })
    expect(all.body).to.deep.include({ allow_all_workspaces: true, allowed_workspaces: [] })
    expect((await api.put(`/v1/secret-references/${body.id}`, all.body)).status).to.equal(200)
    const none = await api.put(`/v1/secret-references/${body.id}`, { allowed_workspaces: [] })
    expect([none.status, none.error.param]).to.deep.equal([400, '/allowed_workspaces'])
    const some = await api.put(`/v1/secret-references/${body.id}`, { allowed_workspaces: ['default'] })
    expect(some.body.allow_all_workspaces).to.equal(false)
  })

  it('filters by manager and by tags', async () => {
    await create({ name: 'Tagged', tags: { team: 'search', env: 'prod' } })
    await create({ name: 'Other', tags: { team: 'search', env: 'test' } })
    const names = async (query: string) =>
      (await api.get(`/v1/secret-references?${query}`)).data.map(({ name }) => name)
    const tags = encodeURIComponent('{"team":"search","env":"prod"}')
    expect(await names(`tags=${tags}`)).to.deep.equal(['Tagged'])
    expect(await names(`tags=${encodeURIComponent('{"team":"search"}')}`)).to.have.members([
      'Tagged',
      'Other',
    ])
    expect(await names('manager_type=aws_sm')).to.deep.equal([])
    const unknown = await api.get('/v1/secret-references?manager_type=other')
    expect([unknown.status, unknown.error.param]).to.deep.equal([400, 'query/manager_type'])
    const bad = await api.get('/v1/secret-references?tags=x')
    expect([bad.status, bad.error.param]).to.deep.equal([400, 'query/tags'])
  })

  const trials: [string, object, RegExp | null][] = [
    ['a secret that is there', {}, null],
    ['a member that is there', { secret_key: 'api_key' }, null],
    ['a missing member', { secret_key: 'other' }, /does not have the member/],
    ['a missing secret', { secret_path: 'secret/none' }, /no secret at this path/],
  ]
  for (const [what, more, error] of trials) {
    it(`tests ${what}, and never returns the value`, async () => {
      const { body } = await create(more)
      const { status, body: trial, text } = await api.post(`/v1/secret-references/${body.id}/test`)
      expect(status).to.equal(200)
      expect(trial.success).to.equal(error === null)
      expect(trial.fetched_at).to.match(/^\d{4}-.*Z$/)
      if (error !== null) expect(trial.error).to.match(error)
      expect(text).not.to.include('sk-in-the-vault')
    })
  }

  it('reports why an unavailable manager returned nothing', async () => {
    const auth_config = { vault_auth_type: 'token', vault_token: token, vault_addr: 'http://127.0.0.1:1' }
    const { body } = await create({ auth_config })
    const trial = (await api.post(`/v1/secret-references/${body.id}/test`)).body
    expect(trial.success).to.equal(false)
    expect(trial.error).to.be.a('string')
  })

  describe('used by an integration', () => {
    const integrationOf = async (secret_reference_id: unknown, more: object = {}) => {
      const made = await api.post('/v1/integrations', {
        name: `Uses ${++count}`,
        ai_provider_id: 'openai',
        secret_mappings: [{ target_field: 'key', secret_reference_id }],
        ...more,
      })
      expect(made.status, made.text).to.equal(200)
      return made.body
    }

    describe('for its headers', () => {
      const call = async (headers: string, more: object = {}, configurations: object = {}) => {
        vaultSecret = { headers }
        const { body } = await create({ secret_path: `secret/headers-${++count}`, secret_key: 'headers' })
        const name = `Headers ${count}`
        const made = await api.post('/v1/integrations', {
          name,
          ai_provider_id: 'openai',
          key: 'sk-own',
          workspace_id: 'default',
          configurations: {
            custom_host: vault.url,
            custom_headers: { 'X-Stored': 'old' },
            ...configurations,
          },
          secret_mappings: [
            {
              target_field: 'configurations.custom_headers',
              secret_reference_id: body.id,
              value_format: 'json',
              ...more,
            },
          ],
        })
        if (made.status !== 200) return made
        return api.post('/v1/chat/completions', { ...chat(), model: `@headers-${count}/gpt-4o` })
      }

      it('sends them with each call, instead of the stored ones', async () => {
        const reply = await call('{"X-Team":"from-the-vault"}')
        expect(reply.status, reply.text).to.equal(200)
        const sent = vault.seen.at(-1)?.headers
        expect(sent).to.include({ 'x-team': 'from-the-vault', authorization: 'Bearer sk-own' })
        expect(sent).not.to.have.property('x-stored')
      })

      it('sends them to no host in a request', async () => {
        expect((await call('{"x-team":"from-the-vault"}', {}, { custom_headers: null })).status).to.equal(200)
        const strange = await openUpstream()
        const refused = await api.post(
          '/v1/chat/completions',
          { ...chat(), model: `@headers-${count}/gpt-4o` },
          { 'x-gateway-custom-host': strange.url },
        )
        await strange.close()
        expect([refused.status, refused.error.code]).to.deep.equal([400, 'host_not_allowed'])
        expect(strange.seen).to.have.length(0)
      })

      it('requires them as JSON', async () => {
        const refused = await call('{}', { value_format: 'string' })
        expect([refused.status, refused.error.param]).to.deep.equal([400, '/secret_mappings/0/value_format'])
      })

      for (const headers of [
        '{"host":"elsewhere"}',
        '{"x-gateway-config":"{}"}',
        '{"x-a":"b\\nc"}',
        '{"x-a":1}',
      ]) {
        it(`refuses to send ${headers}, and reveals nothing of them`, async () => {
          const refused = await call(headers)
          expect([refused.status, refused.error.code]).to.deep.equal([502, 'upstream_error'])
          expect(refused.error.message).to.include('custom_headers').and.not.include('x-a')
        })
      }
    })

    it('cannot be archived, and reports which integration uses it', async () => {
      const { body } = await create()
      const integration = await integrationOf(body.slug)
      const refused = await api.delete(`/v1/secret-references/${body.id}`)
      expect([refused.status, refused.error.code]).to.deep.equal([409, 'conflict'])
      expect(refused.error.message).to.include(integration.slug)
      await api.delete(`/v1/integrations/${integration.id}`)
      expect((await api.delete(`/v1/secret-references/${body.id}`)).status).to.equal(200)
    })

    it('cannot be withdrawn from a workspace that uses it', async () => {
      const workspace = await api.people.workspace(`Narrow ${++count}`)
      const { body } = await create()
      await integrationOf(body.id, { workspace_id: workspace })
      const away = await api.put(`/v1/secret-references/${body.id}`, { allowed_workspaces: ['default'] })
      expect([away.status, away.error.code]).to.deep.equal([409, 'conflict'])
      const kept = await api.put(`/v1/secret-references/${body.id}`, { allowed_workspaces: [workspace] })
      expect(kept.status).to.equal(200)
    })

    it('must be allowed in the workspace that uses it', async () => {
      const workspace = await api.people.workspace(`Outside ${++count}`)
      const { body } = await create({ allowed_workspaces: ['default'] })
      const refused = await api.post('/v1/integrations', {
        name: 'Outside',
        ai_provider_id: 'openai',
        workspace_id: workspace,
        secret_mappings: [{ target_field: 'key', secret_reference_id: body.id }],
      })
      expect([refused.status, refused.error.param]).to.deep.equal([400, '/secret_mappings/0'])
    })
  })

  it('requires its scopes', async () => {
    const workspace = await api.people.workspace(`Rights ${++count}`)
    const key = await api.people.key({ type: 'workspace-service', workspace })
    const { body } = await create()
    expect((await api.as(key).get('/v1/secret-references')).status).to.equal(403)
    expect((await api.as(key).get(`/v1/secret-references/${body.id}`)).status).to.equal(403)
    expect((await api.as(key).post(`/v1/secret-references/${body.id}/test`)).status).to.equal(403)
  })
})
