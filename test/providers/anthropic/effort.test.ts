/**
 * `reasoning_effort` and thinking → the parameters that each model supports.
 * Source: https://platform.claude.com/docs/en/build-with-claude/effort, …/thinking
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { requestOf } from './fixtures/chat.ts'

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'much']

describe('Anthropic effort', () => {
  const models: [model: string, sent: (string | undefined)[]][] = [
    ['claude-sonnet-4-5', [undefined, ...efforts.slice(1).map(() => undefined)]],
    ['claude-opus-4-5', [undefined, 'low', 'low', 'medium', 'high', 'high', 'high', undefined]],
    ['claude-sonnet-4-6', [undefined, 'low', 'low', 'medium', 'high', 'high', 'high', undefined]],
    ['claude-opus-4-8', [undefined, 'low', 'low', 'medium', 'high', 'xhigh', 'max', undefined]],
    ['claude-fable-5-2', [undefined, 'low', 'low', 'medium', 'high', 'xhigh', 'max', undefined]],
  ]
  for (const [model, sent] of models) {
    it(`has a level that ${model} supports, under strict compliance, too`, () => {
      const given = efforts.map(
        (reasoning_effort) => requestOf({ model, reasoning_effort }, { strict: true }).output_config,
      )
      expect(given).to.deep.equal(sent.map((effort) => (effort === undefined ? undefined : { effort })))
    })
  }

  it('is at most high for an answer without thinking', () => {
    const body = { model: 'claude-opus-4-8', reasoning_effort: 'xhigh', thinking: { type: 'disabled' } }
    const request = requestOf(body, { strict: false })
    expect(request).to.deep.include({ output_config: { effort: 'high' }, thinking: { type: 'disabled' } })
  })

  it('can be combined with a schema', () => {
    const json_schema = { name: 'n', schema: { type: 'object', properties: {}, additionalProperties: false } }
    const body: JsonObject = {
      model: 'claude-sonnet-4-6',
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema },
    }
    expect(requestOf(body).output_config).to.deep.equal({
      format: { type: 'json_schema', schema: json_schema.schema },
      effort: 'low',
    })
  })

  it('is the only thinking setting for a model that always thinks', () => {
    const off = { thinking: { type: 'disabled' } }
    const ask = (model: string) => requestOf({ model, ...off }, { strict: false })
    for (const model of ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-2']) {
      expect(ask(model), model).to.not.have.property('thinking')
    }
    expect(ask('claude-haiku-5-5').thinking).to.deep.equal({ type: 'disabled' })
  })
})
