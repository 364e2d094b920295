/** Members of workspaces: who joins, in what role, and who may change that (management.md §6). */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('the members of a workspace', () => {
  const api = openManagement()
  let number = 0
  const create = async (more: object = {}) => {
    const reply = await api.post('/v1/workspaces', { name: `Space ${++number}`, ...more })
    expect(reply.status, reply.text).to.equal(200)
    return reply.body as Record<string, unknown> & { id: string; name: string }
  }
  const person = (role?: 'owner' | 'admin' | 'member') =>
    api.people.user(`person${++number}@example.com`, role)
  const sessionOf = async (user: string) => api.as(await api.people.session(user))

  it('are users of the organisation, named by id or e-mail address', async () => {
    const [first, second] = [await person(), await person()]
    const address = `address${++number}@example.com`
    const third = await api.people.user(address)
    const { id } = await create({ users: [first, { id: second, role: 'Manager' }, address.toUpperCase()] })
    const read = await api.get(`/v1/workspaces/${id}`)
    const members = read.body.users as Record<string, unknown>[]
    expect(members.map((one) => [one.id, one.role])).to.have.deep.members([
      [first, 'member'],
      [second, 'manager'],
      [third, 'member'],
    ])
    expect(members.find((one) => one.id === third)).to.include({
      object: 'workspace-user',
      email: address,
      org_role: 'member',
      workspace_id: id,
      status: 'active',
    })
    const list = await api.get(`/v1/workspaces/${id}/users?role=manager`)
    expect(list.data.map((one) => one.id)).to.deep.equal([second])
    expect((await api.get(`/v1/workspaces/${id}/users?email=${address}`)).body.total).to.equal(1)
    expect((await api.get(`/v1/workspaces/${id}/users/${second}`)).body.role).to.equal('manager')
  })

  it('are all added, or none of them', async () => {
    const { id } = await create()
    const user = await person()
    const wrong = await api.post(`/v1/workspaces/${id}/users`, {
      users: [{ id: user }, { email: 'no@example.com' }],
    })
    expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/users/1'])
    expect((await api.get(`/v1/workspaces/${id}/users`)).body.total).to.equal(0)
    const joined = await api.post(`/v1/workspaces/${id}/users`, { users: [{ id: user, role: 'ADMIN' }] })
    expect(joined.data.map((one) => [one.id, one.role])).to.deep.equal([[user, 'admin']])
    const twice = await api.post(`/v1/workspaces/${id}/users`, { users: [{ id: user }] })
    expect([twice.status, twice.error.code]).to.deep.equal([409, 'conflict'])
    expect((await api.post(`/v1/workspaces/${id}/users`, { users: [] })).status).to.equal(400)
  })

  it('can get other roles, and lose their keys when they leave', async () => {
    const user = await person()
    const { id } = await create({ users: [user] })
    const changed = await api.put(`/v1/workspaces/${id}/users/${user}`, { role: 'manager' })
    expect(changed.body.role).to.equal('manager')
    const key = await api.people.key({
      type: 'workspace-user',
      workspace: id,
      user,
      scopes: ['configs.list'],
    })
    expect((await api.as(key).get('/v1/configs')).status).to.equal(200)
    const gone = await api.delete(`/v1/workspaces/${id}/users/${user}`)
    expect(gone.body).to.deep.equal({ id: user, object: 'workspace-user', deleted: true })
    expect((await api.get(`/v1/workspaces/${id}/users/${user}`)).status).to.equal(404)
    expect((await api.as(key).get('/v1/configs')).status).to.equal(401)
  })

  it('cannot assign a role above their own', async () => {
    const { id } = await create()
    const [manager, other, boss] = [await person(), await person(), await person()]
    await api.people.member(id, manager, 'manager')
    await api.people.member(id, boss, 'admin')
    const mine = api.as(await api.people.session(manager))
    const refused = await mine.post(`/v1/workspaces/${id}/users`, { users: [{ id: other, role: 'admin' }] })
    expect([refused.status, refused.error.code, refused.error.param]).to.deep.equal([
      403,
      'forbidden',
      '/users/0/role',
    ])
    expect((await mine.post(`/v1/workspaces/${id}/users`, { users: [{ id: other }] })).status).to.equal(200)
    expect((await mine.put(`/v1/workspaces/${id}/users/${other}`, { role: 'admin' })).error.code).to.equal(
      'forbidden',
    )
    expect((await mine.delete(`/v1/workspaces/${id}/users/${boss}`)).error.code).to.equal('forbidden')
  })

  it('keep a role that a group assigns', async () => {
    const user = await person()
    const { id } = await create({ users: [user] })
    const { documents } = api.gateway.runtime.store
    const member = await documents.findByKey('member', `member:${id}/${user}`)
    if (member === null) throw new Error('There is no member.')
    await documents.commit([
      { op: 'put', document: { ...member, data: { ...member.data, source_group: 'Staff' } } },
    ])
    for (const reply of [
      await api.put(`/v1/workspaces/${id}/users/${user}`, { role: 'admin' }),
      await api.delete(`/v1/workspaces/${id}/users/${user}`),
    ]) {
      expect(reply.status).to.equal(409)
      expect(reply.error.message).to.include('Staff')
    }
  })

  it('with a higher role, and owners, cannot be changed by others', async () => {
    await api.put('/v1/organisation', { settings: { security_settings: { managersUpdateWs: true } } })
    const [manager, boss, owner] = [await person(), await person(), await person('owner')]
    const { id } = await create({
      users: [{ id: manager, role: 'manager' }, { id: boss, role: 'admin' }, owner],
    })
    const asManager = await sessionOf(manager)
    const demoted = await asManager.put(`/v1/workspaces/${id}`, { users: [{ id: boss, role: 'member' }] })
    expect([demoted.status, demoted.error.code, demoted.error.param]).to.deep.equal([
      403,
      'forbidden',
      '/users/0',
    ])
    const asBoss = await sessionOf(boss)
    for (const reply of [
      await asBoss.put(`/v1/workspaces/${id}/users/${owner}`, { role: 'manager' }),
      await asBoss.delete(`/v1/workspaces/${id}/users/${owner}`),
    ]) {
      expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
        403,
        'forbidden',
        'path/userId',
      ])
    }
    expect((await (await sessionOf(owner)).delete(`/v1/workspaces/${id}/users/${owner}`)).status).to.equal(
      200,
    )
    await api.put('/v1/organisation', { settings: { security_settings: { managersUpdateWs: null } } })
  })

  it('can be changed only with the scope for it, by any route', async () => {
    const user = await person()
    const { id } = await create({ users: [user] })
    const key = await api.people.key({
      type: 'workspace-service',
      workspace: id,
      scopes: ['workspaces.update', 'workspace_users.create'],
    })
    const changed = await api.as(key).put(`/v1/workspaces/${id}`, { users: [{ id: user, role: 'admin' }] })
    expect([changed.status, changed.error.param]).to.deep.equal([403, 'workspace_users.update'])
    const joined = await api.as(key).put(`/v1/workspaces/${id}`, { users: [await person()] })
    expect(joined.status, joined.text).to.equal(200)
  })

  it('can be sent back as they were read, with the version that was read', async () => {
    const user = await person()
    const { id } = await create({ users: [user] })
    const path = `/v1/workspaces/${id}/users/${user}`
    const read = await api.get(path)
    const etag = read.headers.get('etag') ?? ''
    expect((await api.get(path, { 'if-none-match': etag })).status).to.equal(304)
    const sent = await api.call('PUT', path, {
      body: { ...read.body, role: 'manager' },
      headers: { 'if-match': etag },
    })
    expect([sent.status, sent.body.role], sent.text).to.deep.equal([200, 'manager'])
    for (const method of ['PUT', 'DELETE'] as const) {
      const late = await api.call(method, path, {
        body: method === 'PUT' ? { role: 'admin' } : undefined,
        headers: {
          'if-match': etag,
        },
      })
      expect([late.status, late.error.code], method).to.deep.equal([412, 'precondition_failed'])
    }
    const other = await api.put(path, { role: 'manager', email: 'other@example.com' })
    expect([other.status, other.error.param]).to.deep.equal([400, '/email'])
    expect((await api.put(path, { role: 'manager', colour: 1 })).status).to.equal(400)
  })

  it('are listed in order, and unknown parameters are refused', async () => {
    const users = [await person(), await person()]
    const { id } = await create({ users })
    const list = (query: string) => api.get(`/v1/workspaces/${id}/users?${query}`)
    const names = async (query: string) => (await list(query)).data.map(({ email }) => String(email))
    const sorted = (await names('')).sort()
    expect(await names('sort=name&order=asc')).to.deep.equal(sorted)
    expect(await names('sort=name&order=desc')).to.deep.equal(sorted.reverse())
    expect((await list('role=Member,%20ADMIN')).body.total).to.equal(2)
    for (const [query, param] of [
      ['role=boss', 'query/role'],
      ['sort=colour', 'query/sort'],
      ['page_size=0', 'query/page_size'],
    ] as const) {
      const reply = await list(query)
      expect([reply.status, reply.error.code, reply.error.param], query).to.deep.equal([
        400,
        'invalid_query',
        param,
      ])
    }
    expect((await list('organisation_id=other')).status).to.equal(404)
  })

  it('are specified only by an id or e-mail address and a role', async () => {
    const user = await person()
    for (const [entry, param] of [
      [{ id: user, colour: 1 }, '/users/0'],
      [{}, '/users/0'],
      [{ id: user, role: 'boss' }, '/users/0/role'],
    ] as const) {
      const reply = await api.post('/v1/workspaces', { name: `Never ${++number}`, users: [entry] })
      expect([reply.status, reply.error.param], JSON.stringify(entry)).to.deep.equal([400, param])
    }
  })
})
