/** The audit log (management.md §21): every write with its changes, every refused write, no secrets. */
import { readFile, writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { retentionJob } from '#control-plane/audit/audit-logs'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'

describe('the audit log', () => {
  const api = openManagement()

  it('records who changed what, with the values before and after', async () => {
    const created = await api.post('/v1/workspaces', { name: 'Audited' })
    const { id } = created.body
    await api.put(`/v1/workspaces/${id}`, { description: 'new', defaults: { metadata: { team: 'a' } } })
    await api.delete(`/v1/workspaces/${id}`)
    const [deleted, updated, made] = await api.audit('resource_type=workspace')
    expect(made).to.include({
      object: 'audit-log',
      action: 'create',
      method: 'POST',
      uri: '/v1/workspaces',
      resource_type: 'workspace',
      resource_id: id,
      user_id: 'admin',
      user_type: 'api_key',
      response_status_code: 200,
    })
    expect(made?.request_id).to.equal(created.headers.get('x-gateway-trace-id'))
    expect(made?.changes).to.deep.include({ '/name': [null, 'Audited'] })
    expect(made?.request_body).to.deep.equal({ name: 'Audited' })
    expect(updated?.action).to.equal('update')
    expect(updated?.changes).to.deep.equal({
      '/description': [null, 'new'],
      '/defaults/metadata': [null, { team: 'a' }],
    })
    expect(deleted?.changes).to.deep.equal({ '/status': ['active', 'archived'] })
    expect(await api.audit(`workspace_id=${id}`)).to.have.length(3)
  })

  it('records refused writes with their status', async () => {
    const key = await api.people.key({ type: 'organisation-service', scopes: ['workspaces.list'] })
    const refused = await api.as(key).post('/v1/workspaces', { name: 'Refused' })
    expect(refused.status).to.equal(403)
    await api.post('/v1/workspaces', { name: 5 })
    await api.post('/v1/workspaces', '{')
    await api.delete('/v1/workspaces/none')
    const records = await api.audit('resource_type=workspace&response_status_code=403,400,404')
    expect(records.map(({ response_status_code, action }) => [response_status_code, action])).to.deep.equal([
      [404, 'delete'],
      [400, 'create'],
      [400, 'create'],
      [403, 'create'],
    ])
    expect(records.at(-1)).to.include({ user_type: 'api_key' })
    expect(records.every(({ changes }) => Object.keys(changes as object).length === 0)).to.equal(true)
  })

  it('records reloads of the config file, applied or refused', async () => {
    const text = await readFile(api.gateway.configPath, 'utf8')
    await api.gateway.writeConfig({ ...JSON.parse(text), cache: { default_max_age: 60 } })
    await api.gateway.reload()
    await writeFile(api.gateway.configPath, '{')
    await api.gateway.reload()
    await writeFile(api.gateway.configPath, text)
    await api.gateway.reload()
    const records = await api.audit('action=reload')
    expect(records.map(({ response_status_code }) => response_status_code)).to.deep.equal([200, 400, 200])
    expect(records[0]).to.include({ resource_type: 'config-file', user_type: 'system', user_id: null })
  })

  it('records writes without a valid credential', async () => {
    await api.as('gw-wrong-secret-key').post('/v1/workspaces', { name: 'Nobody' })
    await api.as(null).delete('/v1/workspaces/default')
    const find = () => api.audit('response_status_code=401')
    // Records are written after the answers.
    await until('two records', async () => (await find()).length >= 2)
    const records = await find()
    expect(records.map(({ user_type, method }) => [user_type, method])).to.deep.equal([
      ['system', 'DELETE'],
      ['system', 'POST'],
    ])
    expect(JSON.stringify(records)).not.to.include('wrong-secret')
  })

  it('contains no secret', async () => {
    const body = {
      auth_settings: {
        oidc: { issuer: 'https://id.example', client_id: 'one', client_secret: 'oidc-canary-secret' },
      },
    }
    const saved = await api.put('/v1/organisation', body)
    expect(saved.status, saved.text).to.equal(200)
    expect(saved.text).not.to.include('canary')
    await api.put('/v1/organisation', { password: 'canary-password', name: 5 })
    const documents = await api.gateway.runtime.store.documents.scan(null, null, 1000)
    expect(JSON.stringify(documents)).not.to.include('canary')
  })

  it('belongs to the organisation named in a refused token', async () => {
    const made = await api.post('/v1/organisations', { name: 'Tenant', owner_email: 'own@tenant.example' })
    const accepted = await api.as(null).post('/v1/users/invites/accept', {
      token: new URL(String(made.body.invite_link)).searchParams.get('token'),
      first_name: 'Own',
      password: 'correct horse battery',
    })
    const owner = api.as(String(accepted.body.token))
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const tokenOf = (claims: object) => `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}.c2lnbmVk`
    const token = tokenOf({ organisation_id: 'tenant' })
    expect((await api.as(token).get('/v1/models')).error.code).to.equal('jwt_not_configured')
    const record = await until('a record of it', async () => {
      const { data } = await owner.get('/v1/audit-logs?action=authenticate')
      return data[0] ?? null
    })
    expect(record).to.deep.include({
      resource_type: 'jwt',
      response_status_code: 403,
      details: { code: 'jwt_not_configured', masked_token: `${token.slice(0, 3)}****bmVk` },
    })
    expect(await api.audit('action=authenticate')).to.deep.equal([])
    // A record without an organisation belongs to the first one.
    expect((await api.as(tokenOf({})).get('/v1/models')).error.code).to.equal('jwt_organisation_unknown')
    await until('a record of it', async () => (await api.audit('action=authenticate')).length === 1)
  })

  it('can be filtered by the members of a record only', async () => {
    await api.post('/v1/workspaces', { name: 'Filtered' })
    expect((await api.audit('method=post&uri=/v1/workspaces')).length).to.be.above(0)
    for (const query of [
      'method=LOOK',
      'user_type=robot',
      'response_status_code=fine',
      'sort=colour',
      'order=up',
      'page_size=0',
    ]) {
      const reply = await api.get(`/v1/audit-logs?${query}`)
      const [name] = query.split('=')
      expect([reply.status, reply.error.code, reply.error.param], query).to.deep.equal([
        400,
        'invalid_query',
        `query/${name}`,
      ])
    }
  })

  it('keeps the records of an archived workspace', async () => {
    const user = await api.people.user('audited@example.com')
    const { id } = (await api.post('/v1/workspaces', { name: 'Forgotten' })).body
    await api.post(`/v1/workspaces/${id}/users`, { users: [{ id: user }] })
    await api.delete(`/v1/workspaces/${id}`)
    const records = await api.audit(`workspace_id=${id}&resource_type=workspace-user`)
    expect(records.map(({ action, resource_id }) => [action, resource_id])).to.deep.equal([['create', user]])
  })

  it('can be filtered by time, and cannot be changed', async () => {
    const future = await api.get('/v1/audit-logs?start_time=2099-01-01&end_time=2099-02-01T00:00:00Z')
    expect(future.body).to.include({ total: 0 })
    const bad = await api.get('/v1/audit-logs?start_time=yesterday')
    expect([bad.status, bad.error.param]).to.deep.equal([400, 'query/start_time'])
    const [record] = await api.audit()
    for (const method of ['PUT', 'DELETE']) {
      expect((await api.call(method, `/v1/audit-logs/${record?.id}`)).status).to.equal(404)
    }
  })

  it('is kept as long as the organisation sets, if that is shorter than in the config file', async () => {
    const dayMs = 86_400_000
    const now = Date.now()
    const { documents } = api.gateway.runtime.store
    const job = retentionJob({ documents, auditRetentionDays: () => 20 })
    const organisation_id = String((await api.get('/v1/organisation')).body.id)
    const mine = { organisation_id, created_to: now }
    const total = async () => (await documents.list('audit', mine, { offset: 0, limit: 1 })).total
    const keep = (days: number) =>
      api.put('/v1/organisation', { settings: { retention: { audit_days: days } } })
    expect((await keep(30)).status).to.equal(200)
    await job.run(now + 19 * dayMs)
    expect(await total()).to.be.above(0)
    await keep(10)
    await job.run(now + 9 * dayMs)
    expect(await total()).to.be.above(0)
    await job.run(now + 11 * dayMs)
    expect(await total()).to.equal(0)
  })

  it('requires its scope', async () => {
    const key = await api.people.key({ type: 'organisation-service', scopes: ['workspaces.list'] })
    expect((await api.as(key).get('/v1/audit-logs')).status).to.equal(403)
  })
})
