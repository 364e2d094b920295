/** Members that coding agents send to every model, at providers that refuse them. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../support/gateway.ts'
import { openUpstream, type Upstream } from '../support/upstream.ts'

describe('members that agents send to every model', () => {
  let gateway: TestGateway
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const cases: [what: string, sent: Record<string, unknown>, reached: Record<string, unknown>][] = [
    ['max_tokens is renamed for GPT-5', { model: 'gpt-5', max_tokens: 7 }, { max_completion_tokens: 7 }],
    ['max_tokens is renamed for o-models', { model: 'o4-mini', max_tokens: 7 }, { max_completion_tokens: 7 }],
    [
      'max_tokens makes way for the newer limit',
      { model: 'gpt-5.4', max_tokens: 7, max_completion_tokens: 9 },
      { max_completion_tokens: 9 },
    ],
    ['max_tokens reaches other models', { model: 'gpt-4.1', max_tokens: 7 }, { max_tokens: 7 }],
    [
      'max_completion_tokens reaches GPT-5',
      { model: 'gpt-5', max_completion_tokens: 7 },
      { max_completion_tokens: 7 },
    ],
  ]
  for (const [what, sent, reached] of cases) {
    it(what, async () => {
      const answer = await gateway.post(
        '/v1/chat/completions',
        chat('hello', sent),
        configHeader(target(upstream.url)),
      )
      expect(answer.status).to.equal(200)
      const { max_tokens, max_completion_tokens } = upstream.seen.at(-1)?.json ?? {}
      const limits = { ...(max_tokens === undefined ? {} : { max_tokens }) }
      expect({
        ...limits,
        ...(max_completion_tokens === undefined ? {} : { max_completion_tokens }),
      }).to.deep.equal(reached)
    })
  }
  for (const provider of ['groq', 'cerebras']) {
    it(`prompt_cache_key does not reach ${provider}`, async () => {
      const body = { model: 'test-model', input: 'hello', prompt_cache_key: 'session-1' }
      const to = configHeader({ ...target(upstream.url), provider })
      expect((await gateway.post('/v1/responses', body, to)).status).to.equal(200)
      expect(upstream.seen.at(-1)?.json).not.to.have.property('prompt_cache_key')
    })
  }
})
