/** Invalid guardrails in the config file stop the start, and are not applied by a reload. */
import { expect } from 'chai'
import { chat, startGateway } from '../../support/gateway.ts'

describe('an invalid guardrail in the config file', () => {
  const files: [name: string, file: Record<string, unknown>, fault: string][] = [
    ['a saved guardrail', { guardrails: { bad: { nothing: {} } } }, '/guardrails/bad/nothing'],
    [
      'a saved guardrail with a wrong parameter',
      { guardrails: { bad: { deny: true, regexMatch: { rule: '(' } } } },
      '/guardrails/bad/regexMatch',
    ],
    [
      'a saved guardrail in the short form whose only check is one of the phase after',
      { guardrails: { bad: { deny: true, notNull: { nonsense: true } } } },
      '/guardrails/bad/notNull',
    ],
    [
      'a saved guardrail with a wrong parameter that has the name id',
      { guardrails: { bad: { checks: [{ id: 'default.notNull', parameters: { id: 1 } }] } } },
      '/guardrails/bad/checks/0/parameters',
    ],
    [
      'a saved config',
      { configs: { prod: { provider: 'echo', input_guardrails: ['nobody'] } } },
      '/configs/prod/input_guardrails/0',
    ],
  ]
  for (const [name, file, fault] of files) {
    it(`stops the start: ${name}`, async () => {
      const faults = await startGateway(file).then(
        async (gateway) => {
          await gateway.stop()
          return []
        },
        (error: { faults: string[] }) => error.faults,
      )
      expect(faults).to.have.length(1)
      expect(faults[0])
        .to.contain(`${fault} `)
        .and.not.match(/is no \w+RequestHook check/)
    })
  }

  it('is reported by a reload, which keeps the running settings', async () => {
    const gateway = await startGateway({
      guardrails: { good: { contains: { operator: 'none', words: ['x'] } } },
    })
    try {
      await gateway.writeConfig({ guardrails: { good: { contians: {} } } })
      expect(await gateway.reload()).to.equal(false)
      const config = JSON.stringify({ provider: 'echo', input_guardrails: ['good'] })
      const reply = await gateway.post('/v1/chat/completions', chat('x'), { 'x-gateway-config': config })
      expect(reply.status).to.equal(246)
      await reply.text()
    } finally {
      await gateway.stop()
    }
  })
})
