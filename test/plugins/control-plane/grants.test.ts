/**
 * No caller can grant more permissions than they have: rotating, revealing, adding members, changing roles, inviting.
 */
import { allScopes, classMayHold } from '@gateway/domain'
import { expect } from 'chai'
import { type Management, type ManagementReply, openManagement } from '../../support/management.ts'

const rotateService = 'workspace_service_api_keys.rotate'
const rotateUser = 'workspace_user_api_keys.rotate'
const scopesOf = (keyClass: Parameters<typeof classMayHold>[1]) =>
  allScopes.filter((scope) => classMayHold(scope, keyClass))

describe('privilege escalation is prevented', () => {
  const admin = openManagement()
  let workspace = ''
  let count = 0
  before(async () => {
    workspace = await admin.people.workspace('Grants')
  })

  const person = async (role: 'admin' | 'manager' | 'member', organisationRole?: 'owner' | 'admin') => {
    count += 1
    const email = `person-${count}@example.com`
    const id = await admin.people.user(email, organisationRole)
    await admin.people.member(workspace, id, role)
    return { id, email, session: admin.as(await admin.people.session(id)) }
  }
  const serviceKey = async (scopes: readonly string[]) =>
    admin.as(await admin.people.key({ type: 'workspace-service', workspace, scopes }))
  const organisationKey = async (scopes: readonly string[]) =>
    admin.as(await admin.people.key({ type: 'organisation-service', scopes }))
  const makeKey = async (scopes: readonly string[], more: object = {}, place = 'workspace/service') => {
    const made = await admin.post(`/v1/api-keys/${place}`, {
      name: 'k',
      ...(place.startsWith('workspace') ? { workspace_id: workspace } : {}),
      scopes,
      ...more,
    })
    expect(made.status, made.text).to.equal(200)
    return { path: `/v1/api-keys/${made.body.id}`, id: String(made.body.id) }
  }
  const answer = ({ status, error }: ManagementReply) => [status, error.code]
  const forbidden = [403, 'forbidden']

  const expectHidden = async (caller: Management, path: string) => {
    const rotated = await caller.post(`${path}/rotate`)
    expect(rotated.status, rotated.text).to.equal(200)
    expect(rotated.body).to.have.property('key_transition_expires_at')
    expect(rotated.body).not.to.have.property('key')
    expect(answer(await caller.post(`${path}/reveal`))).to.deep.equal(forbidden)
  }

  describe('in key rotation:', () => {
    it('a caller receives no secret of a service key with more permissions, nor can reveal it', async () => {
      const { path } = await makeKey(['completions.write', 'configs.create', rotateService])
      await expectHidden(await serviceKey([rotateService]), path)
      const able = await serviceKey(['completions.write', 'configs.create', rotateService])
      const revealed = await able.post(`${path}/reveal`)
      expect(revealed.status, revealed.text).to.equal(200)
      const self = await admin.as(String(revealed.body.key)).get('/v1/auth/self')
      expect(self.status).to.equal(200)
      expect((await able.post(`${path}/reveal`)).status).to.equal(404)
    })

    it('a caller receives the secret of a key without further permissions', async () => {
      const { path } = await makeKey([rotateService])
      const rotated = await (await serviceKey([rotateService, 'configs.list'])).post(`${path}/rotate`)
      expect(rotated.body.key).to.be.a('string')
    })

    it('a caller receives the secret of a key whose further scopes no organisation key can have', async () => {
      const { path } = await makeKey(['completions.write', 'configs.list'])
      const caller = await organisationKey([rotateService, 'configs.list'])
      expect((await caller.post(`${path}/rotate`)).body.key).to.be.a('string')
      const weaker = await makeKey(['completions.write', 'configs.create'])
      await expectHidden(caller, weaker.path)
    })

    it('a caller receives no secret of an organisation key with more permissions', async () => {
      const { path } = await makeKey(['organisation_settings.update'], {}, 'organisation/service')
      await expectHidden(await organisationKey(['organisation_service_api_keys.rotate']), path)
    })

    it('only the owner receives the secret of a user key, even if another user rotates it', async () => {
      const owner = await person('admin')
      const { path } = await makeKey(
        ['completions.write', rotateUser],
        { user_id: owner.id },
        'workspace/user',
      )
      const manager = await person('manager')
      await expectHidden(manager.session, path)
      const revealed = await owner.session.post(`${path}/reveal`)
      expect(revealed.status, revealed.text).to.equal(200)
      expect(revealed.body.key).to.be.a('string')
      await admin.delete(`${path}/previous`)
      await expectHidden(admin, path)
      await admin.delete(`${path}/previous`)
      await expectHidden(await serviceKey(scopesOf('workspace-service')), path)
      await admin.delete(`${path}/previous`)
      expect((await owner.session.post(`${path}/rotate`)).body.key).to.be.a('string')
    })

    it("a user's weaker key receives nothing of their stronger one", async () => {
      const { id } = await person('admin')
      const strong = await makeKey(['completions.write', 'configs.create'], { user_id: id }, 'workspace/user')
      const weak = await admin.people.key({
        type: 'workspace-user',
        workspace,
        user: id,
        scopes: [rotateUser],
      })
      await expectHidden(admin.as(weak), strong.path)
    })

    it('a secret that was not shown stays encrypted', async () => {
      const { path, id } = await makeKey(['configs.create'])
      const rotated = await (await serviceKey([rotateService])).post(`${path}/rotate`)
      const stored = await admin.stored('api_key', id)
      const { unread } = (stored?.data ?? {}) as { unread: { sealed: string; until: string } }
      expect(unread.until).to.equal(rotated.body.key_transition_expires_at)
      expect(unread.sealed).to.match(/^sealed:/)
    })
  })

  describe('in workspace roles:', () => {
    const path = () => `/v1/workspaces/${workspace}/users`
    const add = async (caller: Management, role?: string) => {
      count += 1
      const id = await admin.people.user(`new-${count}@example.com`)
      return caller.post(path(), { users: [{ id, ...(role === undefined ? {} : { role }) }] })
    }

    it("a caller cannot add a member with permissions that the caller's key lacks", async () => {
      for (const caller of [
        await serviceKey(['workspace_users.create']),
        await organisationKey(['workspace_users.create']),
        admin.as(
          await admin.people.key({
            type: 'workspace-user',
            workspace,
            user: (await person('admin')).id,
            scopes: ['workspace_users.create'],
          }),
        ),
      ]) {
        for (const role of ['admin', 'manager', 'Admin']) {
          const reply = await add(caller, role)
          expect([role, ...answer(reply), reply.error.param]).to.deep.equal([
            role,
            ...forbidden,
            '/users/0/role',
          ])
        }
        for (const role of ['member', undefined]) expect((await add(caller, role)).status).to.equal(200)
      }
    })

    it('a key with all scopes of its class can add admins', async () => {
      for (const caller of [
        await serviceKey(scopesOf('workspace-service')),
        await organisationKey(scopesOf('organisation-service')),
        (await person('admin')).session,
        admin,
      ]) {
        const reply = await add(caller, 'admin')
        expect(reply.status, reply.text).to.equal(200)
      }
      expect((await add((await person('manager')).session, 'manager')).status).to.equal(200)
      expect(answer(await add((await person('manager')).session, 'admin'))).to.deep.equal(forbidden)
    })

    it('a caller cannot raise a role, but can lower it', async () => {
      const raising = await serviceKey(['workspace_users.update', 'workspace_users.read'])
      const { id } = await person('member')
      const raised = await raising.put(`${path()}/${id}`, { role: 'manager' })
      expect([...answer(raised), raised.error.param]).to.deep.equal([...forbidden, '/role'])
      const all = await serviceKey(scopesOf('workspace-service'))
      expect((await all.put(`${path()}/${id}`, { role: 'manager' })).status).to.equal(200)
      const same = await raising.put(`${path()}/${id}`, { role: 'manager' })
      expect(same.status, same.text).to.equal(200)
    })

    it('a caller cannot create a workspace with an admin', async () => {
      const { id } = await person('member')
      const make = (caller: Management) => {
        count += 1
        return caller.post('/v1/workspaces', { name: `Made ${count}`, users: [{ id, role: 'admin' }] })
      }
      const refused = await make(await organisationKey(['workspaces.create']))
      expect([...answer(refused), refused.error.param]).to.deep.equal([...forbidden, '/users/0/role'])
      expect((await make(admin)).status).to.equal(200)
      expect((await make(await organisationKey(scopesOf('organisation-service')))).status).to.equal(200)
    })

    it('a caller cannot add an admin through an update of the workspace', async () => {
      const { id } = await person('member')
      const caller = await organisationKey(['workspaces.update', 'workspace_users.update'])
      const refused = await caller.put(`/v1/workspaces/${workspace}`, { users: [{ id, role: 'admin' }] })
      expect([...answer(refused), refused.error.param]).to.deep.equal([...forbidden, '/users/0/role'])
    })
  })

  describe('in organisation roles:', () => {
    it('a key without the scopes of an admin cannot make anyone an admin', async () => {
      const { id } = await person('member')
      const weak = await organisationKey(['organisation_users.update'])
      const refused = await weak.put(`/v1/users/${id}`, { role: 'admin' })
      expect([...answer(refused), refused.error.param]).to.deep.equal([...forbidden, '/role'])
      const strong = await organisationKey(scopesOf('organisation-service'))
      expect((await strong.put(`/v1/users/${id}`, { role: 'admin' })).status).to.equal(200)
      expect((await weak.put(`/v1/users/${id}`, { first_name: 'A' })).status).to.equal(200)
      expect((await weak.put(`/v1/users/${id}`, { status: 'deactivated' })).status).to.equal(200)
      const revived = await weak.put(`/v1/users/${id}`, { status: 'active' })
      expect([...answer(revived), revived.error.param]).to.deep.equal([...forbidden, '/status'])
    })

    it('a caller cannot invite with a role, or into a workspace, with more permissions', async () => {
      const weak = await organisationKey(['organisation_users.create'])
      const invite = (caller: Management, body: object) => {
        count += 1
        return caller.post('/v1/users/invites', { email: `i-${count}@example.com`, role: 'member', ...body })
      }
      const refused = await invite(weak, { role: 'admin' })
      expect([...answer(refused), refused.error.param]).to.deep.equal([...forbidden, '/role'])
      for (const role of ['admin', 'manager']) {
        const into = await invite(weak, { workspaces: [{ id: workspace, role }] })
        expect([...answer(into), into.error.param]).to.deep.equal([...forbidden, '/workspaces/0/role'])
      }
      const strong = await organisationKey(scopesOf('organisation-service'))
      for (const caller of [strong, admin, (await person('member', 'admin')).session]) {
        const made = await invite(caller, { role: 'admin', workspaces: [{ id: workspace, role: 'admin' }] })
        expect(made.status, made.text).to.equal(200)
        const again = await weak.post(`/v1/users/invites/${made.body.id}/resend`)
        expect(answer(again)).to.deep.equal(forbidden)
        expect((await strong.post(`/v1/users/invites/${made.body.id}/resend`)).status).to.equal(200)
      }
    })
  })
})
