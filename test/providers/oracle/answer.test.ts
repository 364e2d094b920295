/**
 * Chat results of all formats → chat completions; errors.
 * Source: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/ChatResult/Chat
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { type ContextOptions, createContext, createdAt } from '../fixtures/context.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'
import { dialect, weather } from './fixtures.ts'

const answerOf = (chatResponse: JsonObject, options: ContextOptions = {}): JsonObject =>
  dialect.answer({ modelId: 'm-1', modelVersion: '1', chatResponse }, createContext(options))
const choiceOf = (chatResponse: JsonObject, options: ContextOptions = {}) =>
  (answerOf(chatResponse, options).choices as JsonObject[])[0] as JsonObject
const messageOf = (chatResponse: JsonObject, options: ContextOptions = {}) =>
  choiceOf(chatResponse, options).message as JsonObject

const text = (value: string): JsonObject => ({ type: 'TEXT', text: value })
const generic = (message: JsonObject, choice: JsonObject = {}): JsonObject => ({
  apiFormat: 'GENERIC',
  timeCreated: '2025-11-21T22:49:57.174Z',
  choices: [{ index: 0, message: { role: 'ASSISTANT', ...message }, finishReason: 'stop', ...choice }],
  usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 },
})

describe('Oracle answers', () => {
  it('of the generic format are complete', () => {
    const response = {
      ...generic({ content: [text('Hel'), text('lo')] }),
      usage: {
        promptTokens: 10,
        completionTokens: 7,
        totalTokens: 17,
        promptTokensDetails: { cachedTokens: 4 },
        completionTokensDetails: { reasoningTokens: 5 },
      },
    }
    expect(answerOf(response)).to.deep.equal({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: createdAt,
      model: 'm-1',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 7,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    })
  })

  it('contain every choice', () => {
    const [one, two] = [generic({ content: [text('A')] }), generic({ content: [text('B')] })]
    const choices = [...(one.choices as JsonObject[]), ...(two.choices as JsonObject[])]
    const answered = answerOf({ ...one, choices }).choices as JsonObject[]
    expect(answered.map(({ index, message }) => [index, (message as JsonObject).content])).to.deep.equal([
      [0, 'A'],
      [1, 'B'],
    ])
  })

  const calls = [
    { type: 'FUNCTION', id: 'a', name: 'f', arguments: '{"x":1}' },
    { type: 'FUNCTION', name: 'g' },
  ]
  it('contain calls, with an id when the model returned none', () => {
    const choice = choiceOf(generic({ content: null, toolCalls: calls }))
    expect(choice).to.deep.include({
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'call_1', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
    })
  })

  it('contain the legacy function_call for a legacy request', () => {
    const request = { functions: [weather.function as JsonObject] }
    expect(choiceOf(generic({ content: null, toolCalls: calls.slice(0, 1) }), { request })).to.deep.include({
      finish_reason: 'function_call',
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        function_call: { name: 'f', arguments: '{"x":1}' },
      },
    })
  })

  it('contain the sources of a web search, and a refusal', () => {
    const urlCitation = { startIndex: 0, endIndex: 4, title: 'T', url: 'https://x.example' }
    expect(
      messageOf(
        generic({
          content: [text('x')],
          refusal: 'No',
          annotations: [{ type: 'url_citation', urlCitation }],
        }),
      ),
    ).to.deep.include({
      refusal: 'No',
      annotations: [
        {
          type: 'url_citation',
          url_citation: { start_index: 0, end_index: 4, title: 'T', url: 'https://x.example' },
        },
      ],
    })
  })

  it('contain thinking only without strict compliance', () => {
    const response = generic({ content: [text('x')], reasoningContent: 'Hm' })
    expect(messageOf(response)).to.not.have.property('content_blocks')
    expect(messageOf(response, { strict: false }).content_blocks).to.deep.equal([
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'x' },
    ])
  })

  it('contain log probabilities', () => {
    const logprobs = {
      tokens: ['Hé', '!'],
      tokenLogprobs: [-0.1, -2],
      topLogprobs: [{ Hé: '-0.1', Ho: '-3.5' }],
    }
    expect(choiceOf(generic({ content: [text('Hé!')] }, { logprobs })).logprobs).to.deep.equal({
      content: [
        {
          token: 'Hé',
          logprob: -0.1,
          bytes: [72, 195, 169],
          top_logprobs: [
            { token: 'Hé', logprob: -0.1, bytes: [72, 195, 169] },
            { token: 'Ho', logprob: -3.5, bytes: [72, 111] },
          ],
        },
        { token: '!', logprob: -2, bytes: [33], top_logprobs: [] },
      ],
    })
  })

  const cohere = (more: JsonObject): JsonObject => ({
    apiFormat: 'COHERE',
    text: 'Hi',
    finishReason: 'COMPLETE',
    ...more,
  })
  it("in Cohere's older format contain text and calls", () => {
    const toolCalls = [
      { name: 'f', parameters: { x: 1 } },
      { name: 'g', parameters: {} },
    ]
    const choice = choiceOf(cohere({ text: 'Looking', toolCalls }))
    expect(choice).to.deep.include({
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Looking',
        refusal: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'call_2', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
    })
  })

  it("in Cohere's older format contain citations only without strict compliance", () => {
    const citations = [{ start: 0, end: 2, text: 'Hi', documentIds: ['d'] }]
    expect(messageOf(cohere({ citations }))).to.not.have.property('citations')
    expect(messageOf(cohere({ citations }), { strict: false })).to.deep.include({ citations })
  })

  it("in Cohere's newer format contain parts, calls and the answer's id", () => {
    const response: JsonObject = {
      apiFormat: 'COHEREV2',
      id: 'c-1',
      finishReason: 'TOOL_CALL',
      message: {
        role: 'ASSISTANT',
        content: [{ type: 'THINKING', thinking: 'Hm' }, text('Hi')],
        toolCalls: [{ id: 'a', type: 'FUNCTION', function: { name: 'f', arguments: '{"x":1}' } }],
      },
    }
    expect(answerOf(response)).to.include({ id: 'c-1' })
    expect(choiceOf(response, { strict: false })).to.deep.include({
      finish_reason: 'tool_calls',
      provider_finish_reason: 'TOOL_CALL',
      message: {
        role: 'assistant',
        content: 'Hi',
        refusal: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        content_blocks: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'text', text: 'Hi' },
        ],
      },
    })
  })

  const reasons: [string, string][] = [
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool_calls', 'tool_calls'],
    ['content_filter', 'content_filter'],
    ['max_tokens', 'length'],
    ['COMPLETE', 'stop'],
    ['STOP_SEQUENCE', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['ERROR_LIMIT', 'length'],
    ['ERROR_TOXIC', 'content_filter'],
    ['USER_CANCEL', 'stop'],
    ['toString', 'stop'],
  ]
  for (const [finishReason, mapped] of reasons) {
    it(`have finish_reason ${mapped} for ${finishReason}, which is included without strict compliance`, () => {
      const response = generic({ content: [text('x')] }, { finishReason })
      expect(choiceOf(response))
        .to.include({ finish_reason: mapped })
        .and.not.have.property('provider_finish_reason')
      expect(choiceOf(response, { strict: false })).to.include({ provider_finish_reason: finishReason })
    })
  }

  it('that failed are provider errors', () => {
    const fault = upstreamErrorOf(() =>
      answerOf(cohere({ finishReason: 'ERROR', errorMessage: 'Out of memory' })),
    )
    expect(fault).to.include({ status: 502, message: 'Out of memory' })
  })

  for (const body of [
    {},
    { chatResponse: null },
    { chatResponse: { choices: [] } },
    { chatResponse: { choices: 'x' } },
  ]) {
    it(`cannot be read from ${JSON.stringify(body)}`, () => {
      expect(gatewayErrorOf(() => dialect.answer(body, createContext())).code).to.equal(
        'upstream_invalid_response',
      )
    })
  }

  const odd: JsonObject[] = [
    { choices: [{ message: null }] },
    { choices: [{ message: { content: 'text', toolCalls: [null, {}] }, logprobs: { tokens: [1] } }] },
    { text: 5, toolCalls: 'x', usage: [] },
    { message: { content: [{ type: 'NEW' }], annotations: [{}] } },
  ]
  for (const response of odd) {
    it(`are parsed as completely as possible from ${JSON.stringify(response)}`, () => {
      for (const strict of [true, false]) expect(answerOf(response, { strict })).to.have.property('choices')
    })
  }
})

describe('Oracle errors', () => {
  const errors: [JsonObject, number, JsonObject][] = [
    [
      { code: 'NotAuthenticated', message: 'Missing or bad signature' },
      401,
      { status: 401, message: 'Missing or bad signature', code: 'NotAuthenticated' },
    ],
    [{ code: 429, message: 'Slow down' }, 429, { status: 429, code: '429' }],
    [{ message: '' }, 500, { status: 500, message: 'The provider answered 500.', code: 'upstream_error' }],
    [{ error: { message: 'Other shape' } }, 400, { status: 400, message: 'Other shape' }],
  ]
  for (const [body, status, read] of errors) {
    it(`are parsed from ${JSON.stringify(body)}`, () =>
      expect(dialect.error?.(status, body, {})).to.deep.include(read))
  }
  it('are not found in an empty error body', () => expect(dialect.error?.(500, {}, {})).to.equal(null))
})
