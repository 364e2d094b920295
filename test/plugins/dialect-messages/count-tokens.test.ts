/**
 * `/v1/messages/count_tokens`: the provider counts if it can; otherwise the count is an estimate and marked as such.
 */
import { expect } from 'chai'
import { estimateTokens } from '#dialect-messages/estimate'
import { openScene } from '../../support/scene.ts'
import { sendJson } from '../../support/upstream.ts'
import { ask, targetOf } from './fixtures.ts'

const path = '/v1/messages/count_tokens'
const mark = 'x-gateway-token-count'

describe('/v1/messages/count_tokens', () => {
  const scene = openScene()

  it('is forwarded to a provider that counts tokens', async () => {
    scene.answers.a = (_request, response) => sendJson(response, 200, { input_tokens: 14 })
    const body = ask('x')
    const reply = await scene.ask(targetOf(scene, 'native', { name: 'a' }), {
      path,
      body,
      headers: { 'anthropic-beta': 'b' },
    })
    expect(scene.seen('a').path).to.equal('/a/v1/messages/count_tokens')
    expect(scene.seen('a').text).to.equal(JSON.stringify(body))
    expect(scene.seen('a').headers).to.include({ 'anthropic-beta': 'b' })
    expect(reply.text).to.equal('{"input_tokens":14}')
    expect(reply.headers.has(mark)).to.equal(false)
  })

  for (const config of [() => targetOf(scene, 'translated', { name: 'a' }), () => ({ provider: 'echo' })]) {
    it('is estimated for other providers, and marked as an estimate', async () => {
      const reply = await scene.ask(config(), { path, body: ask('a few words of text') })
      expect(reply.status).to.equal(200)
      expect(reply.headers.get(mark)).to.equal('estimate')
      expect(reply.body.input_tokens).to.be.a('number').within(5, 15)
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('is refused for a provider without messages', async () => {
    const reply = await scene.ask(
      { ...targetOf(scene, 'translated', { name: 'a' }), provider: 'voyage' },
      { path, body: ask() },
    )
    expect([reply.status, reply.body.type, reply.error.code]).to.deep.equal([
      400,
      'error',
      'unsupported_endpoint',
    ])
  })

  it('is checked by guardrails like a message', async () => {
    const guard = { id: 'no-bad', deny: true, contains: { operator: 'none', words: ['bad'] } }
    const config = targetOf(scene, 'native', { name: 'a', extra: { input_guardrails: [guard] } })
    const reply = await scene.ask(config, { path, body: ask('so bad') })
    expect([reply.status, scene.calls().length]).to.deep.equal([446, 0])
  })

  describe('token estimates', () => {
    const of = (content: unknown, rest: object = {}) => estimateTokens(ask(content, rest as never) as never)
    const words = 'These are some words of plain text that anybody could have written. '
    it('assume about four letters per token, and one token per character without letters', () => {
      expect(of(words.repeat(100))).to.be.within(1500, 1800)
      expect(of('漢字'.repeat(500))).to.be.within(1000, 1100)
      expect(of('')).to.be.below(10)
    })
    it('grow with every part of the request', () => {
      const image = { type: 'image', source: { type: 'url', url: 'x' } }
      const plain = of([{ type: 'text', text: words }])
      const more: [unknown, object?][] = [
        [[{ type: 'text', text: words }, image]],
        [
          [
            { type: 'text', text: words },
            { type: 'tool_result', tool_use_id: 't', content: [image] },
          ],
        ],
        [
          [
            { type: 'text', text: words },
            { type: 'document', source: { type: 'base64', data: 'A'.repeat(9000) } },
          ],
        ],
        [[{ type: 'text', text: words }], { system: 'be kind' }],
        [[{ type: 'text', text: words }], { tools: [{ name: 'n', input_schema: { type: 'object' } }] }],
      ]
      for (const [content, rest] of more) expect(of(content, rest), JSON.stringify(rest)).to.be.above(plain)
    })
  })
})
