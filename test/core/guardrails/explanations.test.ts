/** A denial gives its reason: each of the shipped checks has a sentence for it, without the finding. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH'

const checks: readonly [id: string, parameters: Record<string, unknown>, text: string, says: string][] = [
  ['regexMatch', { rule: 'hunter\\d', not: true }, 'my hunter2', 'it matches a disallowed pattern'],
  ['regexMatch', { rule: 'ticket' }, 'hunter2', 'it does not match a required pattern'],
  ['contains', { operator: 'none', words: ['hunter2'] }, 'hunter2', 'it contains a disallowed word'],
  ['wordCount', { minWords: 3, maxWords: 9 }, 'hunter2', 'it must have at least 3 and at most 9 words'],
  ['endsWith', { suffix: 'please' }, 'hunter2', 'it does not have the required ending'],
  ['secrets', {}, key, 'it contains a secret, such as an API key or a private key'],
  ['modelWhitelist', { models: ['other'] }, 'hunter2', 'the model is not allowed'],
  [
    'requiredMetadataKeys',
    { metadataKeys: ['team'], operator: 'all' },
    'hunter2',
    'required metadata is missing',
  ],
]

describe('the message of a denial', () => {
  const api = openManagement({ providers: { main: { provider: 'echo' } } })

  for (const [id, parameters, text, says] of checks)
    it(`gives the reason why ${id} ${JSON.stringify(parameters)} failed, without the finding`, async () => {
      const config = {
        provider: '@main',
        input_guardrails: [{ id: 'rule', deny: true, checks: [{ id: `default.${id}`, parameters }] }],
      }
      const headers = { 'x-gateway-config': JSON.stringify(config) }
      const { status, body } = await api.post('/v1/chat/completions', chat(text), headers)
      expect(status, JSON.stringify(body)).to.equal(446)
      const { message } = body.error as { message: string }
      expect(message).to.equal(`Guardrail "rule" denied the request: ${says} (default.${id}).`)
      expect(message).to.not.include('hunter2').and.not.include(key)
    })
})
