/** An invalid guardrail is refused before any call: a misspelt guardrail never passes. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openGuarded } from './fixtures/open.ts'

const contains = { operator: 'none', words: ['x'] }
const hook = (checks: unknown, rest: object = {}) => ({ id: 'mine', checks, ...rest })
const entry = (id: unknown, parameters: unknown = contains) => [{ id, parameters }]

type Row = [name: string, config: Record<string, unknown>, param: string, code: string]

const rows: Row[] = [
  [
    'a saved guardrail that does not exist',
    { input_guardrails: ['nobody'] },
    'config/input_guardrails/0',
    'unknown_guardrail',
  ],
  [
    'the same on the answer',
    { output_guardrails: ['nobody'] },
    'config/output_guardrails/0',
    'unknown_guardrail',
  ],
  [
    'a name that every object has',
    { input_guardrails: ['constructor'] },
    'config/input_guardrails/0',
    'unknown_guardrail',
  ],
  ['an empty name', { input_guardrails: [''] }, 'config/input_guardrails/0', 'invalid_config'],
  [
    'a check that does not exist',
    { before_request_hooks: [hook(entry('default.nothing'))] },
    'config/before_request_hooks/0/checks/0/id',
    'unknown_check',
  ],
  [
    'the same in the short form',
    { input_guardrails: [{ nothing: {} }] },
    'config/input_guardrails/0/nothing',
    'unknown_check',
  ],
  [
    'a plugin that does not exist',
    { input_guardrails: [{ 'acme.contains': contains }] },
    'config/input_guardrails/0/acme.contains',
    'unknown_check',
  ],
  [
    'an unknown id inside',
    { input_guardrails: [{ contains: { id: 'nothing', ...contains } }] },
    'config/input_guardrails/0/contains',
    'unknown_check',
  ],
  [
    'an upper-case letter in a check’s name',
    { input_guardrails: [{ Contains: contains }] },
    'config/input_guardrails/0/Contains',
    'unknown_check',
  ],
  [
    'an unknown parameter',
    { after_request_hooks: [hook(entry('default.contains', { ...contains, wrods: [] }))] },
    'config/after_request_hooks/0/checks/0/parameters',
    'invalid_config',
  ],
  [
    'a parameter that is missing',
    { output_guardrails: [{ contains: { operator: 'none' } }] },
    'config/output_guardrails/0/contains/words',
    'invalid_config',
  ],
  [
    'a parameter of the wrong kind',
    { input_guardrails: [{ contains: { ...contains, operator: 'never' } }] },
    'config/input_guardrails/0/contains/operator',
    'invalid_config',
  ],
  [
    'a rule that is not a pattern',
    { input_guardrails: [{ regexMatch: { rule: '(' } }] },
    'config/input_guardrails/0/regexMatch',
    'invalid_config',
  ],
  [
    'a check of requests on an answer',
    { output_guardrails: [{ requiredMetadataKeyPairs: { metadataPairs: { a: 'b' } } }] },
    'config/output_guardrails/0/requiredMetadataKeyPairs',
    'invalid_config',
  ],
  [
    'a check of answers on a request',
    { input_guardrails: [{ jsonSchema: { schema: {} } }] },
    'config/input_guardrails/0/jsonSchema',
    'invalid_config',
  ],
  [
    'a guardrail without checks',
    { input_guardrails: [{ deny: true }] },
    'config/input_guardrails/0',
    'invalid_config',
  ],
  [
    'a hook without checks',
    { before_request_hooks: [hook([])] },
    'config/before_request_hooks/0',
    'invalid_config',
  ],
  [
    'a hook without an id',
    { before_request_hooks: [{ checks: entry('default.contains') }] },
    'config/before_request_hooks/0/id',
    'invalid_config',
  ],
  [
    'a hook with an unknown key',
    { before_request_hooks: [hook(entry('default.contains'), { denny: true })] },
    'config/before_request_hooks/0',
    'invalid_config',
  ],
  [
    'an outcome with an unknown key',
    { input_guardrails: [{ contains, on_fail: { feedbak: {} } }] },
    'config/input_guardrails/0/on_fail',
    'invalid_config',
  ],
  [
    'feedback that is not a number',
    { input_guardrails: [{ contains, on_fail: { feedback: { value: 'bad' } } }] },
    'config/input_guardrails/0/on_fail/feedback/value',
    'invalid_config',
  ],
  [
    'an unknown type',
    { input_guardrails: [{ contains, type: 'guard' }] },
    'config/input_guardrails/0/type',
    'invalid_config',
  ],
  [
    'deny as a text',
    { input_guardrails: [{ contains, deny: 'true' }] },
    'config/input_guardrails/0/deny',
    'invalid_config',
  ],
  [
    'a check whose value is not an object',
    { input_guardrails: [{ contains: ['x'] }] },
    'config/input_guardrails/0/contains',
    'invalid_config',
  ],
  [
    'a mutator that must be a guardrail',
    { input_guardrails: [{ type: 'guardrail', addPrefix: { prefix: 'x' } }] },
    'config/input_guardrails/0',
    'invalid_config',
  ],
  [
    'a mutator that is async',
    { input_guardrails: [{ async: true, addPrefix: { prefix: 'x' } }] },
    'config/input_guardrails/0/async',
    'invalid_config',
  ],
  [
    'guards that are no list',
    { input_guardrails: { contains } },
    'config/input_guardrails',
    'invalid_config',
  ],
]

describe('an invalid guardrail', () => {
  const scene = openGuarded()

  for (const [name, config, param, code] of rows) {
    it(`is refused: ${name}`, async () => {
      const reply = await scene.ask(scene.leaf('a', config), { body: chat('a text') })
      expect(reply.status).to.equal(400)
      expect(reply.error).to.include({ type: 'invalid_request_error', param, code })
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('is refused anywhere in the tree, and all errors are reported together', async () => {
    const targets = [
      scene.leaf('a', { input_guardrails: ['nobody'] }),
      { strategy: { mode: 'single' }, targets: [scene.leaf('b', { output_guardrails: [{ nothing: {} }] })] },
    ]
    const config = { strategy: { mode: 'fallback' }, targets, after_request_hooks: [hook(entry('x.y'))] }
    const { error } = await scene.ask(config)
    const found = (error.details as { param: string; code: string }[]).map(({ param, code }) => [param, code])
    expect(found).to.have.deep.members([
      ['config/targets/0/input_guardrails/0', 'unknown_guardrail'],
      ['config/targets/1/targets/0/output_guardrails/0/nothing', 'unknown_check'],
      ['config/after_request_hooks/0/checks/0/id', 'unknown_check'],
    ])
    expect(error.param).to.equal(found[0]?.[0])
  })

  it('is refused even when every target overrides it', async () => {
    const targets = [scene.leaf('a', { output_guardrails: [{ contains }] })]
    const { error } = await scene.ask({
      strategy: { mode: 'single' },
      targets,
      output_guardrails: ['nobody'],
    })
    expect(error).to.include({ param: 'config/output_guardrails/0', code: 'unknown_guardrail' })
  })
})
