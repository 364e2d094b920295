/** Guardrails of the gateway, a workspace and a key, which no request can switch off. */
import { hash } from 'node:crypto'
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'

const forbids = (word: string) => ({
  checks: [{ id: 'default.contains', parameters: { words: [word], operator: 'none' } }],
  deny: true,
})
const key = 'key-of-a-team-0123456789'
const apiKey = {
  name: 'team',
  key_hash: `sha256:${hash('sha256', key)}`,
  scopes: ['completions.write'],
  workspace: 'careful',
  defaults: { output_guardrails: ['no-okay'] },
}

describe('guardrails that a request cannot switch off', () => {
  const scene = openScene((origin) => ({
    providers: { house: { provider: 'openai', api_key: 'sk-house', custom_host: `${origin}/house/v1` } },
    guardrails: {
      'no-gateway': forbids('gatewaywide'),
      'no-space': forbids('spacewide'),
      'no-okay': forbids('okay'),
    },
    plugins: { input_guardrails: ['no-gateway'] },
    workspaces: { careful: { defaults: { input_guardrails: ['no-space'] } } },
    api_keys: [apiKey],
  }))
  const asTeam = { headers: { 'x-gateway-api-key': key } }
  const denied = async (config: unknown, text: string, options = {}) => {
    const reply = await scene.ask(config, { body: chat(text), ...options })
    return reply.status === 446
  }

  it('apply to every key, with any config', async () => {
    expect(await denied({ provider: '@house' }, 'gatewaywide')).to.equal(true)
    expect(await denied({ provider: '@house', input_guardrails: [] }, 'gatewaywide')).to.equal(true)
    expect(await denied({ provider: '@house' }, 'hello')).to.equal(false)
    expect(scene.calls()).to.deep.equal(['house'])
  })

  it('of a workspace apply only in that workspace', async () => {
    expect(await denied({ provider: '@house' }, 'spacewide')).to.equal(false)
    expect(await denied({ provider: '@house' }, 'spacewide', asTeam)).to.equal(true)
  })

  it('check the text that override_params of a target inserts', async () => {
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@house', override_params: chat('gatewaywide') }],
    }
    expect(await denied(config, 'hello')).to.equal(true)
    expect(scene.calls()).to.deep.equal([])
  })

  it('of a key apply to its answers, in addition to those of its config', async () => {
    scene.answers = {
      house: (_request, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({
            choices: [
              { index: 0, message: { role: 'assistant', content: 'all okay' }, finish_reason: 'stop' },
            ],
          }),
        )
      },
    }
    const config = {
      strategy: {
        mode: 'conditional',
        conditions: [{ query: { 'params.model': 'test-model' }, then: 'a' }],
        default: 'a',
      },
      targets: [{ name: 'a', provider: '@house', output_guardrails: [forbids('nothing')] }],
    }
    const reply = await scene.ask(config, asTeam)
    expect(reply.status).to.equal(446)
    const results = reply.body.hook_results as { after_request_hooks: { id: string }[] }
    expect(results.after_request_hooks.map(({ id }) => id)).to.deep.equal([
      'no-okay',
      'config/targets/0/output_guardrails/0',
    ])
    expect((await scene.ask(config)).status).to.equal(200)
  })
})
