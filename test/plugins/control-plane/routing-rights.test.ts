/**
 * Configs, guardrails and policies by credentials of workspaces: the objects that each sees, and those that it may not
 * change.
 */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

const regex = { id: 'default.regexMatch', parameters: { rule: 'a' } }
const bodies = {
  '/v1/configs': { name: 'Thing', config: { retry: { attempts: 1 } } },
  '/v1/guardrails': { name: 'Thing', checks: [regex] },
  '/v1/policies/rate-limits': {
    name: 'Thing',
    conditions: [{ key: 'api_key', value: '*' }],
    group_by: [{ key: 'api_key' }],
    type: 'requests',
    unit: 'rpm',
    value: 1,
  },
  '/v1/policies/usage-limits': {
    name: 'Thing',
    conditions: [{ key: 'api_key', value: '*' }],
    group_by: [{ key: 'api_key' }],
    type: 'cost',
    credit_limit: 1,
  },
} as const

const scopes = ['configs', 'guardrails', 'policies'].flatMap((family) =>
  ['create', 'read', 'update', 'delete', 'list'].map((action) => `${family}.${action}`),
)

describe('permissions for configs, guardrails and policies', () => {
  const api = openManagement()
  const workspaces: string[] = []
  let owner = api
  let stranger = api
  let poor = api
  before(async () => {
    for (const name of ['Own', 'Other']) workspaces.push(await api.people.workspace(name))
    const keyOf = async (workspace: string, held: readonly string[]) =>
      api.as(await api.people.key({ type: 'workspace-service', workspace, scopes: held }))
    owner = await keyOf(workspaces[0] ?? '', [...scopes, 'guardrails.invoke'])
    stranger = await keyOf(workspaces[1] ?? '', scopes)
    poor = await keyOf(workspaces[0] ?? '', ['completions.write'])
  })

  for (const [path, body] of Object.entries(bodies)) {
    describe(path, () => {
      let id = ''
      before(async () => {
        const created = await owner.post(path, body)
        expect(created.status, created.text).to.equal(200)
        id = String(created.body.id)
      })

      it('store an object in the workspace of the key that created it', async () => {
        const read = await owner.get(`${path}/${id}`)
        expect(read.body).to.include({ id, workspace_id: workspaces[0] })
      })

      it('hide it from other workspaces', async () => {
        for (const reply of [
          await stranger.get(`${path}/${id}`),
          await stranger.put(`${path}/${id}`, { name: 'Mine' }),
          await stranger.delete(`${path}/${id}`),
        ]) {
          expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([
            404,
            'not_found',
            'path/id',
          ])
        }
        const list = await stranger.get(path)
        expect(list.data.map((each) => each.id)).not.to.include(id)
        const foreign = await stranger.post(path, { ...body, workspace_id: workspaces[0] })
        expect([foreign.status, foreign.error.param]).to.deep.equal([404, '/workspace_id'])
      })

      it('require its scopes', async () => {
        for (const reply of [
          await poor.get(`${path}/${id}`),
          await poor.get(path),
          await poor.post(path, body),
          await poor.put(`${path}/${id}`, { name: 'Mine' }),
          await poor.delete(`${path}/${id}`),
        ]) {
          expect([reply.status, reply.error.code]).to.deep.equal([403, 'missing_scope'])
        }
      })

      it('list it once for callers who see every workspace', async () => {
        const ids = (await api.get(`${path}?page_size=1000`)).data.map((each) => each.id)
        expect(ids.filter((each) => each === id)).to.have.length(1)
        expect(new Set(ids).size).to.equal(ids.length)
      })

      it('record every write in the audit log, also refused ones', async () => {
        const records = await api.audit('page_size=1000')
        const mine = records.filter(({ resource_id }) => resource_id === id)
        expect(
          mine.map(({ action, response_status_code }) => `${action} ${response_status_code}`),
        ).to.include.members(['create 200', 'update 404', 'update 403', 'delete 403'])
      })
    })
  }

  describe('for guardrails of the organisation', () => {
    let id = ''
    before(async () => {
      id = String((await api.post('/v1/guardrails', { name: 'For all', checks: [regex] })).body.id)
    })

    it('list them in every workspace, once', async () => {
      for (const one of [owner, stranger, api]) {
        const ids = (await one.get('/v1/guardrails?page_size=1000')).data.map((each) => each.id)
        expect(ids.filter((each) => each === id)).to.have.length(1)
      }
    })

    it('do not let a workspace change them', async () => {
      const changed = await owner.put(`/v1/guardrails/${id}`, { name: 'Mine' })
      expect([changed.status, changed.error.code]).to.deep.equal([403, 'missing_scope'])
      expect((await owner.delete(`/v1/guardrails/${id}`)).status).to.equal(403)
    })

    it('let only callers who can test guardrails test them', async () => {
      const body = {
        hook: 'beforeRequestHook',
        request: { json: { messages: [{ role: 'user', content: 'a' }] } },
      }
      expect((await owner.post(`/v1/guardrails/${id}/invoke`, body)).body).to.include({ verdict: true })
      const refused = await poor.post(`/v1/guardrails/${id}/invoke`, body)
      expect([refused.status, refused.error.param]).to.deep.equal([403, 'guardrails.invoke'])
    })
  })

  it('do not let workspace scopes create objects of the organisation', async () => {
    const user = await api.people.user('admin-of-one@example.com')
    await api.people.member(workspaces[0] ?? '', user, 'admin')
    const person = api.as(await api.people.session(user))
    const made = await person.post('/v1/guardrails', bodies['/v1/guardrails'], { 'x-gateway-csrf': 'csrf' })
    expect(made.status, made.text).to.equal(403)
  })

  it("prevent the deletion of a key's default config", async () => {
    const config = await owner.post('/v1/configs', { ...bodies['/v1/configs'], slug: 'kept' })
    const [workspace] = workspaces
    const found = await api.gateway.runtime.store.documents.get('workspace', workspace ?? '')
    if (found === null) throw new Error('There is no workspace.')
    const { version, ...document } = found
    const defaults = { ...(document.data.defaults as object), user_api_key_config: 'kept' }
    await api.gateway.runtime.store.documents.commit([
      { op: 'put', document: { ...document, data: { ...document.data, defaults } }, expected: version },
    ])
    const refused = await owner.delete(`/v1/configs/${config.body.id}`)
    expect([refused.status, refused.error.code]).to.deep.equal([409, 'conflict'])
    expect(refused.error.message).to.include('workspace own')
  })
})
