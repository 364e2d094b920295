/** Groups that give roles in workspaces (management contract, section 9). */
import { expect } from 'chai'
import { openScim } from '../../support/scim.ts'

describe('the mapping of SCIM groups to workspaces', () => {
  const scim = openScim()
  const { management } = scim
  const map = (body: Record<string, unknown>) => management.post('/v1/scim/workspaces', body)
  const roles = async (workspace: string) => {
    const { data } = await management.get(`/v1/workspaces/${workspace}/users`)
    return Object.fromEntries(data.map(({ id, role, source_group }) => [id, [role, source_group]]))
  }
  const add = (group: string, ...users: string[]) =>
    scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: users.map((value) => ({ value })) }])
  const removeMember = (group: string, user: string) =>
    scim.patch(`/Groups/${group}`, [{ op: 'remove', path: `members[value eq "${user}"]` }])

  it('adds present members at once and later ones when they join, and removes former members with their keys', async () => {
    const workspace = await management.people.workspace('Mapped once')
    const [first, second] = [await scim.user('map1@example.com'), await scim.user('map2@example.com')]
    const group = await scim.group('Mapped', [first])
    const made = await map({ workspace_id: 'mapped-once', role: 'Manager', scim_group_id: group })
    expect(made.status, made.text).to.equal(200)
    expect(made.body).to.deep.include({
      object: 'scim-mapping',
      workspace_id: workspace,
      scim_group: 'Mapped',
      scim_group_id: group,
      role: 'manager',
    })
    expect(await roles(workspace)).to.deep.equal({ [first]: ['manager', 'Mapped'] })
    expect((await add(group, second)).status).to.equal(204)
    expect(Object.keys(await roles(workspace))).to.have.members([first, second])
    const key = await management.people.key({ type: 'workspace-user', workspace, user: first })
    expect((await management.as(key).get('/v1/auth/self')).status).to.equal(200)
    expect((await removeMember(group, first)).status).to.equal(204)
    expect(await roles(workspace)).to.deep.equal({ [second]: ['manager', 'Mapped'] })
    expect((await management.as(key).get('/v1/auth/self')).status).to.equal(401)
  })

  it('creates an empty group for an unknown name, which the identity provider adopts by display name', async () => {
    const workspace = await management.people.workspace('Adopted')
    const made = await map({ workspace_id: workspace, role: 'member', scim_group_name: 'Later pushed' })
    expect(made.status, made.text).to.equal(200)
    const user = await scim.user('adopted@example.com')
    const id = await scim.group('later PUSHED', [user])
    expect(id).to.equal(made.body.scim_group_id)
    expect(await roles(workspace)).to.deep.equal({ [user]: ['member', 'later PUSHED'] })
    const again = await scim.post('/Groups', { displayName: 'Later pushed' })
    expect([again.status, again.body.scimType]).to.deep.equal([409, 'uniqueness'])
  })

  it('assigns the highest role, and the next one when that group is removed', async () => {
    const workspace = await management.people.workspace('Highest')
    const user = await scim.user('highest@example.com')
    const [low, high] = [await scim.group('Low', [user]), await scim.group('High', [user])]
    await map({ workspace_id: workspace, role: 'member', scim_group_id: low })
    await map({ workspace_id: workspace, role: 'admin', scim_group_id: high })
    expect(await roles(workspace)).to.deep.equal({ [user]: ['admin', 'High'] })
    await scim.delete(`/Groups/${high}`)
    expect(await roles(workspace)).to.deep.equal({ [user]: ['member', 'Low'] })
    await removeMember(low, user)
    expect(await roles(workspace)).to.deep.equal({})
  })

  it('restores a manually assigned role when no group assigns one any more', async () => {
    const workspace = await management.people.workspace('By hand')
    const user = await scim.user('by-hand@example.com')
    await management.post(`/v1/workspaces/${workspace}/users`, { users: [{ id: user, role: 'member' }] })
    const group = await scim.group('Hands', [user])
    await map({ workspace_id: workspace, role: 'manager', scim_group_id: group })
    expect(await roles(workspace)).to.deep.equal({ [user]: ['manager', 'Hands'] })
    const change = await management.put(`/v1/workspaces/${workspace}/users/${user}`, { role: 'admin' })
    expect([change.status, change.error.code]).to.deep.equal([409, 'conflict'])
    expect(change.error.message).to.contain('"Hands"')
    await removeMember(group, user)
    expect(await roles(workspace)).to.deep.equal({ [user]: ['member', null] })
  })

  it('keeps members as manual ones when a mapping is deleted, and no longer applies the group', async () => {
    const workspace = await management.people.workspace('Unmapped')
    const user = await scim.user('unmapped@example.com')
    const group = await scim.group('Unmapped', [user])
    const made = await map({ workspace_id: workspace, role: 'manager', scim_group_id: group })
    const gone = await management.delete(`/v1/scim/workspaces/${made.body.id}`)
    expect(gone.body).to.deep.equal({ success: true, id: made.body.id, deleted: true })
    expect(await roles(workspace)).to.deep.equal({ [user]: ['manager', null] })
    await removeMember(group, user)
    expect(await roles(workspace)).to.deep.equal({ [user]: ['manager', null] })
    const changed = await management.put(`/v1/workspaces/${workspace}/users/${user}`, { role: 'member' })
    expect(changed.status).to.equal(200)
    expect((await management.delete(`/v1/scim/workspaces/${made.body.id}`)).status).to.equal(404)
  })

  it('refuses a role with more permissions than the key that maps the group', async () => {
    const workspace = await management.people.workspace('Granted')
    const user = await scim.user('granted@example.com')
    const group = await scim.group('Granted', [user])
    const mapper = await management.people.key({
      type: 'organisation-service',
      scopes: ['scim_mappings.create', 'scim_mappings.list'],
    })
    const mapAs = (credential: string, role: string, named: Record<string, unknown>) =>
      management.as(credential).post('/v1/scim/workspaces', { workspace_id: workspace, role, ...named })
    for (const role of ['admin', 'manager']) {
      for (const named of [{ scim_group_id: group }, { scim_group_name: 'Not pushed yet' }]) {
        const { status, error } = await mapAs(mapper, role, named)
        expect([status, error.code, error.param], role).to.deep.equal([403, 'forbidden', '/role'])
      }
    }
    expect(await roles(workspace)).to.deep.equal({})
    expect((await mapAs(mapper, 'member', { scim_group_id: group })).status).to.equal(200)
    expect(await roles(workspace)).to.deep.equal({ [user]: ['member', 'Granted'] })
    const boss = await management.people.session(await management.people.user('boss@example.com', 'admin'))
    const other = await scim.group('Bosses', [user])
    const made = await management
      .as(boss)
      .post(
        '/v1/scim/workspaces',
        { workspace_id: workspace, role: 'admin', scim_group_id: other },
        { 'x-gateway-csrf': 'csrf' },
      )
    expect(made.status, made.text).to.equal(200)
    expect(await roles(workspace)).to.deep.equal({ [user]: ['admin', 'Bosses'] })
  })

  it('shows the new name of a renamed group with its members', async () => {
    const workspace = await management.people.workspace('Renamed')
    const user = await scim.user('renamed@example.com')
    const group = await scim.group('Before', [user])
    await map({ workspace_id: workspace, role: 'member', scim_group_id: group })
    await scim.patch(`/Groups/${group}`, [{ op: 'replace', path: 'displayName', value: 'After' }])
    expect(await roles(workspace)).to.deep.equal({ [user]: ['member', 'After'] })
  })

  it('maps a group whose name contains workspace and role, and creates the workspace', async () => {
    const user = await scim.user('pattern@example.com')
    const group = await scim.group('ws-Marketing-role-Manager', [user])
    const [workspace] = (await management.get('/v1/workspaces?exact_name=Marketing')).data
    expect(await roles(String(workspace?.id))).to.deep.equal({
      [user]: ['manager', 'ws-Marketing-role-Manager'],
    })
    const listed = await management.get(`/v1/scim/workspaces?scim_group_id=${group}`)
    expect(listed.body).to.deep.include({ object: 'list', total_count: 1, total: 1, page: 0, page_size: 100 })
    expect(listed.body.mappings).to.deep.equal(listed.data)
    await scim.patch(`/Groups/${group}`, [
      { op: 'replace', path: 'displayName', value: 'ws-Marketing-role-member' },
    ])
    expect(await roles(String(workspace?.id))).to.deep.equal({
      [user]: ['member', 'ws-Marketing-role-member'],
    })
    await scim.delete(`/Groups/${group}`)
    expect(await roles(String(workspace?.id))).to.deep.equal({})
    expect((await management.get(`/v1/workspaces/${workspace?.id}`)).status).to.equal(200)
  })

  describe('is refused', () => {
    let group = ''
    before(async () => {
      await management.people.workspace('Refused')
      await management.people.workspace('Refused too')
      group = await scim.group('Refused')
      await map({ workspace_id: 'refused', role: 'member', scim_group_id: group })
    })
    const cases: [string, () => Record<string, unknown>, [number, string, string | null]][] = [
      [
        'without a group',
        () => ({ workspace_id: 'refused', role: 'member' }),
        [400, 'invalid_body', '/scim_group_id'],
      ],
      [
        'with two groups',
        () => ({ workspace_id: 'refused', role: 'member', scim_group_id: group, scim_group_name: 'x' }),
        [400, 'invalid_body', '/scim_group_id'],
      ],
      [
        'with an unknown role',
        () => ({ workspace_id: 'refused', role: 'owner', scim_group_id: group }),
        [400, 'invalid_body', '/role'],
      ],
      [
        'for an unknown workspace',
        () => ({ workspace_id: 'nowhere', role: 'member', scim_group_id: group }),
        [404, 'not_found', '/workspace_id'],
      ],
      [
        'for an unknown group',
        () => ({ workspace_id: 'refused', role: 'member', scim_group_id: crypto.randomUUID() }),
        [404, 'not_found', '/scim_group_id'],
      ],
      [
        'for a name that maps itself',
        () => ({ workspace_id: 'refused', role: 'member', scim_group_name: 'ws-A-role-admin' }),
        [400, 'invalid_body', '/scim_group_name'],
      ],
      [
        'for a pair that exists',
        () => ({ workspace_id: 'refused', role: 'member', scim_group_id: group }),
        [409, 'conflict', null],
      ],
      [
        'for a second role of the group',
        () => ({ workspace_id: 'refused-too', role: 'admin', scim_group_id: group }),
        [409, 'conflict', null],
      ],
    ]
    for (const [title, body, expected] of cases) {
      it(title, async () => {
        const { status, error } = await map(body())
        expect([status, error.code, error.param ?? null]).to.deep.equal(expected)
      })
    }
  })

  it('lists groups with the number of their members and their mappings', async () => {
    const user = await scim.user('counted@example.com')
    const group = await scim.group('Counted group', [user])
    const { data } = await management.get('/v1/scim/groups?search=counted')
    expect(data).to.deep.equal([
      { id: group, display_name: 'Counted group', external_id: null, member_count: 1, mappings: [] },
    ])
  })
})
