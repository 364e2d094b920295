/** SCIM discovery, and its errors. */
import { expect } from 'chai'
import { enterpriseUrn, errorUrn, groupUrn, listUrn, openScim, userUrn } from '../../support/scim.ts'

describe('SCIM discovery', () => {
  const scim = openScim()

  it('reports the supported features', async () => {
    const reply = await scim.get('/ServiceProviderConfig')
    expect(reply.status).to.equal(200)
    expect(reply.headers.get('content-type')).to.contain('application/scim+json')
    expect(reply.body).to.deep.include({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 1000 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
    })
    const [scheme] = reply.body.authenticationSchemes as Record<string, unknown>[]
    expect(scheme?.type).to.equal('oauthbearertoken')
  })

  it('lists the resource types, and returns each', async () => {
    const { body } = await scim.get('/ResourceTypes')
    expect(body).to.deep.include({ schemas: [listUrn], totalResults: 2 })
    const types = body.Resources as Record<string, unknown>[]
    expect(types.map(({ id, endpoint, schema }) => [id, endpoint, schema])).to.deep.equal([
      ['User', '/Users', userUrn],
      ['Group', '/Groups', groupUrn],
    ])
    expect(types[0]?.schemaExtensions).to.deep.equal([{ schema: enterpriseUrn, required: false }])
    for (const type of types) expect((await scim.get(`/ResourceTypes/${type.id}`)).body).to.deep.equal(type)
    expect((await scim.get('/ResourceTypes/Device')).status).to.equal(404)
  })

  it('lists the schemas, and returns each', async () => {
    const { body } = await scim.get('/Schemas')
    const schemas = body.Resources as Record<string, unknown>[]
    expect(schemas.map(({ id }) => id)).to.deep.equal([userUrn, enterpriseUrn, groupUrn])
    for (const schema of schemas) expect((await scim.get(`/Schemas/${schema.id}`)).body).to.deep.equal(schema)
    const attributes = schemas[0]?.attributes as Record<string, unknown>[]
    expect(attributes.find(({ name }) => name === 'userName')).to.deep.include({
      type: 'string',
      multiValued: false,
      required: true,
      caseExact: false,
      mutability: 'readWrite',
      returned: 'default',
      uniqueness: 'server',
    })
    expect(attributes.find(({ name }) => name === 'password')).to.include({
      mutability: 'writeOnly',
      returned: 'never',
    })
    expect((await scim.get('/Schemas/urn:other')).status).to.equal(404)
  })

  for (const [method, path] of [
    ['POST', '/Bulk'],
    ['GET', '/Me'],
  ] as const) {
    it(`reports that ${path} is not supported`, async () => {
      const reply = await scim.call(method, path, {
        body: method === 'POST' ? { Operations: [] } : undefined,
      })
      expect([reply.status, reply.body.status, reply.body.schemas]).to.deep.equal([501, '501', [errorUrn]])
    })
  }

  it('refuses filters', async () => {
    const reply = await scim.get('/Schemas?filter=id%20pr')
    expect([reply.status, reply.body.scimType]).to.deep.equal([400, 'invalidFilter'])
  })

  for (const [path, status] of [
    ['/scim/v2/Nowhere', 404],
    ['/v1/scim/v2/Nowhere', 404],
    ['/scim/v2/Users/a/b', 404],
    ['/scim/v2', 404],
  ] as const) {
    it(`answers ${path} with a SCIM error for an unknown path`, async () => {
      const { management } = scim
      for (const [caller, expected] of [
        [management, status],
        [management.as(null), 401],
      ] as const) {
        const reply = await caller.post(path, {})
        expect(reply.headers.get('content-type')).to.contain('application/scim+json')
        expect([reply.status, reply.body.status, reply.body.schemas]).to.deep.equal([
          expected,
          String(expected),
          [errorUrn],
        ])
      }
    })
  }

  it('does not handle paths that merely begin alike', async () => {
    const { status, error } = await scim.management.get('/scim/v2x')
    expect([status, error.code]).to.deep.equal([404, 'not_found'])
  })

  const refusals: [string, string, string, number][] = [
    ['an unknown user', 'GET', '/Users/nobody', 404],
    ['an unknown group', 'DELETE', '/Groups/nothing', 404],
    ['a method that is not served', 'DELETE', '/Users', 405],
  ]
  for (const [title, method, path, status] of refusals) {
    it(`answers ${title} in the SCIM error format`, async () => {
      const reply = await scim.call(method, path)
      expect(reply.status).to.equal(status)
      expect(reply.headers.get('content-type')).to.contain('application/scim+json')
      expect(reply.body).to.deep.include({ schemas: [errorUrn], status: String(status) })
      expect(reply.body.detail).to.be.a('string')
    })
  }

  it('answers a missing and a wrong credential in the SCIM error format', async () => {
    for (const headers of [{}, { authorization: 'Bearer gwscim_wrong' }]) {
      const reply = await scim.management.as(null).get('/scim/v2/Users', headers as Record<string, string>)
      expect([reply.status, reply.body.status, reply.body.schemas]).to.deep.equal([401, '401', [errorUrn]])
    }
  })

  it('accepts bodies of at most 1 MB', async () => {
    const reply = await scim.post('/Users', { userName: 'x@example.com', title: 'x'.repeat(1_100_000) })
    expect([reply.status, reply.body.status]).to.deep.equal([413, '413'])
  })

  it('checks the token before it reads the body', async () => {
    const body = JSON.stringify({ userName: 'x@example.com', title: 'x'.repeat(1_100_000) })
    const reply = await scim.management
      .as(null)
      .call('POST', '/scim/v2/Users', { body, headers: { authorization: 'Bearer gwscim_wrong' } })
    expect(reply.status).to.equal(401)
  })
})
