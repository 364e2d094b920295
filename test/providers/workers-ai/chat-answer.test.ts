/**
 * Results of chats → chat completions; errors.
 * Source: https://developers.cloudflare.com/workers-ai/models/llama-3.3-70b-instruct-fp8-fast/,
 * https://developers.cloudflare.com/workers-ai/features/function-calling/,
 * https://developers.cloudflare.com/workers-ai/platform/errors/
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { type ContextOptions, createdAt } from '../fixtures/context.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'
import { answerFor, dialectOf, llama, weather, wrapped } from './fixtures.ts'

const answer = (result: JsonObject, options: ContextOptions = {}) =>
  answerFor('chatComplete', wrapped(result), options)
const choice = (result: JsonObject, options: ContextOptions = {}) =>
  (answer(result, options).choices as JsonObject[])[0] as JsonObject

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

describe('Workers AI chat answers', () => {
  it('are complete for a response', () => {
    expect(answer({ response: 'Hello', usage })).to.deep.equal({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: createdAt,
      model: llama,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage,
    })
  })

  const contents: [string, JsonObject, unknown][] = [
    ['an object of JSON mode', { response: { a: [1] } }, '{"a":[1]}'],
    ['a number', { response: 42 }, '42'],
    ['nothing said', { response: '' }, ''],
  ]
  for (const [what, result, content] of contents) {
    it(`contain text for ${what}`, () => expect(choice(result).message).to.include({ content }))
  }

  it('contain calls with ids, and arguments as text', () => {
    const tool_calls = [
      { name: 'get_weather', arguments: { city: 'Paris' } },
      { id: 'c2', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
      { name: 'g', arguments: {} },
      { name: 'h' },
    ]
    const { message, finish_reason } = choice({ response: null, tool_calls })
    expect(finish_reason).to.equal('tool_calls')
    expect(message).to.deep.equal({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
        { id: 'c2', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'call_2', type: 'function', function: { name: 'g', arguments: '{}' } },
        { id: 'call_3', type: 'function', function: { name: 'h', arguments: '{}' } },
      ],
    })
  })

  it('contain function_call for the legacy functions', () => {
    const request = { model: llama, functions: [weather.function as JsonObject] }
    const read = choice({ tool_calls: [{ name: 'f', arguments: {} }] }, { request })
    expect(read).to.include({ finish_reason: 'function_call' })
    expect(read.message).to.deep.include({ function_call: { name: 'f', arguments: '{}' } })
  })

  it('in the compatible format are unchanged', () => {
    const result = {
      id: 'chatcmpl-x',
      object: 'chat.completion',
      created: 5,
      model: 'kimi',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'A', reasoning_content: 'R', refusal: null },
          logprobs: { content: [] },
          finish_reason: 'length',
        },
        { index: 1, message: { role: 'assistant', content: 'B' }, finish_reason: 'stop' },
      ],
      usage: { ...usage, prompt_tokens_details: { cached_tokens: 1 } },
    }
    expect(answer(result)).to.deep.equal({
      id: 'chatcmpl-x',
      object: 'chat.completion',
      created: 5,
      model: 'kimi',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'A', reasoning_content: 'R', refusal: null },
          logprobs: { content: [] },
          finish_reason: 'length',
        },
        {
          index: 1,
          message: { role: 'assistant', content: 'B', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { ...usage, prompt_tokens_details: { cached_tokens: 1 } },
    })
  })

  const spent = (completion_tokens: number) => ({ ...usage, completion_tokens })
  const ends: [string, JsonObject, JsonObject, string][] = [
    ['at the bound', { response: 'x', usage: spent(8) }, { max_tokens: 8 }, 'length'],
    ['below the bound', { response: 'x', usage: spent(7) }, { max_completion_tokens: 8 }, 'stop'],
    ['at the bound that models have without one', { response: 'x', usage: spent(256) }, {}, 'length'],
    ['without usage', { response: 'x' }, { max_tokens: 8 }, 'stop'],
    ['as the model says', { response: 'x', finish_reason: 'length' }, {}, 'length'],
    ['as the model says in its own word', { response: 'x', finish_reason: 'eos' }, {}, 'stop'],
  ]
  for (const [what, result, request, reason] of ends) {
    it(`with ${what} have finish_reason ${reason}`, () => {
      expect(choice(result, { request: { model: llama, ...request } }).finish_reason).to.equal(reason)
    })
  }

  it("include the model's own reason without strict compliance", () => {
    expect(choice({ response: 'x', finish_reason: 'eos' }, { strict: false })).to.include({
      finish_reason: 'stop',
      provider_finish_reason: 'eos',
    })
    expect(choice({ response: 'x' }, { strict: false })).to.not.have.property('provider_finish_reason')
  })

  it('that fail with status 200 are provider errors', () => {
    const body = { result: null, success: false, errors: [{ code: 5006, message: 'Bad input' }] }
    expect(upstreamErrorOf(() => answerFor('chatComplete', body))).to.deep.equal({
      status: 502,
      message: 'Bad input',
      type: 'upstream_error',
      param: null,
      code: '5006',
    })
  })

  const odd: [string, JsonObject][] = [
    ['no result', { success: true, result: null }],
    ['a result that is a list', { success: true, result: [] }],
    ['a result without content', { success: true, result: {} }],
    ['nothing', {}],
  ]
  for (const [what, body] of odd) {
    it(`cannot be read with ${what}`, () => {
      expect(gatewayErrorOf(() => answerFor('chatComplete', body)).code).to.equal('upstream_invalid_response')
    })
  }
})

describe('Workers AI errors', () => {
  const { error } = dialectOf('chatComplete')
  it('are parsed from the envelope, with the first code and all messages', () => {
    const errors = [
      { code: 3036, message: 'You have used up' },
      { code: 1, message: 'your allocation' },
    ]
    expect(error?.(429, { success: false, errors }, {})).to.deep.equal({
      status: 429,
      message: 'You have used up; your allocation',
      type: 'upstream_error',
      param: null,
      code: '3036',
    })
  })
  it('are parsed in the compatible format, too', () => {
    expect(error?.(400, { error: { message: 'No', code: 'c' } }, {})).to.include({ message: 'No', code: 'c' })
    expect(error?.(500, { odd: 1 }, {})).to.equal(null)
  })
})
