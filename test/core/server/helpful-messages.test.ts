/**
 * Error messages for misspelt names and invalid values contain the path, the error in plain words, and the nearest
 * name.
 */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'

interface Answer {
  error: { message: string; param: string | null }
}

describe('error messages', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({
      providers: { echo: { provider: 'echo' } },
      guardrails: { 'no-secrets': { checks: [{ id: 'default.contains', parameters: { words: ['a'] } }] } },
      configs: { safe: { provider: '@echo' } },
    })
  })
  after(() => gateway.stop())

  const config = (value: object) => ({ 'x-gateway-config': JSON.stringify(value) })
  const cases: [what: string, headers: Record<string, string>, body: object, message: string][] = [
    ['a slug', { 'x-gateway-provider': '@ehco' }, {}, 'Unknown stored provider "ehco". Did you mean "echo"?'],
    [
      'a provider',
      { 'x-gateway-provider': 'opneai' },
      {},
      'Unknown provider "opneai". Did you mean "openai"?',
    ],
    [
      'a slug in the model',
      {},
      { model: '@ecko/echo-1' },
      'Unknown stored provider "ecko". Did you mean "echo"?',
    ],
    ['a config', { 'x-gateway-config': 'saef' }, {}, 'Unknown config "saef". Did you mean "safe"?'],
    ['a config as the model', {}, { model: '#saef' }, 'Unknown config "saef". Did you mean "safe"?'],
    [
      'a check',
      config({ provider: '@echo', input_guardrails: [{ 'default.contians': {} }] }),
      {},
      'x-gateway-config: config/input_guardrails/0/default.contians: Unknown check "default.contians". Did you mean "default.contains"?',
    ],
    [
      'a guardrail',
      config({ provider: '@echo', input_guardrails: ['no-secret'] }),
      {},
      'x-gateway-config: config/input_guardrails/0: Unknown guardrail "no-secret". Did you mean "no-secrets"?',
    ],
    [
      'a key of a config',
      config({ providr: '@echo' }),
      {},
      'x-gateway-config: config: has the unknown key "providr". Did you mean "provider"?',
    ],
    [
      'a value of a list',
      config({ strategy: { mode: 'fallbak' }, targets: [{ provider: '@echo' }] }),
      {},
      'x-gateway-config: config/strategy/mode: must be one of single, loadbalance, fallback, conditional. Did you mean "fallback"?',
    ],
    [
      'an empty list',
      config({ strategy: { mode: 'fallback' }, targets: [] }),
      {},
      'x-gateway-config: config/targets: must not be empty',
    ],
    [
      'too many retries',
      config({ provider: '@echo', retry: { attempts: 99 } }),
      {},
      'x-gateway-config: config/retry/attempts: must be at most 5',
    ],
    [
      'an empty list in the body',
      {},
      { model: '@echo/echo-1', messages: [] },
      '/messages: must not be empty',
    ],
    [
      'a wrong type in the body',
      {},
      { ...chat(), temperature: 'hot' },
      '/temperature: must be a number or null',
    ],
    ['no provider at all', {}, { model: 'gpt-4o' }, 'No provider specified: set "provider" in the config'],
  ]
  for (const [what, headers, body, message] of cases)
    it(`explain ${what}`, async () => {
      const response = await gateway.post('/v1/chat/completions', { ...chat(), ...body }, headers)
      const { error } = (await response.json()) as Answer
      expect(error.message.slice(0, message.length), error.message).to.equal(message)
      expect(error.param).not.to.equal(null)
    })

  it('explain a model that does not exist', async () => {
    const response = await gateway.get('/v1/models/echo-2')
    const { error } = (await response.json()) as Answer
    expect(error.message).to.match(/^Unknown model "echo-2"\. Did you mean "/)
  })

  it('have x-request-id on every answer, also on health checks and unknown routes', async () => {
    for (const path of ['/healthz', '/readyz', '/v1/models', '/v1/no-such-route', '/docs'])
      expect((await gateway.get(path)).headers.get('x-request-id'), path).to.match(/^[0-9a-f-]{36}$/)
  })
})
