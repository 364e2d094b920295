/**
 * The life cycle of users and groups as Okta drives it, with the bodies that its documentation prints.
 * https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20
 */
import { expect } from 'chai'
import { groupUrn, listUrn, openScim, patchUrn, userUrn } from '../../support/scim.ts'

describe('provisioning from Okta', () => {
  const scim = openScim()
  let id = ''

  it('looks the user up with count and startIndex', async () => {
    const reply = await scim.get(
      '/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100',
    )
    expect(reply.status).to.equal(200)
    expect(reply.headers.get('content-type')).to.contain('application/scim+json')
    expect(reply.body).to.deep.equal({
      schemas: [listUrn],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
  })

  it('creates the user', async () => {
    const reply = await scim.post('/Users', {
      schemas: [userUrn],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    })
    expect(reply.status, reply.text).to.equal(201)
    expect(reply.text).not.to.contain('1mz050nq')
    id = String(reply.body.id)
    expect(reply.headers.get('location')).to.contain(`/scim/v2/Users/${id}`)
    expect(reply.body).to.deep.include({
      schemas: [userUrn],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ value: 'test.user@okta.local', type: 'work', primary: true }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      active: true,
    })
    expect(reply.body.meta).to.include({ resourceType: 'User', version: 'W/"1"' })
  })

  it('gets a conflict for a user that already exists', async () => {
    const reply = await scim.post('/Users', { schemas: [userUrn], userName: 'TEST.user@okta.local' })
    expect([reply.status, reply.body.scimType, reply.body.status]).to.deep.equal([409, 'uniqueness', '409'])
  })

  it('reads the users page by page', async () => {
    const reply = await scim.get('/Users?startIndex=1&count=2')
    expect(reply.body).to.include({ startIndex: 1 })
    expect(reply.body.Resources).to.have.lengthOf.at.most(2)
  })

  it('reads the user and replaces it', async () => {
    const read = await scim.get(`/Users/${id}`)
    const reply = await scim.put(`/Users/${id}`, {
      ...read.body,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
    })
    expect(reply.status, reply.text).to.equal(200)
    expect(reply.body.name).to.deep.equal({ givenName: 'Another', middleName: 'Excited', familyName: 'User' })
    const shown = await scim.management.get(`/v1/users/${id}`)
    expect(shown.body).to.include({
      first_name: 'Another',
      last_name: 'User',
      scim_managed: true,
      role: 'member',
    })
  })

  it('deactivates and reactivates the user', async () => {
    const session = await scim.management.people.session(id)
    expect((await scim.management.as(session).get('/v1/auth/self')).status).to.equal(200)
    const off = await scim.patch(`/Users/${id}`, [{ op: 'replace', value: { active: false } }])
    expect([off.status, off.body.active]).to.deep.equal([200, false])
    expect((await scim.management.as(session).get('/v1/auth/self')).status).to.equal(401)
    expect((await scim.management.get(`/v1/users/${id}`)).body.status).to.equal('deactivated')
    const on = await scim.patch(`/Users/${id}`, [{ op: 'replace', value: { active: true } }])
    expect([on.status, on.body.active]).to.deep.equal([200, true])
  })

  describe('with groups', () => {
    let group = ''

    it('creates a group', async () => {
      const reply = await scim.post('/Groups', {
        schemas: [groupUrn],
        displayName: 'Test SCIMv2',
        members: [],
      })
      expect(reply.status, reply.text).to.equal(201)
      group = String(reply.body.id)
      expect(reply.body).to.deep.include({ schemas: [groupUrn], displayName: 'Test SCIMv2' })
    })

    it('reads one group, and all of them', async () => {
      expect((await scim.get(`/Groups/${group}`)).body.id).to.equal(group)
      const all = await scim.get('/Groups?startIndex=1&count=100')
      expect(all.body.totalResults).to.equal(1)
    })

    it('renames a group with an operation that has no path and repeats the id', async () => {
      const value = { id: group, displayName: 'Test SCIMv2 renamed' }
      const reply = await scim.patch(`/Groups/${group}`, [{ op: 'replace', value }])
      expect([reply.status, reply.body.displayName]).to.deep.equal([200, 'Test SCIMv2 renamed'])
    })

    it('removes a member by a filter and adds others in the same request', async () => {
      const other = await scim.user('other@okta.local')
      await scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: [{ value: id }] }])
      const reply = await scim.patch(`/Groups/${group}`, [
        { op: 'remove', path: `members[value eq "${id}"]` },
        { op: 'add', path: 'members', value: [{ value: other, display: 'other@okta.local' }] },
      ])
      expect([reply.status, reply.text]).to.deep.equal([204, ''])
      const members = (await scim.get(`/Groups/${group}`)).body.members as { value: string }[]
      expect(members.map(({ value }) => value)).to.deep.equal([other])
    })

    it('replaces all members', async () => {
      const reply = await scim.patch(`/Groups/${group}`, [
        { op: 'replace', path: 'members', value: [{ value: id, display: 'test.user@okta.local' }] },
      ])
      expect(reply.status).to.equal(204)
      const members = (await scim.get(`/Groups/${group}`)).body.members as { value: string }[]
      expect(members.map(({ value }) => value)).to.deep.equal([id])
      const groups = (await scim.get(`/Users/${id}`)).body.groups as { value: string; display: string }[]
      expect(groups.map(({ value, display }) => [value, display])).to.deep.equal([
        [group, 'Test SCIMv2 renamed'],
      ])
    })

    it('replaces the whole group', async () => {
      const reply = await scim.put(`/Groups/${group}`, {
        schemas: [groupUrn],
        id: group,
        displayName: 'Test SCIMv2',
        members: [{ value: id, display: 'test.user@okta.local' }],
      })
      expect([reply.status, reply.body.displayName]).to.deep.equal([200, 'Test SCIMv2'])
    })

    it('deletes a group', async () => {
      const reply = await scim.delete(`/Groups/${group}`)
      expect([reply.status, reply.text]).to.deep.equal([204, ''])
      expect((await scim.get(`/Groups/${group}`)).status).to.equal(404)
      expect((await scim.get(`/Users/${id}`)).body.groups).to.equal(undefined)
    })
  })

  it('sends the PATCH schemas, and an unknown one is refused', async () => {
    const body = { schemas: ['urn:other'], Operations: [{ op: 'replace', value: { active: true } }] }
    const reply = await scim.call('PATCH', `/Users/${id}`, { body })
    expect([reply.status, reply.body.scimType]).to.deep.equal([400, 'invalidSyntax'])
    expect(patchUrn).to.match(/PatchOp$/)
  })
})
