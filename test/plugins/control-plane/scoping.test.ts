/**
 * The workspace that a call refers to, its visible objects, and objects of the config file among those of the store.
 */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

const config = { retry: { attempts: 1 } }

describe('the workspace of a management call', () => {
  const api = openManagement({ configs: { 'file-a': config, 'file-b': config, 'file-c': config } })
  let one = ''
  let two = ''
  let keyOne = ''
  before(async () => {
    one = await api.people.workspace('Scope one')
    two = await api.people.workspace('Scope two')
    keyOne = await api.people.key({
      type: 'workspace-service',
      workspace: one,
      scopes: ['configs.create', 'configs.read', 'configs.update', 'configs.delete', 'configs.list'],
    })
  })
  let number = 0
  const create = async (workspace: string, more: object = {}) => {
    const reply = await api.post('/v1/configs', {
      name: `C${++number}`,
      config,
      workspace_id: workspace,
      ...more,
    })
    expect(reply.status, reply.text).to.equal(200)
    return reply.body
  }

  it('is specified by id or slug, in the body before the query', async () => {
    const created = await api.post(`/v1/configs?workspace_id=${two}`, {
      name: 'X',
      config,
      workspace_id: 'scope-one',
    })
    expect(created.body.workspace_id).to.equal(one)
    const queried = await api.post('/v1/configs?workspace_id=scope-two', { name: 'X', config })
    expect(queried.body.workspace_id).to.equal(two)
  })

  it('can be a slug in an object that is sent back', async () => {
    const { id } = await create(one)
    const same = await api.put(`/v1/configs/${id}`, { name: 'Y', workspace_id: 'scope-one' })
    expect([same.status, same.body.name]).to.deep.equal([200, 'Y'])
    const other = await api.put(`/v1/configs/${id}`, { name: 'Z', workspace_id: 'scope-two' })
    expect([other.status, other.error.param]).to.deep.equal([400, '/workspace_id'])
  })

  it('is specified in the body of an action, before the query', async () => {
    const first = await create(one, { slug: 'acted-on' })
    await create(two, { slug: 'acted-on' })
    const rolledBack = await api.post(`/v1/configs/acted-on/rollback?workspace_id=${two}`, {
      version: 1,
      workspace_id: 'scope-one',
    })
    expect([rolledBack.status, rolledBack.body.id]).to.deep.equal([200, first.id])
    const unknown = await api.post('/v1/configs/acted-on/rollback', { version: 1, workspace_id: 'none' })
    expect([unknown.status, unknown.error.param]).to.deep.equal([404, '/workspace_id'])
  })

  it('is required on creation from callers with several workspaces', async () => {
    const reply = await api.post('/v1/configs', { name: 'X', config })
    expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
      400,
      'invalid_body',
      '/workspace_id',
    ])
    const unknown = await api.post('/v1/configs', { name: 'X', config, workspace_id: 'none' })
    expect([unknown.status, unknown.error.param]).to.deep.equal([404, '/workspace_id'])
  })

  it('is the workspace of the key, which can specify no other', async () => {
    const mine = api.as(keyOne)
    const created = await mine.post('/v1/configs', { name: 'Bound', config })
    expect(created.body.workspace_id).to.equal(one)
    expect((await mine.post('/v1/configs', { name: 'X', config, workspace_id: two })).status).to.equal(404)
    expect((await mine.get(`/v1/configs?workspace_id=${two}`)).status).to.equal(404)
    const other = await create(two)
    for (const name of [other.id, other.slug]) {
      expect((await mine.get(`/v1/configs/${name}`)).status).to.equal(404)
      expect((await mine.put(`/v1/configs/${name}`, { name: 'Y' })).status).to.equal(404)
      expect((await mine.delete(`/v1/configs/${name}`)).status).to.equal(404)
    }
    const seen = (await mine.get('/v1/configs')).data.map(({ workspace_id }) => workspace_id)
    expect(new Set(seen)).to.deep.equal(new Set([one, null]))
  })

  it('separates slugs, and is required for a slug that several workspaces have', async () => {
    const first = await create(one, { slug: 'shared-slug' })
    const second = await create(two, { slug: 'shared-slug' })
    expect((await api.get(`/v1/configs/shared-slug?workspace_id=${two}`)).body.id).to.equal(second.id)
    expect((await api.as(keyOne).get('/v1/configs/shared-slug')).body.id).to.equal(first.id)
    const unclear = await api.get('/v1/configs/shared-slug')
    expect([unclear.status, unclear.error.param]).to.deep.equal([400, 'query/workspace_id'])
    const only = await create(two, { slug: 'only-slug' })
    expect((await api.get('/v1/configs/only-slug')).body.id).to.equal(only.id)
  })

  it("is one of the user's workspaces", async () => {
    const user = await api.people.user('several@example.com')
    await api.people.member(one, user, 'member')
    const mine = api.as(await api.people.session(user))
    const other = await create(two)
    const own = await create(one)
    expect((await mine.get(`/v1/configs/${own.id}`)).status).to.equal(200)
    expect((await mine.get(`/v1/configs/${other.id}`)).status).to.equal(404)
    expect((await mine.put(`/v1/configs/${own.id}`, { name: 'Y' })).error.code).to.equal('missing_scope')
    await api.people.member(two, user, 'manager')
    expect((await mine.put(`/v1/configs/${other.id}`, { name: 'Y' })).status).to.equal(200)
    const seen = (await mine.get('/v1/configs?page_size=1000')).data.map(({ id }) => id)
    expect(seen).to.include.members([own.id, other.id])
  })

  it('includes stored and config file objects in one paged list', async () => {
    const workspace = await api.people.workspace('Scope paged')
    for (const name of ['aaa', 'file-aa', 'file-bb', 'zzz']) await create(workspace, { name })
    const query = `workspace_id=${workspace}&sort=name&order=asc`
    const all = await api.get(`/v1/configs?${query}`)
    const names = ['aaa', 'file-a', 'file-aa', 'file-b', 'file-bb', 'file-c', 'zzz']
    expect(all.data.map(({ name }) => name)).to.deep.equal(names)
    expect(all.body.total).to.equal(7)
    for (const size of [1, 2, 3, 4]) {
      const paged: unknown[] = []
      for (let page = 0; page * size < 7; page++) {
        const reply = await api.get(`/v1/configs?${query}&page_size=${size}&current_page=${page}`)
        expect(reply.body.total).to.equal(7)
        expect(reply.body.has_more).to.equal((page + 1) * size < 7)
        paged.push(...reply.data.map(({ name }) => name))
      }
      expect(paged, `pages of ${size}`).to.deep.equal(names)
    }
    const found = await api.get(`/v1/configs?${query}&search=FILE-A`)
    expect(found.data.map(({ name, source }) => [name, source])).to.deep.equal([
      ['file-a', 'file'],
      ['file-aa', 'api'],
    ])
  })

  it('refuses changes to config file objects, and slugs that they have', async () => {
    const declared = await api.get('/v1/configs/file-a')
    expect(declared.body).to.include({ source: 'file', slug: 'file-a' })
    expect((await api.get(`/v1/configs/${declared.body.id}`)).body.slug).to.equal('file-a')
    for (const reply of [
      await api.put('/v1/configs/file-a', { name: 'other' }),
      await api.delete('/v1/configs/file-a'),
      await api.post('/v1/configs', { name: 'Y', slug: 'file-a', config, workspace_id: one }),
    ]) {
      expect([reply.status, reply.error.code]).to.deep.equal([409, 'conflict'])
      expect(reply.error.message).to.include('gateway.json')
    }
  })
})
