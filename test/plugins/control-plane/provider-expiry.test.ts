/** Expired providers: recorded once, also in the audit log, and otherwise unchanged. */
import { expect } from 'chai'
import { createProviderExpiry } from '#control-plane/providers/expiry'
import { openManagement } from '../../support/management.ts'

describe('the expiry of providers', () => {
  const api = openManagement()

  it('is stored when it is reached, and no sooner', async () => {
    const made = await api.post('/v1/integrations', {
      name: 'Echo',
      ai_provider_id: 'echo',
      workspace_id: 'default',
    })
    const { id } = made.body.default_provider as { id: string }
    await api.put(`/v1/providers/${id}`, { expires_at: '2099-01-01T00:00:00Z' })
    const { documents } = api.gateway.runtime.store
    let now = Date.UTC(2098, 11, 31)
    const job = createProviderExpiry({ documents, now: () => now })
    const status = async () => (await api.stored('provider', id))?.status
    await job.run(now)
    expect(await status()).to.equal('active')
    now = Date.UTC(2099, 0, 1)
    await job.run(now)
    expect(await status()).to.equal('expired')
    const version = (await api.stored('provider', id))?.version
    await job.run(now)
    expect((await api.stored('provider', id))?.version).to.equal(version)
    await api.put(`/v1/providers/${id}`, { expires_at: null })
    expect(await status()).to.equal('active')
  })
})
