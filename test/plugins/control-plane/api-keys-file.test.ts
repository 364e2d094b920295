/**
 * Keys in the config file next to stored ones (management contract, sections 1 and 10): listed, counted, not changed.
 */
import { defaultWorkspaceId } from '@gateway/domain'
import { expect } from 'chai'
import { keyHash } from '#config-file/keys'
import { openManagement } from '../../support/management.ts'

const text = 'gw-of-the-config-file-0123456789'

describe('API keys in the config file', () => {
  const admin = openManagement({
    api_keys: [
      {
        name: 'declared',
        key_hash: keyHash(text),
        scopes: ['completions.write', 'prompts.*'],
        workspace: 'default',
      },
    ],
  })
  const find = async () => {
    const { data } = await admin.get('/v1/api-keys?search=declared')
    return data[0] ?? {}
  }

  it('are listed with their source, with a stable id', async () => {
    const key = await find()
    expect(key).to.include({
      name: 'declared',
      source: 'file',
      type: 'workspace-service',
      workspace_id: defaultWorkspaceId,
      status: 'active',
      masked_key: null,
      owner_id: null,
    })
    expect((await admin.get(`/v1/api-keys/${key.id}`)).body).to.include({ id: key.id, source: 'file' })
  })

  it('have the scopes of their wildcards, and no others', async () => {
    const own = admin.as(text)
    const reply = await own.post(
      '/v1/chat/completions',
      { model: 'echo-1', messages: [{ role: 'user', content: 'hello' }] },
      { 'x-gateway-provider': 'echo' },
    )
    expect(reply.status).to.equal(200)
    expect((await own.get('/v1/auth/self')).body.scopes)
      .to.include('prompts.publish')
      .and.not.include('prompts.*')
    expect((await own.get('/v1/configs')).status).to.equal(403)
  })

  it('can only be changed in the file', async () => {
    const { id } = await find()
    const path = `/v1/api-keys/${id}`
    const replies = [
      await admin.put(path, { name: 'other' }),
      await admin.delete(path),
      await admin.post(`${path}/rotate`),
      await admin.delete(`${path}/previous`),
    ]
    expect(replies.map(({ status, error }) => [status, error.code])).to.deep.equal(
      replies.map(() => [409, 'conflict']),
    )
    expect(replies[0]?.error.message).to.contain('gateway.json')
  })

  it('can be used for a session, too', async () => {
    const session = await admin.as(null).post('/v1/auth/login', { api_key: text })
    expect(session.status).to.equal(200)
    const self = await admin.as(String(session.body.token)).get('/v1/auth/self')
    expect(self.body.api_key).to.include({ name: 'declared', source: 'file' })
  })
})
