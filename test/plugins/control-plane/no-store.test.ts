/** Answers that hold a new secret are kept by no cache. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('an answer with a new secret', () => {
  const api = openManagement()
  const key = { name: 'k', workspace_id: 'default', type: 'workspace-service', scopes: ['completions.write'] }

  it('is not cacheable: an API key that is created or rotated, an invite, a session', async () => {
    const made = await api.post('/v1/api-keys', key)
    const rotated = await api.post(`/v1/api-keys/${String(made.body.id)}/rotate`)
    const invited = await api.post('/v1/users/invites', { email: 'new@example.com', role: 'member' })
    const signedIn = await api.as(null).post('/v1/auth/login', { api_key: made.body.key })
    for (const reply of [made, rotated, invited, signedIn]) {
      expect(reply.headers.get('cache-control'), reply.text).to.equal('no-store')
    }
  })
})
