/** Restored values belong to one caller, and the cache never returns them to another. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'

describe('a cache below a guardrail that restores redacted values', () => {
  let gateway: TestGateway
  before(async () => {
    const restoring = { checks: [{ id: 'default.pii', parameters: { redact: true, restore: true } }] }
    gateway = await startGateway({
      providers: { echo: { provider: 'echo' } },
      guardrails: { pii: restoring },
    })
  })
  after(() => gateway.stop())

  it("does not return another caller's values", async () => {
    const config = {
      provider: '@echo',
      cache: { mode: 'simple' },
      input_guardrails: ['pii'],
      output_guardrails: ['pii'],
    }
    const ask = async (email: string) => {
      const reply = await gateway.post(
        '/v1/chat/completions',
        chat(`write to ${email}`),
        configHeader(config),
      )
      return reply.text()
    }
    expect(await ask('alice@example.com')).to.include('alice@example.com')
    const other = await ask('bob@example.org')
    expect(other).to.include('bob@example.org')
    expect(other).to.not.include('alice@example.com')
  })
})
