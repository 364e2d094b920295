/** `/Users` of SCIM (management contract, section 9): requests of identity providers, and the rules for users. */
import { expect } from 'chai'
import { enterpriseUrn, errorUrn, openScim, userUrn } from '../../support/scim.ts'

describe('SCIM users', () => {
  const scim = openScim()
  const { management } = scim
  const settle = async (auth_settings: Record<string, unknown>, settings: Record<string, unknown> = {}) => {
    const reply = await management.put('/v1/organisation', { auth_settings, settings })
    expect(reply.status, reply.text).to.equal(200)
  }

  /** Connects an MCP server on behalf of a person. */
  async function connect(userId: string): Promise<string> {
    const id = crypto.randomUUID()
    const { documents } = management.gateway.runtime.store
    const { organisation_id = null } = (await management.stored('user', userId)) ?? {}
    const document = {
      ...{ kind: 'mcp_connection', id, organisation_id, workspace_id: null, slug: null, name: null },
      ...{
        status: 'active',
        created_at: 1,
        last_updated_at: 1,
        keys: [],
        data: { user_id: userId, revocation_endpoint: null },
      },
      attributes: { user_id: [userId] },
    }
    await documents.commit([{ op: 'put', document }])
    return id
  }

  describe('are created', () => {
    it('with the address in userName, and names from the display name by default', async () => {
      const id = await scim.user('Plain@Example.com', { displayName: 'Ada King Lovelace' })
      expect((await management.get(`/v1/users/${id}`)).body).to.include({
        email: 'plain@example.com',
        first_name: 'Ada',
        last_name: 'King Lovelace',
        role: 'member',
        status: 'active',
        scim_managed: true,
      })
      expect((await scim.get(`/Users/${id}`)).body.userName).to.equal('Plain@Example.com')
    })

    for (const [given, role] of [
      [[{ value: 'member' }, { value: 'Owner' }], 'owner'],
      [['admin'], 'admin'],
      [[{ value: 'something else' }], 'member'],
    ] as const) {
      it(`with the role ${role} for ${JSON.stringify(given)}`, async () => {
        const id = await scim.user(`${role}-${crypto.randomUUID()}@example.com`, { roles: given })
        expect((await management.get(`/v1/users/${id}`)).body.role).to.equal(role)
      })
    }

    it('deactivated when active is false', async () => {
      const id = await scim.user('inactive@example.com', { active: 'False' })
      expect((await management.get(`/v1/users/${id}`)).body.status).to.equal('deactivated')
    })

    it('with the enterprise extension, attribute names in any case, and without unknown attributes', async () => {
      const reply = await scim.post('/Users', {
        SCHEMAS: [userUrn, enterpriseUrn],
        UserName: 'cased@example.com',
        NAME: { GivenName: 'Case' },
        EMAILS: { Value: 'other@example.com', Type: 'home' },
        [enterpriseUrn.toUpperCase()]: { Department: 'Tools', nothing: 1 },
        'urn:other:extension': { x: 1 },
        something: 'else',
        id: 'chosen by the caller',
      })
      expect(reply.status, reply.text).to.equal(201)
      expect(reply.body).to.deep.include({
        userName: 'cased@example.com',
        emails: [{ value: 'other@example.com', type: 'home' }],
        [enterpriseUrn]: { department: 'Tools' },
      })
      expect(reply.body.id).not.to.equal('chosen by the caller')
      for (const name of ['something', 'urn:other:extension', 'UserName'])
        expect(reply.body).not.to.have.property(name)
    })

    const refused: [string, unknown, string][] = [
      [
        'a text instead of a list of e-mail addresses',
        { userName: 'a@b.example', emails: 'x' },
        'invalidValue',
      ],
      ['no userName', { schemas: [userUrn], displayName: 'x' }, 'invalidValue'],
      ['a userName that is not an e-mail address, without another one', { userName: 'jdoe' }, 'invalidValue'],
      ['a userName that is too long', { userName: `${'x'.repeat(250)}@example.com` }, 'invalidValue'],
      [
        'active that is neither true nor false',
        { userName: 'a@example.com', active: 'perhaps' },
        'invalidValue',
      ],
      ['a name that is not an object', { userName: 'a@example.com', name: [1] }, 'invalidValue'],
      ['a list in place of a resource', [], 'invalidSyntax'],
      ['more than fits', { userName: 'a@example.com', title: 'x'.repeat(5000) }, 'invalidValue'],
    ]
    for (const [title, body, scimType] of refused) {
      it(`but not with ${title}`, async () => {
        const reply = await scim.post('/Users', body)
        expect([reply.status, reply.body.scimType, reply.body.schemas]).to.deep.equal([
          400,
          scimType,
          [errorUrn],
        ])
      })
    }

    it('but not from invalid JSON', async () => {
      const reply = await scim.call('POST', '/Users', { body: '{"userName":' })
      expect([reply.status, reply.body.scimType]).to.deep.equal([400, 'invalidSyntax'])
    })

    it('but not with an address in a domain that is not allowed, nor changed to one', async () => {
      const id = await scim.user('inside@example.com')
      await settle({ allowed_domains: [{ domain: 'example.com' }] })
      const made = await scim.post('/Users', { userName: 'x@elsewhere.example' })
      const renamed = await scim.patch(`/Users/${id}`, [
        { op: 'replace', path: 'userName', value: 'inside@elsewhere.example' },
      ])
      await settle({ allowed_domains: [] })
      for (const reply of [made, renamed]) {
        expect([reply.status, reply.body.scimType]).to.deep.equal([400, 'invalidValue'])
      }
    })
  })

  it('are restored with their id after deactivation or archiving', async () => {
    const id = await scim.user('back@example.com', { externalId: 'old' })
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
    expect(await scim.user('BACK@example.com', { externalId: 'new' })).to.equal(id)
    await scim.delete(`/Users/${id}`)
    expect((await management.get(`/v1/users/${id}`)).status).to.equal(404)
    expect(await scim.user('back@example.com')).to.equal(id)
    expect((await management.get(`/v1/users/${id}`)).body.status).to.equal('active')
  })

  it('created manually are listed, and managed by SCIM after its first write', async () => {
    const id = await management.people.user('by-hand@example.com')
    const [found] = await scim.find('/Users', 'userName eq "by-hand@example.com"')
    expect(found).to.deep.include({
      id,
      userName: 'by-hand@example.com',
      emails: [{ value: 'by-hand@example.com', type: 'work', primary: true }],
    })
    expect((await management.get(`/v1/users/${id}`)).body.scim_managed).to.equal(false)
    await scim.patch(`/Users/${id}`, [{ op: 'add', path: 'externalId', value: 'hand-1' }])
    expect((await management.get(`/v1/users/${id}`)).body.scim_managed).to.equal(true)
    await management.put(`/v1/users/${id}`, { first_name: 'Hand' })
    expect((await scim.find('/Users', 'externalId eq "hand-1"'))[0]).to.deep.include({ id })
  })

  it('keep their memberships while they are deactivated, and lose sessions and keys', async () => {
    const workspace = await management.people.workspace('Kept')
    const id = await scim.user('kept@example.com')
    await management.people.member(workspace, id, 'member')
    const session = await management.people.session(id)
    const key = await management.people.key({ type: 'workspace-user', workspace, user: id })
    const connection = await connect(id)
    await scim.patch(`/Users/${id}`, [{ op: 'Replace', value: { active: 'False' } }])
    for (const credential of [session, key]) {
      expect((await management.as(credential).get('/v1/auth/self')).status).to.equal(401)
    }
    const ended = await management.stored('mcp_connection', connection)
    expect(ended === null || ended.status === 'archived', 'the connection ended').to.equal(true)
    await scim.patch(`/Users/${id}`, [{ op: 'Replace', value: { active: 'True' } }])
    expect((await management.get(`/v1/users/${id}`)).body.workspace_ids).to.deep.equal([workspace])
    expect((await management.as(key).get('/v1/auth/self')).status, 'the key ended for good').to.equal(401)
  })

  it('get keys as the settings define: when a group adds them, and when they are restored', async () => {
    await settle({}, { user_api_key_auto_create: true })
    const workspace = await management.people.workspace('Auto keys')
    const id = await scim.user('auto@example.com')
    const group = await scim.group('Auto', [id])
    await management.post('/v1/scim/workspaces', {
      workspace_id: workspace,
      role: 'member',
      scim_group_id: group,
    })
    const keys = async () => (await management.get(`/v1/api-keys?user_id=${id}`)).data
    expect((await keys()).map(({ name, creation_mode }) => [name, creation_mode])).to.deep.equal([
      ['Default key', 'auto'],
    ])
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
    expect(await keys()).to.deep.equal([])
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: true }])
    expect(await keys()).to.have.lengthOf(1)
    await settle({}, { user_api_key_auto_create: false })
  })

  it('can be renamed only by SCIM, and members show the new address', async () => {
    const workspace = await management.people.workspace('Renamed people')
    const id = await scim.user('before@example.com')
    await management.post(`/v1/workspaces/${workspace}/users`, { users: [{ id }] })
    const reply = await scim.patch(`/Users/${id}`, [
      { op: 'replace', value: { userName: 'after@example.com' } },
    ])
    expect(reply.body.emails).to.deep.equal([{ value: 'after@example.com', type: 'work', primary: true }])
    const members = await management.get(`/v1/workspaces/${workspace}/users?email=after@example.com`)
    expect(members.data.map((member) => member.id)).to.deep.equal([id])
    await scim.user('taken@example.com')
    const taken = await scim.patch(`/Users/${id}`, [
      { op: 'replace', value: { userName: 'taken@example.com' } },
    ])
    expect([taken.status, taken.body.scimType]).to.deep.equal([409, 'uniqueness'])
  })

  it('are removed from every group and workspace when they are deleted', async () => {
    const id = await scim.user('leaves@example.com')
    const group = await scim.group('ws-Left-role-member', [id])
    expect((await scim.delete(`/Users/${id}`)).status).to.equal(204)
    expect((await scim.get(`/Groups/${group}`)).body).not.to.have.property('members')
    const [workspace] = (await management.get('/v1/workspaces?exact_name=Left')).data
    expect((await management.get(`/v1/workspaces/${workspace?.id}/users`)).data).to.deep.equal([])
    expect((await scim.delete(`/Users/${id}`)).status).to.equal(404)
  })

  it('have versions: 412 for an outdated one, 304 for the current one', async () => {
    const id = await scim.user('versions@example.com')
    const read = await scim.get(`/Users/${id}`)
    const etag = read.headers.get('etag') ?? ''
    expect((read.body.meta as { version: string }).version).to.equal(etag)
    expect((await scim.get(`/Users/${id}`, { 'if-none-match': etag })).status).to.equal(304)
    const operations = [{ op: 'replace', path: 'title', value: 'Versioned' }]
    expect((await scim.patch(`/Users/${id}`, operations, { 'if-match': etag })).status).to.equal(200)
    const stale = await scim.patch(`/Users/${id}`, operations, { 'if-match': etag })
    expect([stale.status, stale.body.status]).to.deep.equal([412, '412'])
    expect((await scim.get(`/Users/${id}`, { 'if-none-match': etag })).status).to.equal(200)
  })

  it('are returned with the requested attributes', async () => {
    const id = await scim.user('shown@example.com', { name: { givenName: 'S', familyName: 'H' }, title: 'T' })
    const some = await scim.get(`/Users/${id}?attributes=userName,name.givenName,${userUrn}:title`)
    expect(Object.keys(some.body).sort()).to.deep.equal(['id', 'name', 'schemas', 'title', 'userName'])
    expect(some.body.name).to.deep.equal({ givenName: 'S' })
    const without = await scim.get(`/Users/${id}?excludedAttributes=name.familyName,emails,meta`)
    expect(without.body.name).to.deep.equal({ givenName: 'S' })
    for (const name of ['emails', 'meta']) expect(without.body).not.to.have.property(name)
  })

  describe('when an owner is the last one', () => {
    let owner = ''
    before(async () => {
      owner = await scim.user('last-owner@example.com', { roles: ['owner'] })
      for (const { id } of (await management.get('/v1/users?role=owner')).data) {
        if (id !== owner) await management.put(`/v1/users/${id}`, { role: 'member' })
      }
    })
    const attempts: [string, () => Promise<{ status: number; body: Record<string, unknown> }>][] = [
      [
        'is not deactivated',
        () => scim.patch(`/Users/${owner}`, [{ op: 'replace', path: 'active', value: false }]),
      ],
      ['is not made a member', () => scim.patch(`/Users/${owner}`, [{ op: 'remove', path: 'roles' }])],
      ['is not deleted', () => scim.delete(`/Users/${owner}`)],
    ]
    for (const [title, attempt] of attempts) {
      it(title, async () => {
        const { status, body } = await attempt()
        expect([status, body.status, body.schemas]).to.deep.equal([409, '409', [errorUrn]])
        expect((await management.get(`/v1/users/${owner}`)).body).to.include({
          role: 'owner',
          status: 'active',
        })
      })
    }
  })

  it('are read-only in the management API when the organisation sets that', async () => {
    const id = await scim.user('only-scim@example.com')
    await settle({ scim_settings: { manage_only_by_scim: true } })
    const replies = [
      await management.put(`/v1/users/${id}`, { first_name: 'X' }),
      await management.delete(`/v1/users/${id}`),
      await management.post('/v1/users/invites', { email: 'i@example.com', role: 'member' }),
    ]
    const patched = await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'name.givenName', value: 'S' }])
    await settle({ scim_settings: { manage_only_by_scim: false } })
    for (const { status, error } of replies) expect([status, error.code]).to.deep.equal([403, 'forbidden'])
    expect(patched.status).to.equal(200)
  })

  it('are created once by two concurrent requests', async () => {
    const replies = await Promise.all(
      [1, 2, 3].map(() => scim.post('/Users', { userName: 'race@example.com' })),
    )
    expect(replies.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409])
  })
})
