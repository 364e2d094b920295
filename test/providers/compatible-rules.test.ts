/** The rules of a compatible row for a request's fields and messages. */
import type { JsonObject } from '@gateway/contract'
import { compatibleDialect, type EndpointRules } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext } from './fixtures/context.ts'
import { gatewayErrorOf } from './fixtures/thrown.ts'

function sentBy(rules: EndpointRules, body: JsonObject, strict = false): JsonObject {
  const frozen = Object.freeze(structuredClone(body))
  return compatibleDialect('chatComplete', rules).request(frozen, createContext({ strict }))
}

const user = { role: 'user', content: 'Hi', name: 'ann' }
const developer = { role: 'developer', content: 'Be brief' }

describe('the rules of a compatible provider', () => {
  const cases: [what: string, rules: EndpointRules, given: JsonObject, sent: JsonObject][] = [
    [
      'bring a number to its upper bound',
      { ranges: { temperature: [0, 1] } },
      { temperature: 2 },
      { temperature: 1 },
    ],
    ['bring a number to its lower bound', { ranges: { top_p: [0.01, 1] } }, { top_p: 0 }, { top_p: 0.01 }],
    ['translate a value', { values: { f: { b64_json: 'base64' } } }, { f: 'b64_json' }, { f: 'base64' }],
    ['leave a value out', { values: { style: { vivid: null } } }, { style: 'vivid', n: 1 }, { n: 1 }],
    ['add members that the provider needs', { additions: { a: 1, b: 2 } }, { b: 3 }, { a: 1, b: 3 }],
    ['rename what they bound', { renames: { a: 'b' }, ranges: { a: [0, 1] } }, { a: 5 }, { b: 1 }],
    ['leave out the one value that there is', { only: { n: 1 } }, { n: 1, seed: 2 }, { seed: 2 }],
    ['leave out null for it', { only: { n: 1 } }, { n: null, seed: 2 }, { seed: 2 }],
    [
      'let no null take the place of a value',
      { renames: { max_completion_tokens: 'max_tokens' } },
      { max_tokens: 7, max_completion_tokens: null },
      { max_tokens: 7 },
    ],
    ['read null as not given', { drops: ['user'] }, { temperature: null, stop: null, n: 1 }, { n: 1 }],
    ['add required members in the place of null', { additions: { n: 2 } }, { n: null }, { n: 2 }],
    ['forget thinking that is null', { thinking: { switch: 'on' } }, { thinking: null, n: 1 }, { n: 1 }],
    [
      'give a role its name',
      { roles: { developer: 'system' } },
      { messages: [developer, user] },
      { messages: [{ role: 'system', content: 'Be brief' }, user] },
    ],
    [
      'leave out members of messages',
      { messageDrops: ['name', 'refusal'] },
      { messages: [user, { role: 'assistant', content: 'Yo', refusal: null }] },
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Yo' },
        ],
      },
    ],
    [
      'write the switch of thinking',
      { thinking: { switch: 'enable_thinking', budget: 'thinking_budget' } },
      { thinking: { type: 'enabled', budget_tokens: 99 } },
      { enable_thinking: true, thinking_budget: 99 },
    ],
    [
      'write it off',
      { thinking: { switch: 'enable_thinking', budget: 'thinking_budget' } },
      { thinking: { type: 'disabled' } },
      { enable_thinking: false },
    ],
    [
      'write it into an object, next to its other members',
      { thinking: { switch: 'reasoning.enabled', budget: 'reasoning.max_tokens' } },
      { thinking: { type: 'enabled', budget_tokens: 99 }, reasoning: { exclude: true, max_tokens: 5 } },
      { reasoning: { exclude: true, max_tokens: 5, enabled: true } },
    ],
  ]
  for (const [what, rules, given, sent] of cases)
    it(what, () => expect(sentBy(rules, given)).to.deep.equal(sent))

  const untouched: [what: string, rules: EndpointRules, body: JsonObject][] = [
    ['a number within its bounds', { ranges: { temperature: [0, 1] } }, { temperature: 1 }],
    ['a text where a number has bounds', { ranges: { temperature: [0, 1] } }, { temperature: 'hot' }],
    ['an unknown value', { values: { style: { vivid: null } } }, { style: 'base' }],
    [
      "a value named like an object's member",
      { values: { style: { vivid: null } } },
      { style: 'constructor' },
    ],
    ['other roles', { roles: { developer: 'system' } }, { messages: [user] }],
    ['messages without the member', { messageDrops: ['audio'] }, { messages: [user, 'odd', null] }],
    ['thinking where no rule names it', {}, { thinking: { type: 'enabled', budget_tokens: 9 } }],
    ['null where the format is the whole rule', {}, { temperature: null }],
    ['null that the specification does not name', { drops: ['user'] }, { x_vendor: null }],
  ]
  for (const [what, rules, body] of untouched) {
    it(`leave ${what} unchanged`, () => {
      const dialect = compatibleDialect('chatComplete', rules)
      expect(dialect.request(body, createContext({ strict: false }))).to.equal(body)
    })
  }

  it('drop thinking under strict compliance, under any name', () => {
    const rules = { thinking: { switch: 'enable_thinking' } }
    expect(sentBy(rules, { n: 1, thinking: { type: 'enabled' } }, true)).to.deep.equal({ n: 1 })
  })

  const refused: [what: string, rules: EndpointRules, body: JsonObject, param: string][] = [
    ['another value than the one there is', { only: { n: 1 } }, { n: 2 }, '/n'],
    ['a field that it lacks', { refuses: ['tools'] }, { tools: [{ type: 'function' }] }, '/tools'],
  ]
  for (const [what, rules, body, param] of refused) {
    it(`refuse ${what}, with path and provider`, () => {
      const error = gatewayErrorOf(() => sentBy(rules, body))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.include('test-provider')
    })
  }

  it('refuse nothing that is absent', () => {
    const rules = { refuses: ['tools', 'functions'] }
    const body = { tools: [], model: 'm' }
    expect(compatibleDialect('chatComplete', rules).request(body, createContext())).to.equal(body)
    expect(sentBy(rules, { ...body, functions: null })).to.deep.equal(body)
  })
})
