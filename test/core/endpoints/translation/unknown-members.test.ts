/** Members that the gateway does not know never reach a provider of another format, unless a config adds them. */
import { expect } from 'chai'
import { chat } from '../../../support/gateway.ts'
import { openScene } from '../../../support/scene.ts'

const secret = { client_metadata: { installation_id: 'i', session_id: 's' }, novelty: 1 }

const bodies: Record<string, Record<string, unknown>> = {
  '/v1/responses': { model: 'm', input: 'x' },
  '/v1/messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  '/v1beta/models/m:generateContent': { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
}

describe('unknown members of a body', () => {
  const scene = openScene()
  // This provider has only chat completions.
  const leaf = (extra = {}) => scene.leaf('a', { provider: 'groq', ...extra })

  for (const [path, body] of Object.entries(bodies)) {
    const ask = (config: unknown, more: object) => scene.ask(config, { path, body: { ...body, ...more } })

    it(`of ${path} do not reach a chat provider`, async () => {
      const reply = await ask(leaf(), secret)
      expect(reply.status, reply.text).to.equal(200)
      const known = ['model', 'messages', 'max_completion_tokens', 'max_tokens']
      expect(known).to.include.members(Object.keys(scene.seen('a').json ?? {}))
    })

    it(`of ${path} are added by override_params and extra_body, the config's last`, async () => {
      const reply = await ask(leaf({ override_params: { seed: 2, logit_bias: null } }), {
        extra_body: { seed: 1, top_k: 3 },
      })
      expect(reply.status, reply.text).to.equal(200)
      expect(scene.seen('a').json).to.include({ seed: 2, top_k: 3 }).and.not.to.have.property('extra_body')
    })

    it(`of ${path} are added by override_params of every node above`, async () => {
      const config = {
        strategy: { mode: 'fallback' },
        override_params: { seed: 1, top_k: 3 },
        targets: [leaf({ override_params: { seed: 2 } })],
      }
      await ask(config, {})
      expect(scene.seen('a').json).to.include({ seed: 2, top_k: 3 })
    })

    for (const name of ['messages', 'model', 'tools', 'stream', 'max_tokens']) {
      it(`of ${path} cannot be ${name} in extra_body, which guardrails and limits would not see`, async () => {
        const reply = await ask(leaf(), { extra_body: { [name]: [] } })
        expect(reply.status).to.equal(400)
        expect(reply.text).to.include('"invalid_body"')
        expect(reply.error.message).to.include(`/extra_body/${name}`)
        expect(scene.calls()).to.deep.equal([])
      })
    }
  }

  it('of a chat reach a chat provider', async () => {
    await scene.ask(leaf(), { body: chat('x', secret) })
    expect(scene.seen('a').json).to.deep.include(secret)
  })
})
