/**
 * Guardrails enforced by defaults (management contract, section 4) reflect a change immediately, also for cached keys.
 */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('enforced guardrails', () => {
  const admin = openManagement({ configs: { 'of-file': { provider: 'echo' } } })

  const without = async (slug: string, word: string) => {
    const reply = await admin.post('/v1/guardrails', {
      name: slug,
      slug,
      checks: [{ id: 'default.contains', parameters: { words: [word], operator: 'none' } }],
      actions: { deny: true },
    })
    expect(reply.status, reply.text).to.equal(200)
  }

  it('apply to a config in the config file and to a key that was already in use', async () => {
    await without('gr-zebra', 'zebra')
    await without('gr-hello', 'hello')
    const made = await admin.post('/v1/api-keys/workspace/service', {
      name: 'k',
      workspace_id: 'default',
      scopes: ['completions.write'],
    })
    const call = async () => {
      const body = { model: 'echo-1', messages: [{ role: 'user', content: 'hello' }] }
      const headers = { 'x-gateway-config': 'of-file' }
      return (await admin.as(String(made.body.key)).post('/v1/chat/completions', body, headers)).status
    }
    const prescribe = (input_guardrails: string[]) =>
      admin.put('/v1/organisation', { defaults: { input_guardrails } })
    expect((await prescribe(['gr-zebra'])).status).to.equal(200)
    expect(await call()).to.equal(200)
    expect((await prescribe(['gr-zebra', 'gr-hello'])).status).to.equal(200)
    expect(await call()).to.equal(446)
  })
})
