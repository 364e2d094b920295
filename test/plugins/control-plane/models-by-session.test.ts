/** `GET /models` by a person in a session: the workspace is in the query. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('the model list for a session', () => {
  const api = openManagement({ providers: { mine: { provider: 'echo' } } })

  it('has the models of all workspaces of the person, when the query names none', async () => {
    const [own, other, strange] = await Promise.all(
      ['Own', 'Other', 'Foreign'].map((name) => api.people.workspace(`Spanned ${name}`)),
    )
    const user = await api.people.user('spanning@example.com')
    for (const workspace of [own, other]) await api.people.member(String(workspace), user, 'member')
    for (const [workspace, slug] of [
      [own, 'in-own'],
      [other, 'in-other'],
      [strange, 'in-strange'],
    ]) {
      const config = { provider: '@mine', override_params: { model: 'm' } }
      const made = await api.post('/v1/configs', { name: slug, slug, workspace_id: workspace, config })
      expect(made.status, made.text).to.equal(200)
    }
    const session = api.as(await api.people.session(user))
    const { status, text, data } = await session.get('/v1/models')
    expect(status, text).to.equal(200)
    const ids = data.map(({ id }) => id)
    expect(ids).to.include.members(['#in-own', '#in-other'])
    expect(ids).not.to.include('#in-strange')
    expect(new Set(ids).size).to.equal(ids.length)
    expect((await session.get('/v1/models/%23in-other')).status).to.equal(200)
    expect((await session.get('/v1/models/%23in-strange')).status).to.equal(404)
  })

  it('is empty for a person without a workspace', async () => {
    const session = api.as(await api.people.session(await api.people.user('alone@example.com')))
    const { status, data } = await session.get('/v1/models')
    expect([status, data]).to.deep.equal([200, []])
  })

  for (const role of ['admin', 'manager', 'member'] as const) {
    it(`is returned to a ${role} of the workspace in the query`, async () => {
      const workspace = await api.people.workspace(`Models ${role}`)
      const user = await api.people.user(`models-${role}@example.com`)
      await api.people.member(workspace, user, role)
      const session = api.as(await api.people.session(user))
      for (const name of [workspace, `models-${role}`]) {
        const reply = await session.get(`/v1/models?workspace_id=${name}`)
        expect(reply.status, reply.text).to.equal(200)
        expect((await session.get(`/models?workspace_id=${name}`)).status).to.equal(200)
      }
      const strange = await api.people.workspace(`Strange ${role}`)
      expect((await session.get(`/v1/models?workspace_id=${strange}`)).status).to.equal(404)
    })
  }
})
