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

/** Each uses almost a third of a config's budget for compiling. */
const rules = Array.from({ length: 100 }, (_, index) => `\\pL{400}${index}`)
const regex = (rule: string) => ({ id: 'r', regexMatch: { rule, not: true } })
const many = { anyOf: Array.from({ length: 1000 }, () => ({})) }

describe('the patterns and schemas of one inline config', () => {
  const scene = openScene(() => ({
    guardrails: {
      saved: { checks: [{ id: 'default.jsonSchema', parameters: { schema: many, not: true } }] },
      strict: {
        checks: rules.map((rule) => ({ id: 'default.regexMatch', parameters: { rule, not: true } })),
      },
    },
  }))
  it('are refused from the check on that makes their sum too large', async () => {
    const { status, error } = await scene.ask(scene.leaf('a', { input_guardrails: rules.map(regex) }))
    expect(status).to.equal(400)
    expect(error).to.include({ code: 'invalid_config', param: 'config/input_guardrails/3/regexMatch' })
    expect(error.message).to.include('too large together')
    expect(scene.calls()).to.deep.equal([])
  })

  it('are refused with schema_too_complex at a schema', async () => {
    const checks = Array.from({ length: 10 }, () => ({ id: 's', jsonSchema: { schema: many } }))
    const { status, error } = await scene.ask(scene.leaf('a', { output_guardrails: checks }))
    expect(status).to.equal(400)
    expect(error).to.include({
      code: 'schema_too_complex',
      param: 'config/output_guardrails/4/jsonSchema',
    })
  })

  it('include the patterns of conditions', async () => {
    const conditions = rules.map((rule) => ({ query: { 'metadata.plan': { $regex: rule } }, then: 'a' }))
    const { status, error } = await scene.ask({
      strategy: { mode: 'conditional', conditions, default: 'a' },
      targets: [scene.leaf('a', { name: 'a' })],
    })
    expect([status, error.param]).to.deep.equal([
      400,
      'config/strategy/conditions/3/query/metadata.plan/$regex',
    ])
  })

  it('include those of the guardrails that it names', async () => {
    const { status, error } = await scene.ask(scene.leaf('a', { input_guardrails: ['strict'] }))
    expect([status, error.param]).to.deep.equal([400, 'config/input_guardrails/0/checks/3/parameters'])
  })

  it('are compiled once for all targets that inherit, reference or repeat them', async () => {
    const [rule = ''] = rules
    const own = { input_guardrails: [regex(rule)], output_guardrails: ['saved'] }
    const targets = Array.from({ length: 80 }, (_, index) => scene.leaf('a', index % 2 === 0 ? own : {}))
    const { status, text } = await scene.ask({
      strategy: { mode: 'fallback' },
      output_guardrails: [regex(String(rules[1])), 'saved'],
      targets,
    })
    expect(status, text).to.equal(200)
  })
})
