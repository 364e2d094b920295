/** JSON Schemas that a caller sends in an inline config: none keeps other requests waiting. */
import { expect } from 'chai'
import { doublingSchema } from '../../support/doubling-schema.ts'
import { openScene } from '../../support/scene.ts'
import { chatAnswer, sendJson } from '../../support/upstream.ts'

describe('a JSON Schema in an inline config', () => {
  const scene = openScene()
  const judged = (schema: object, rest: object = {}) =>
    scene.leaf('a', { output_guardrails: [{ id: 'json', deny: true, ...rest, jsonSchema: { schema } }] })
  const says = (text: string) => {
    scene.answers.a = (_request, response) => sendJson(response, 200, chatAnswer(text))
  }

  for (const keyword of ['anyOf', 'allOf', 'oneOf'])
    it(`that refers twice to the next definition, 24 times, with ${keyword}, gives a verdict while others are served`, async () => {
      says('{"a": 1}')
      const object = keyword === 'oneOf' ? 446 : 200
      const replies = await Promise.all([
        scene.ask(judged(doublingSchema(24, keyword, { type: 'object' }))),
        scene.ask(judged(doublingSchema(24, keyword, { type: 'string' }))),
        scene.ask(scene.leaf('b')),
      ])
      expect(replies.map(({ status }) => status)).to.deep.equal([object, 446, 200])
    })

  it('that exceeds a bound is refused with its path', async () => {
    const { status, error } = await scene.ask(judged(doublingSchema(250, 'anyOf', {})))
    expect(status).to.equal(400)
    expect(error).to.include({
      code: 'schema_too_complex',
      param: 'config/output_guardrails/0/jsonSchema',
    })
    expect(scene.calls()).to.deep.equal([])
  })
})
