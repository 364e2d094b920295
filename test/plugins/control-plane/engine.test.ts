/** The conventions that every resource shares (management.md §1), seen on workspaces. */
import { timeOfId } from '@gateway/domain'
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('the conventions of the management API', () => {
  const api = openManagement()
  let number = 0
  const name = () => `Thing ${++number}`
  const create = async (more: object = {}) =>
    (await api.post('/v1/workspaces', { name: name(), ...more })).body

  it('return the whole object, with a slug made from its name', async () => {
    const created = await api.post('/v1/workspaces', { name: '  Blue Team!  ' })
    expect(created.status, created.text).to.equal(200)
    expect(created.body).to.include({
      object: 'workspace',
      name: 'Blue Team!',
      status: 'active',
      source: 'api',
    })
    expect(created.body.slug).to.match(/^ws-blue-team-[0-9a-f]{6}$/)
    expect(created.body.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('give new objects ids in the order of time', async () => {
    const { id, created_at } = await create()
    expect(timeOfId(String(id))).to.equal(Date.parse(String(created_at)))
  })

  it('serve aliases of a path, and ignore one trailing slash', async () => {
    const { id } = await create()
    for (const root of ['/v1/workspaces', '/workspaces', '/v1/admin/workspaces']) {
      expect((await api.get(`${root}/${id}`)).body.id).to.equal(id)
    }
    expect((await api.get(`/v1/workspaces/${id}/`)).body.id).to.equal(id)
    expect((await api.get(`/v1/Workspaces/${id}`)).status).to.equal(404)
  })

  it('answer 405 with the allowed methods', async () => {
    const reply = await api.call('POST', '/v1/audit-logs', { body: {} })
    expect(reply.status).to.equal(405)
    expect(reply.headers.get('allow')).to.include('GET')
  })

  it('merge updates: absent keeps, null clears, objects merge one level deep', async () => {
    const { id } = await create({
      description: 'one',
      defaults: { metadata: { a: '1' }, allow_config_override: false },
    })
    const changed = await api.patch(`/v1/workspaces/${id}`, { icon: 'x' })
    expect(changed.body).to.include({ description: 'one', icon: 'x' })
    const cleared = await api.put(`/v1/workspaces/${id}`, {
      description: null,
      defaults: { metadata: { b: '2' } },
    })
    expect(cleared.body.description).to.equal(null)
    expect(cleared.body.defaults).to.include({ allow_config_override: false })
    expect((cleared.body.defaults as Record<string, unknown>).metadata).to.deep.equal({ b: '2' })
    const removed = await api.put(`/v1/workspaces/${id}`, { defaults: { metadata: null } })
    expect((removed.body.defaults as Record<string, unknown>).metadata).to.equal(null)
  })

  const refused: [string, unknown, string, string][] = [
    ['an empty body', {}, 'invalid_body', '/'],
    ['no object', [1], 'invalid_body', '/'],
    ['no JSON', '{', 'invalid_json', '/'],
    ['an unknown key', { colour: 1 }, 'invalid_body', ''],
    ['null where nothing can be cleared', { name: null }, 'invalid_body', '/name'],
    ['a name of spaces', { name: '   ' }, 'invalid_body', '/name'],
    ['a long description', { description: 'x'.repeat(1025) }, 'invalid_body', '/description'],
    ['another id', { id: 'x' }, 'invalid_body', '/id'],
    ['another slug', { slug: 'other' }, 'invalid_body', '/slug'],
    ['an unknown status', { status: 'archived' }, 'invalid_body', '/status'],
    ['an unknown key inside', { defaults: { colour: 1 } }, 'invalid_body', '/defaults'],
  ]
  for (const [what, body, code, param] of refused) {
    it(`refuse an update with ${what}`, async () => {
      const { id } = await create()
      const reply = await api.put(`/v1/workspaces/${id}`, body)
      expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([400, code, param])
    })
  }

  it('treat prototype names in a body as ordinary members', async () => {
    for (const [body, code] of [
      ['{"name":"Proto","__proto__":{"slug":"x"}}', 'invalid_json'],
      ['{"name":"Proto","constructor":{}}', 'invalid_body'],
    ]) {
      const reply = await api.post('/v1/workspaces', body)
      expect([reply.status, reply.error.code], body).to.deep.equal([400, code])
    }
    const inherited = await api.post('/v1/workspaces', '{"__proto__":{"name":"Proto"}}')
    expect(inherited.status).to.equal(400)
  })

  it('refuse bodies that are nested too deeply', async () => {
    const deep = `{"name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const path = method === 'POST' ? '/v1/workspaces' : '/v1/workspaces/default'
      const reply = await api.call(method, path, { body: deep })
      expect([reply.status, reply.error.code], method).to.deep.equal([400, 'invalid_body'])
    }
  })

  it('report every error', async () => {
    const reply = await api.post('/v1/workspaces', { name: 5, description: 6, colour: 7 })
    expect(reply.status).to.equal(400)
    expect(reply.error.details?.map(({ param }) => param)).to.include.members(['/name', '/description', ''])
  })

  it('accept the returned object as an update', async () => {
    const { id } = await create({ description: 'same' })
    const read = await api.get(`/v1/workspaces/${id}`)
    const written = await api.put(`/v1/workspaces/${id}`, read.body)
    expect(written.status, written.text).to.equal(200)
    expect({ ...written.body, last_updated_at: 0 }).to.deep.equal({ ...read.body, last_updated_at: 0 })
  })

  it('accept a slug, and refuse one that is taken or reserved', async () => {
    const slug = 'given-slug'
    const first = await create({ slug })
    expect(first.slug).to.equal(slug)
    expect((await api.get(`/v1/workspaces/${slug}`)).body.id).to.equal(first.id)
    const second = await api.post('/v1/workspaces', { name: name(), slug })
    expect([second.status, second.error.code, second.error.param]).to.deep.equal([409, 'conflict', '/slug'])
    for (const bad of ['latest', 'default', 'a b', '']) {
      const reply = await api.post('/v1/workspaces', { name: name(), slug: bad })
      expect([reply.status, reply.error.param], bad).to.deep.equal([400, '/slug'])
    }
  })

  describe('lists', () => {
    const ids = (reply: { data: Record<string, unknown>[] }) => reply.data.map(({ id }) => id)

    it('are paged with either parameter spelling, newest first', async () => {
      for (let index = 0; index < 3; index++) await create({ name: `Paged ${index} ${name()}` })
      const all = await api.get('/v1/workspaces?search=paged&sort=name&order=asc')
      expect(all.body).to.include({
        object: 'list',
        total: 3,
        current_page: 0,
        page_size: 100,
        has_more: false,
      })
      const page = await api.get('/v1/workspaces?search=PAGED&sort=name&order=asc&page_size=2&current_page=1')
      expect(ids(page)).to.deep.equal(ids(all).slice(2))
      const other = await api.get('/v1/workspaces?search=paged&sort=name&order=asc&pageSize=2&currentPage=0')
      expect(ids(other)).to.deep.equal(ids(all).slice(0, 2))
      expect(other.body.has_more).to.equal(true)
      const end = await api.get('/v1/workspaces?search=paged&current_page=9')
      expect(end.body).to.include({ total: 3, has_more: false })
      expect(end.data).to.deep.equal([])
    })

    it('are filtered by ids, skip unknown ones, and ignore unknown parameters', async () => {
      const one = await create()
      const reply = await api.get(
        `/v1/workspaces?ids=${one.id},00000000-0000-4000-8000-000000000000&colour=red`,
      )
      expect(ids(reply)).to.deep.equal([one.id])
    })

    const bad: [string, string][] = [
      ['current_page=-1', 'current_page'],
      ['page_size=0', 'page_size'],
      ['page_size=1001', 'page_size'],
      ['pageSize=x', 'page_size'],
      ['sort=colour', 'sort'],
      ['order=up', 'order'],
      ['status=other', 'status'],
      ['search=', 'search'],
    ]
    for (const [query, param] of bad) {
      it(`refuse ${query}`, async () => {
        const reply = await api.get(`/v1/workspaces?${query}`)
        expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
          400,
          'invalid_query',
          `query/${param}`,
        ])
      })
    }
  })

  describe('deletion', () => {
    it('archives: GET answers 404, lists include it on request, its slug is free, PUT restores it', async () => {
      const { id, slug } = await create({ slug: 'to-archive' })
      const gone = await api.delete(`/v1/workspaces/${id}`)
      expect(gone.body).to.deep.equal({ id, object: 'workspace', deleted: true })
      expect((await api.get(`/v1/workspaces/${id}`)).status).to.equal(404)
      expect((await api.delete(`/v1/workspaces/${id}`)).status).to.equal(404)
      expect((await api.get(`/v1/workspaces/${id}?status=archived`)).body.status).to.equal('archived')
      expect((await api.get('/v1/workspaces?status=archived')).data.map((one) => one.id)).to.include(id)
      expect((await api.get('/v1/workspaces')).data.map((one) => one.id)).not.to.include(id)
      const other = await create({ slug })
      const blocked = await api.put(`/v1/workspaces/${id}`, { status: 'active' })
      expect(blocked.status).to.equal(409)
      await api.delete(`/v1/workspaces/${other.id}`)
      const back = await api.put(`/v1/workspaces/${id}`, { status: 'active' })
      expect([back.status, back.body.status]).to.deep.equal([200, 'active'])
      expect((await api.get(`/v1/workspaces/${slug}`)).body.id).to.equal(id)
    })
  })

  describe('conditions', () => {
    it('allow a write only for the version that was read', async () => {
      const { id } = await create()
      const read = await api.get(`/v1/workspaces/${id}`)
      const etag = read.headers.get('etag') ?? ''
      expect(etag).to.match(/^"[^"]+"$/)
      const fresh = await api.put(`/v1/workspaces/${id}`, { icon: 'a' }, { 'if-match': etag })
      expect(fresh.status).to.equal(200)
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const stale = await api.call(method, `/v1/workspaces/${id}`, {
          body: { icon: 'b' },
          headers: { 'if-match': etag },
        })
        expect([stale.status, stale.error.code, stale.error.type], method).to.deep.equal([
          412,
          'precondition_failed',
          'invalid_request_error',
        ])
      }
    })

    it("answer 304 for the caller's version", async () => {
      const { id } = await create()
      const etag = (await api.get(`/v1/workspaces/${id}`)).headers.get('etag') ?? ''
      const same = await api.get(`/v1/workspaces/${id}`, { 'if-none-match': etag })
      expect([same.status, same.text]).to.deep.equal([304, ''])
      await api.put(`/v1/workspaces/${id}`, { icon: 'c' })
      expect((await api.get(`/v1/workspaces/${id}`, { 'if-none-match': etag })).status).to.equal(200)
    })

    it('lose no concurrent change', async () => {
      const { id } = await create()
      await Promise.all([
        api.put(`/v1/workspaces/${id}`, { icon: 'd' }),
        api.put(`/v1/workspaces/${id}`, { description: 'e' }),
      ])
      expect((await api.get(`/v1/workspaces/${id}`)).body).to.include({ icon: 'd', description: 'e' })
    })
  })

  describe('an idempotency key', () => {
    it('replays the first answer to the same request', async () => {
      const headers = { 'idempotency-key': 'first-key' }
      const body = { name: name() }
      const first = await api.post('/v1/workspaces', body, headers)
      const again = await api.post('/v1/workspaces', body, headers)
      expect(again.body).to.deep.equal(first.body)
      expect(again.headers.get('idempotent-replayed')).to.equal('true')
      expect(first.headers.get('idempotent-replayed')).to.equal(null)
      const found = await api.get(`/v1/workspaces?exact_name=${encodeURIComponent(body.name)}`)
      expect(found.body.total).to.equal(1)
    })

    it('is a conflict with another body', async () => {
      const headers = { 'idempotency-key': 'second-key' }
      await api.post('/v1/workspaces', { name: name() }, headers)
      const other = await api.post('/v1/workspaces', { name: name() }, headers)
      expect([other.status, other.error.code, other.error.param]).to.deep.equal([
        409,
        'conflict',
        'header/idempotency-key',
      ])
    })

    it('runs one of several concurrent requests', async () => {
      const headers = { 'idempotency-key': 'third-key' }
      const body = { name: name() }
      const replies = await Promise.all([1, 2, 3, 4].map(() => api.post('/v1/workspaces', body, headers)))
      const found = await api.get(`/v1/workspaces?exact_name=${encodeURIComponent(body.name)}`)
      expect(found.body.total).to.equal(1)
      for (const reply of replies) expect(reply.status).to.be.oneOf([200, 409])
    })

    it('replays an error as well, and stores the answer encrypted', async () => {
      const headers = { 'idempotency-key': 'fourth-key' }
      const refusedFirst = await api.post('/v1/workspaces', { name: 5 }, headers)
      const again = await api.post('/v1/workspaces', { name: 5 }, headers)
      expect([again.status, again.body]).to.deep.equal([refusedFirst.status, refusedFirst.body])
      const kept = await api.gateway.runtime.store.documents.scan('idempotency', null, 100)
      expect(kept).not.to.have.length(0)
      expect(JSON.stringify(kept)).not.to.include('Thing')
    })

    it('must be printable and at most as long as the limit', async () => {
      const reply = await api.post('/v1/workspaces', { name: name() }, { 'idempotency-key': 'x'.repeat(256) })
      expect([reply.status, reply.error.param]).to.deep.equal([400, 'header/idempotency-key'])
    })
  })

  it('filter by status: active, archived or both', async () => {
    const { body } = await api.post('/v1/workspaces', { name: 'Sought' })
    const path = `/v1/workspaces/${body.id}`
    for (const [status, live, archived] of [
      ['active', 200, 404],
      ['archived', 404, 200],
      ['active,archived', 200, 200],
      ['other', 400, 400],
    ] as const) {
      await api.put(path, { status: 'active' })
      expect((await api.get(`${path}?status=${status}`)).status, status).to.equal(live)
      await api.delete(path)
      expect((await api.get(`${path}?status=${status}`)).status, status).to.equal(archived)
    }
  })

  it('refuse unknown members of an action', async () => {
    const key = { name: 'k', workspace_id: 'default', scopes: ['completions.write'] }
    const { body } = await api.post('/v1/api-keys/workspace/service', key)
    const { status, error } = await api.post(`/v1/api-keys/${body.id}/reveal`, { colour: 'red' })
    expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', ''])
  })

  it("answer 404 for another organisation's object, and for one that does not exist", async () => {
    for (const path of ['/v1/workspaces/none', '/v1/workspaces/00000000-0000-4000-8000-000000000000']) {
      expect((await api.get(path)).error).to.include({ code: 'not_found', param: 'path/id' })
    }
    const list = await api.get('/v1/workspaces?organisation_id=other')
    expect([list.status, list.error.param]).to.deep.equal([404, 'query/organisation_id'])
  })
})
