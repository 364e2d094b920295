/** The compatible format: bodies are unchanged except for members in a provider's rules. */
import type { InferenceEndpoint, JsonObject } from '@gateway/contract'
import { compatibleDialect, type EndpointRules } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'
import { createContext } from './fixtures/context.ts'

const plain: InferenceEndpoint[] = ['chatComplete', 'complete', 'embed', 'imageGenerate']
const chat: JsonObject = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], top_a: 1 }

describe('the compatible dialect', () => {
  for (const endpoint of plain) {
    it(`forwards ${endpoint} bodies and answers as the same objects`, () => {
      const dialect = compatibleDialect(endpoint)
      const answer: JsonObject = { choices: [{ finish_reason: 'vendor_reason' }], x_vendor: {} }
      expect(dialect.request(chat, createContext({ endpoint }))).to.equal(chat)
      expect(dialect.answer(answer, createContext({ endpoint }))).to.equal(answer)
    })
  }

  it('streams only chat and text completions, event by event', () => {
    const streams = plain.map((endpoint) => compatibleDialect(endpoint).stream)
    expect(streams).to.deep.equal(['same', 'same', undefined, undefined])
  })

  it('drops thinking only under strict compliance', () => {
    const dialect = compatibleDialect('chatComplete')
    const body = { ...chat, thinking: { type: 'enabled', budget_tokens: 2000 } }
    expect(dialect.request(body, createContext({ strict: true }))).to.deep.equal(chat)
    expect(dialect.request(body, createContext({ strict: false }))).to.equal(body)
  })

  const rules: EndpointRules = {
    renames: { seed: 'random_seed', max_completion_tokens: 'max_tokens' },
    drops: ['user'],
    defaults: { encoding_format: 'float' },
  }
  const cases: [string, JsonObject, JsonObject][] = [
    ['renames', { model: 'm', seed: 7 }, { model: 'm', random_seed: 7 }],
    ['lets the unified name win', { max_tokens: 1, max_completion_tokens: 2 }, { max_tokens: 2 }],
    ['drops', { model: 'm', user: 'u' }, { model: 'm' }],
    ['drops a default that is spelt out', { encoding_format: 'float' }, {}],
    ['keeps another value of it', { encoding_format: 'base64' }, { encoding_format: 'base64' }],
    ['keeps a zero', { seed: 0 }, { random_seed: 0 }],
  ]
  for (const [what, body, sent] of cases) {
    it(`${what} by the provider's rules`, () => {
      const before = structuredClone(body)
      expect(compatibleDialect('chatComplete', rules).request(body, createContext())).to.deep.equal(sent)
      expect(body, 'the body itself is not changed').to.deep.equal(before)
    })
  }

  it('forwards every body that no rule mentions as the same object', () => {
    // No parameter of the specification begins so: null in one of those is left out.
    const body = fc.dictionary(
      fc.string().map((key) => `x-${key}`),
      fc.jsonValue(),
    )
    assertProperty(
      fc.property(body, (given) => {
        const sent = given as JsonObject
        expect(compatibleDialect('chatComplete', rules).request(sent, createContext())).to.equal(sent)
      }),
    )
  })

  it("maps a provider's own finish reasons, and includes the original without strict compliance", () => {
    const dialect = compatibleDialect('chatComplete', { finishReasons: { eos: 'stop' } })
    const answer = { choices: [{ index: 0, finish_reason: 'eos' }] }
    expect(dialect.answer(answer, createContext())).to.deep.equal({
      choices: [{ index: 0, finish_reason: 'stop' }],
    })
    expect(dialect.answer(answer, createContext({ strict: false }))).to.deep.equal({
      choices: [{ index: 0, finish_reason: 'stop', provider_finish_reason: 'eos' }],
    })
    const known = { choices: [{ index: 0, finish_reason: 'length' }] }
    expect(dialect.answer(known, createContext())).to.equal(known)
  })

  it('fills in prompt_tokens for embedding usage that contains only a total', () => {
    const dialect = compatibleDialect('embed', { usageIsTotal: true })
    const answer = dialect.answer({ data: [], usage: { total_tokens: 9 } }, createContext())
    expect(answer.usage).to.deep.equal({ prompt_tokens: 9, total_tokens: 9 })
  })
})
