/**
 * The life cycle of users and groups as Microsoft Entra drives it, with the bodies that its documentation prints.
 * https://learn.microsoft.com/en-us/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
 */
import { expect } from 'chai'
import { enterpriseUrn, errorUrn, groupUrn, listUrn, openScim, userUrn } from '../../support/scim.ts'

describe('provisioning from Microsoft Entra', () => {
  const scim = openScim()
  let id = ''

  it('tests the connection with a user that does not exist', async () => {
    const reply = await scim.get('/Users?filter=userName eq "non-existent user"'.replaceAll(' ', '%20'))
    expect(reply.status).to.equal(200)
    expect(reply.body).to.deep.include({ schemas: [listUrn], totalResults: 0, Resources: [] })
  })

  it('creates the user', async () => {
    const reply = await scim.post('/Users', {
      schemas: [userUrn, enterpriseUrn],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
      active: true,
      emails: [
        { primary: true, type: 'work', value: 'Test_User_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com' },
      ],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    })
    expect(reply.status, reply.text).to.equal(201)
    id = String(reply.body.id)
    expect(reply.body).to.deep.include({
      userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      active: true,
    })
    expect((await scim.management.get(`/v1/users/${id}`)).body.email).to.equal(
      'test_user_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com',
    )
  })

  for (const filter of [
    'userName eq "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1"',
    'userName Eq "TEST_USER_AB6490EE-1E48-479E-A20B-2D77186B5DD1"',
    'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"',
    'emails[type eq "work"].value eq "test_user_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com"',
  ]) {
    it(`finds the user by ${filter.slice(0, 24)}…`, async () => {
      expect((await scim.find('/Users', filter)).map((user) => user.id)).to.deep.equal([id])
    })
  }

  it('finds no user whose external id differs in case', async () => {
    expect(await scim.find('/Users', 'externalId eq "0A21F0F2-8D2A-4F8E-BF98-7363C4AED4EF"')).to.deep.equal(
      [],
    )
  })

  it('updates values of lists and members of objects', async () => {
    const reply = await scim.patch(`/Users/${id}`, [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    ])
    expect(reply.status, reply.text).to.equal(200)
    expect(reply.body.emails).to.deep.equal([
      { primary: true, type: 'work', value: 'updatedEmail@microsoft.com' },
    ])
    expect(reply.body.name).to.include({ familyName: 'updatedFamilyName', givenName: 'givenName' })
    expect((await scim.management.get(`/v1/users/${id}`)).body).to.include({
      email: 'updatedemail@microsoft.com',
      last_name: 'updatedFamilyName',
    })
  })

  it('renames the user', async () => {
    const value = '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com'
    const reply = await scim.patch(`/Users/${id}`, [{ op: 'Replace', path: 'userName', value }])
    expect([reply.status, reply.body.userName]).to.deep.equal([200, value])
    expect((await scim.management.get(`/v1/users/${id}`)).body.email).to.equal(value)
  })

  it('adds attributes, including extensions, with paths, dotted names and strings instead of objects', async () => {
    const reply = await scim.patch(`/Users/${id}`, [
      { op: 'Add', path: `${enterpriseUrn}:department`, value: 'Research' },
      { op: 'Add', path: `${enterpriseUrn}:manager`, value: '7a0e7f0e' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '555 123' },
      {
        op: 'Add',
        value: { title: 'Engineer', 'name.honorificPrefix': 'Dr', [`${enterpriseUrn}:costCenter`]: '7' },
      },
      { op: 'Add', value: { unknownThing: 'passed over' } },
    ])
    expect(reply.status, reply.text).to.equal(200)
    expect(reply.body[enterpriseUrn]).to.deep.equal({
      department: 'Research',
      manager: { value: '7a0e7f0e' },
      costCenter: '7',
    })
    expect(reply.body.phoneNumbers).to.deep.equal([{ type: 'mobile', value: '555 123' }])
    expect(reply.body.title).to.equal('Engineer')
    expect(reply.body.name).to.include({ honorificPrefix: 'Dr' })
    expect(reply.body).not.to.have.property('unknownThing')
    expect(reply.body.schemas).to.deep.equal([userUrn, enterpriseUrn])
  })

  it('assigns the primary role', async () => {
    const path = 'roles[primary eq "True"].value'
    const reply = await scim.patch(`/Users/${id}`, [{ op: 'Replace', path, value: 'Admin' }])
    expect(reply.status, reply.text).to.equal(200)
    expect((await scim.management.get(`/v1/users/${id}`)).body.role).to.equal('admin')
    await scim.patch(`/Users/${id}`, [{ op: 'Remove', path: 'roles' }])
    expect((await scim.management.get(`/v1/users/${id}`)).body.role).to.equal('member')
  })

  for (const [written, isActive] of [
    ['False', false],
    ['True', true],
  ] as const) {
    it(`accepts "${written}" for active`, async () => {
      const reply = await scim.patch(`/Users/${id}`, [{ op: 'Replace', path: 'active', value: written }])
      expect([reply.status, reply.body.active]).to.deep.equal([200, isActive])
    })
  }

  describe('with groups', () => {
    let group = ''

    it('creates a group', async () => {
      const reply = await scim.post('/Groups', {
        schemas: [groupUrn, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'displayName',
        meta: { resourceType: 'Group' },
      })
      expect(reply.status, reply.text).to.equal(201)
      group = String(reply.body.id)
    })

    it('reads a group without its members', async () => {
      const reply = await scim.get(`/Groups/${group}?excludedAttributes=members`)
      expect(reply.status).to.equal(200)
      expect(reply.body).not.to.have.property('members')
    })

    it('finds a group by its name', async () => {
      const found = await scim.find('/Groups', 'displayName eq "DISPLAYNAME"', '&excludedAttributes=members')
      expect(found.map((one) => [one.id, one.externalId])).to.deep.equal([
        [group, '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159'],
      ])
    })

    it('renames a group', async () => {
      const value = '1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName'
      const reply = await scim.patch(`/Groups/${group}`, [{ op: 'Replace', path: 'displayName', value }])
      expect([reply.status, reply.body.displayName]).to.deep.equal([200, value])
    })

    it('adds members', async () => {
      const reply = await scim.patch(`/Groups/${group}`, [
        { op: 'Add', path: 'members', value: [{ $ref: null, value: id }] },
      ])
      expect([reply.status, reply.text]).to.deep.equal([204, ''])
      expect(await scim.find('/Groups', `id eq "${group}" and members eq "${id}"`)).to.have.lengthOf(1)
    })

    it('removes members listed in the value', async () => {
      const reply = await scim.patch(`/Groups/${group}`, [
        { op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] },
      ])
      expect([reply.status, reply.text]).to.deep.equal([204, ''])
      expect((await scim.get(`/Groups/${group}`)).body).not.to.have.property('members')
    })

    it('deletes a group', async () => {
      expect((await scim.delete(`/Groups/${group}`)).status).to.equal(204)
    })
  })

  it('deletes the user, who is not found afterwards', async () => {
    expect((await scim.delete(`/Users/${id}`)).status).to.equal(204)
    const reply = await scim.get(`/Users/${id}`)
    expect(reply.status).to.equal(404)
    expect(reply.body).to.deep.equal({ schemas: [errorUrn], status: '404', detail: 'There is no such user.' })
    expect(
      await scim.find('/Users', 'userName eq "5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com"'),
    ).to.deep.equal([])
  })

  it('creates a deleted user again, with the same id', async () => {
    const reply = await scim.post('/Users', {
      schemas: [userUrn],
      userName: '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com',
    })
    expect([reply.status, reply.body.id, reply.body.active]).to.deep.equal([201, id, true])
  })
})
