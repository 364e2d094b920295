/** `/Groups` of SCIM (management contract, section 9, and its fine print). */
import { expect } from 'chai'
import { groupUrn, openScim } from '../../support/scim.ts'

describe('SCIM groups', () => {
  const scim = openScim()
  const { management } = scim
  const membersOf = async (group: string) =>
    (((await scim.get(`/Groups/${group}`)).body.members ?? []) as { value: string }[]).map(
      ({ value }) => value,
    )
  const settle = (scim_settings: Record<string, unknown>) =>
    management.put('/v1/organisation', { auth_settings: { scim_settings } })

  it('have unique names regardless of case, also after a change', async () => {
    const group = await scim.group('Unique')
    const other = await scim.group('Other')
    const replies = [
      await scim.post('/Groups', { schemas: [groupUrn], displayName: 'UNIQUE' }),
      await scim.patch(`/Groups/${other}`, [{ op: 'replace', path: 'displayName', value: 'unique' }]),
      await scim.put(`/Groups/${other}`, { displayName: 'Unique' }),
    ]
    for (const reply of replies)
      expect([reply.status, reply.body.scimType]).to.deep.equal([409, 'uniqueness'])
    const same = await scim.patch(`/Groups/${group}`, [
      { op: 'replace', path: 'displayName', value: 'unique' },
    ])
    expect(same.status).to.equal(200)
  })

  it('require a name', async () => {
    const reply = await scim.post('/Groups', { schemas: [groupUrn] })
    expect([reply.status, reply.body.scimType]).to.deep.equal([400, 'invalidValue'])
  })

  it('are unchanged after a request with an unknown member', async () => {
    const user = await scim.user('known@example.com')
    const group = await scim.group('Known')
    const value = [{ value: user }, { value: crypto.randomUUID() }]
    const reply = await scim.patch(`/Groups/${group}`, [
      { op: 'replace', path: 'displayName', value: 'Changed' },
      { op: 'add', path: 'members', value },
    ])
    expect([reply.status, reply.body.scimType]).to.deep.equal([400, 'invalidValue'])
    expect((await scim.get(`/Groups/${group}`)).body.displayName).to.equal('Known')
    expect(await membersOf(group)).to.deep.equal([])
    const without = await scim.patch(`/Groups/${group}`, [
      { op: 'add', path: 'members', value: [{ display: 'x' }] },
    ])
    expect([without.status, without.body.scimType]).to.deep.equal([400, 'invalidValue'])
  })

  it('skip archived members or restore them, and keep deactivated ones', async () => {
    const [archived, off] = [await scim.user('archived@example.com'), await scim.user('off@example.com')]
    await scim.delete(`/Users/${archived}`)
    const group = await scim.group('Revived', [archived, off])
    expect(await membersOf(group)).to.deep.equal([off])
    await scim.patch(`/Users/${off}`, [{ op: 'replace', path: 'active', value: false }])
    expect(await membersOf(group)).to.deep.equal([off])
    await settle({ group_based_user_provisioning: true })
    const reply = await scim.patch(`/Groups/${group}`, [
      { op: 'add', path: 'members', value: [{ value: archived }] },
    ])
    await settle({ group_based_user_provisioning: false })
    expect(reply.status).to.equal(204)
    expect(await membersOf(group)).to.have.members([archived, off])
    expect((await management.get(`/v1/users/${archived}`)).body.status).to.equal('active')
  })

  describe('answer PATCH', () => {
    let group = ''
    let user = ''
    before(async () => {
      user = await scim.user('patched@example.com')
      group = await scim.group('Patched')
    })
    const cases: [string, () => Record<string, unknown>[], number][] = [
      ['with a path of members', () => [{ op: 'add', path: 'members', value: [{ value: user }] }], 204],
      ['with only members as its value', () => [{ op: 'add', value: { members: [{ value: user }] } }], 204],
      [
        'that changes no member',
        () => [{ op: 'remove', path: `members[value eq "${crypto.randomUUID()}"]` }],
        204,
      ],
      ['with a name', () => [{ op: 'replace', path: 'displayName', value: 'Patched' }], 200],
      [
        'with a name next to members',
        () => [{ op: 'replace', value: { displayName: 'Patched', members: [{ value: user }] } }],
        200,
      ],
    ]
    for (const [title, operations, status] of cases) {
      it(`${title} with ${status}`, async () => {
        const reply = await scim.patch(`/Groups/${group}`, operations())
        expect(reply.status, reply.text).to.equal(status)
        expect(reply.text === '').to.equal(status === 204)
      })
    }

    it('with a filter that does not select ids with 400', async () => {
      const reply = await scim.patch(`/Groups/${group}`, [{ op: 'remove', path: 'members[type eq "User"]' }])
      expect([reply.status, reply.body.scimType]).to.deep.equal([400, 'invalidFilter'])
    })
  })

  it('apply several member operations in order', async () => {
    const [a, b, c] = [
      await scim.user('order-a@example.com'),
      await scim.user('order-b@example.com'),
      await scim.user('order-c@example.com'),
    ]
    const group = await scim.group('Ordered', [a])
    await scim.patch(`/Groups/${group}`, [
      { op: 'remove', path: 'members' },
      { op: 'add', path: 'members', value: [{ value: b }, { value: c }] },
      { op: 'remove', path: 'members', value: [{ value: c }] },
    ])
    expect(await membersOf(group)).to.deep.equal([b])
    await scim.patch(`/Groups/${group}`, [
      { op: 'remove', path: `members[value eq "${b}"]` },
      { op: 'add', path: 'members', value: { value: b } },
      { op: 'add', path: 'members', value: c },
    ])
    expect(await membersOf(group)).to.have.members([b, c])
  })

  it('lose no member in concurrent changes', async () => {
    const users = await Promise.all(
      Array.from({ length: 12 }, (_, index) => scim.user(`many-${index}@example.com`)),
    )
    const workspace = await management.people.workspace('Concurrent')
    const group = await scim.group('Concurrent')
    await management.post('/v1/scim/workspaces', {
      workspace_id: workspace,
      role: 'member',
      scim_group_id: group,
    })
    const replies = await Promise.all(
      users.map((value) =>
        scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: [{ value }] }]),
      ),
    )
    expect(replies.map(({ status }) => status)).to.deep.equal(users.map(() => 204))
    expect(await membersOf(group)).to.have.members(users)
    expect((await management.get(`/v1/workspaces/${workspace}/users`)).body.total).to.equal(users.length)
  })

  it('have versions', async () => {
    const group = await scim.group('Versioned')
    const etag = (await scim.get(`/Groups/${group}`)).headers.get('etag') ?? ''
    const operations = [{ op: 'replace', path: 'externalId', value: 'v' }]
    expect((await scim.patch(`/Groups/${group}`, operations, { 'if-match': etag })).status).to.equal(200)
    expect((await scim.patch(`/Groups/${group}`, operations, { 'if-match': etag })).status).to.equal(412)
  })

  it('are mapped by name only when the organisation enables it, with its own prefix and separator', async () => {
    await settle({ pattern_mapping: false })
    await scim.group('ws-Unmapped-role-admin')
    expect((await management.get('/v1/workspaces?exact_name=Unmapped')).data).to.deep.equal([])
    await settle({ pattern_mapping: true, workspace_prefix: 'gw/', role_separator: ':' })
    const user = await scim.user('own-words@example.com')
    await scim.group('gw/Own words:Admin', [user])
    const [workspace] = (await management.get('/v1/workspaces?exact_name=Own words')).data
    const { data } = await management.get(`/v1/workspaces/${workspace?.id}/users`)
    expect(data.map(({ id, role }) => [id, role])).to.deep.equal([[user, 'admin']])
    await settle({ workspace_prefix: null, role_separator: null })
  })

  it('are mapped to an existing workspace by its name or slug', async () => {
    const workspace = await management.people.workspace('Existing place')
    const user = await scim.user('existing@example.com')
    const named = await scim.group('ws-existing PLACE-role-member', [user])
    expect((await management.get(`/v1/scim/workspaces?scim_group_id=${named}`)).data).to.have.lengthOf(1)
    await scim.delete(`/Groups/${named}`)
    await scim.group('ws-existing-place-role-manager', [user])
    const { data } = await management.get(`/v1/workspaces/${workspace}/users`)
    expect(data.map(({ id, role }) => [id, role])).to.deep.equal([[user, 'manager']])
  })
})
