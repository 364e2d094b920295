/** SCIM tokens: their creation and their rights. */
import { expect } from 'chai'
import { errorUrn, openScim } from '../../support/scim.ts'

describe('SCIM tokens', () => {
  const scim = openScim()
  const { management } = scim
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it('are shown once, and work until they are deleted', async () => {
    const made = await management.post('/v1/scim/tokens', { name: 'okta' })
    expect(made.status, made.text).to.equal(200)
    expect(made.headers.get('cache-control')).to.equal('no-store')
    expect(made.body).to.include({ object: 'scim-token', name: 'okta', expires_at: null, status: 'active' })
    const token = String(made.body.token)
    expect(token).to.match(/^gwscim_[\w-]{40}$/)
    const read = await management.get(`/v1/scim/tokens/${made.body.id}`)
    expect(read.body.masked_key).to.equal(`gws****${token.slice(-4)}`)
    expect(read.text).not.to.contain(token)
    expect(JSON.stringify(await management.stored('scim_token', String(made.body.id)))).not.to.contain(token)
    expect((await management.as(null).get('/scim/v2/Users', bearer(token))).status).to.equal(200)
    expect((await management.as(null).get('/v1/scim/v2/Users/', bearer(token))).status).to.equal(200)
    expect((await management.delete(`/v1/scim/tokens/${made.body.id}`)).body.deleted).to.equal(true)
    const refused = await management.as(null).get('/scim/v2/Users', bearer(token))
    expect(refused.status).to.equal(401)
    expect(refused.body).to.deep.include({ schemas: [errorUrn], status: '401' })
  })

  it('are only valid for SCIM routes', async () => {
    const token = String((await management.post('/v1/scim/tokens', { name: 'entra' })).body.token)
    for (const path of ['/v1/users', '/v1/auth/self', '/v1/models']) {
      const reply = await management.as(null).get(path, bearer(token))
      expect([path, reply.status, reply.error.code]).to.deep.equal([path, 401, 'invalid_api_key'])
    }
    const mapping = await management.as(null).get('/v1/scim/workspaces', bearer(token))
    expect([mapping.status, mapping.error.code]).to.deep.equal([403, 'missing_scope'])
  })

  it('expire', async () => {
    const past = await management.post('/v1/scim/tokens', { name: 'x', expires_at: '2020-01-01T00:00:00Z' })
    expect([past.status, past.error.param]).to.deep.equal([400, '/expires_at'])
    const made = await management.post('/v1/scim/tokens', { name: 'x', expires_at: '2999-01-01T00:00:00Z' })
    expect(made.body.expires_at).to.equal('2999-01-01T00:00:00.000Z')
    const stored = await management.stored('scim_token', String(made.body.id))
    if (stored === null) throw new Error('The token is not stored.')
    const data = { ...stored.data, expires_at: new Date(Date.now() - 1).toISOString() }
    await management.gateway.runtime.store.documents.commit([{ op: 'put', document: { ...stored, data } }])
    const reply = await management.as(null).get('/scim/v2/Users', bearer(String(made.body.token)))
    expect(reply.status).to.equal(401)
    expect(reply.body.detail).to.contain('expired')
  })

  it('can be created only by callers who may provision users', async () => {
    const mapper = await management.people.key({
      type: 'organisation-service',
      scopes: ['scim_mappings.create', 'scim_mappings.list'],
    })
    const made = await management.as(mapper).post('/v1/scim/tokens', { name: 'x' })
    expect([made.status, made.error.code]).to.deep.equal([403, 'forbidden'])
    expect((await management.as(mapper).get('/scim/v2/Users')).status).to.equal(403)
    const provisioner = await management.people.key({
      type: 'organisation-service',
      scopes: ['scim.provision'],
    })
    expect((await management.as(null).get('/scim/v2/Users', bearer(provisioner))).status).to.equal(200)
  })

  it('of another organisation see nothing of this one', async () => {
    const user = await scim.user('mine@example.com')
    const made = await management.post('/v1/scim/tokens', { name: 'elsewhere' })
    const stored = await management.stored('scim_token', String(made.body.id))
    if (stored === null) throw new Error('The token is not stored.')
    const organisation = await management.post('/v1/organisations', {
      name: 'Other',
      owner_email: 'owner@other.example',
    })
    await management.gateway.runtime.store.documents.commit([
      { op: 'put', document: { ...stored, organisation_id: String(organisation.body.id) } },
    ])
    const other = bearer(String(made.body.token))
    const nobody = management.as(null)
    expect((await nobody.get('/scim/v2/Users', other)).body.totalResults).to.equal(0)
    expect((await nobody.get(`/scim/v2/Users/${user}`, other)).status).to.equal(404)
    const taken = await nobody.post('/scim/v2/Users', { userName: 'mine@example.com' }, other)
    expect([taken.status, taken.body.scimType]).to.deep.equal([409, 'uniqueness'])
    const group = await nobody.post(
      '/scim/v2/Groups',
      { displayName: 'Theirs', members: [{ value: user }] },
      other,
    )
    expect([group.status, group.body.scimType]).to.deep.equal([400, 'invalidValue'])
  })

  it('appear in the audit log under their own name', async () => {
    const id = await scim.user('audited@example.com')
    const [record] = await management.audit(`resource_id=${id}`)
    expect(record).to.include({ user_type: 'scim', action: 'create', resource_type: 'user' })
    await scim.post('/Users', { userName: 'audited@example.com' })
    const [refused] = await management.audit('user_type=scim&response_status_code=409')
    expect(refused).to.include({ action: 'create', resource_type: 'user' })
  })
})
