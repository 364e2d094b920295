/** `GET /models` by a person in a session: the workspace stands in the query. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('the model list for a session', () => {
  const api = openManagement()
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
