/**
 * Tools, tool choice, tool calls and their results → Messages requests.
 * Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { callOf, messagesOf, requestOf, user, weather, weatherTool } from './fixtures/chat.ts'

const text = (value: string): JsonObject => ({ type: 'text', text: value })
const hi = { role: 'user', content: [text('Hi')] }

describe('Anthropic tools', () => {
  it('are functions with an input schema', () => {
    expect(requestOf({ tools: [weather] }).tools).to.deep.equal([weatherTool])
  })

  const definitions: [string, JsonObject, JsonObject][] = [
    ['no parameters', { name: 'f' }, { name: 'f', input_schema: { type: 'object', properties: {} } }],
    [
      'parameters without a type',
      { name: 'f', parameters: { properties: { a: {} } } },
      { name: 'f', input_schema: { type: 'object', properties: { a: {} } } },
    ],
    [
      'strict',
      {
        name: 'f',
        strict: true,
        parameters: { type: 'object', properties: {}, additionalProperties: false },
      },
      {
        name: 'f',
        strict: true,
        input_schema: { type: 'object', properties: {}, additionalProperties: false },
      },
    ],
    [
      'strict: false',
      { name: 'f', strict: false, parameters: { type: 'object' } },
      { name: 'f', input_schema: { type: 'object' } },
    ],
  ]
  for (const [what, definition, tool] of definitions) {
    it(`can contain ${what}`, () => {
      expect(requestOf({ tools: [{ type: 'function', function: definition }] }).tools).to.deep.equal([tool])
    })
  }

  it('keep cache_control', () => {
    const marked = { ...weather, cache_control: { type: 'ephemeral' } }
    expect(requestOf({ tools: [marked] }).tools).to.deep.equal([
      { ...weatherTool, cache_control: { type: 'ephemeral' } },
    ])
  })

  const named = { type: 'function', function: { name: 'get_weather' } }
  const choices: [string, JsonObject, JsonObject | undefined][] = [
    ['no choice', {}, undefined],
    ['none', { tool_choice: 'none' }, { type: 'none' }],
    ['auto', { tool_choice: 'auto' }, { type: 'auto' }],
    ['required', { tool_choice: 'required' }, { type: 'any' }],
    ['one function', { tool_choice: named }, { type: 'tool', name: 'get_weather' }],
    ['one call at a time', { parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      'one required call',
      { tool_choice: 'required', parallel_tool_calls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [
      'one call of one function',
      { tool_choice: named, parallel_tool_calls: false },
      { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
    ],
    ['none, one at a time', { tool_choice: 'none', parallel_tool_calls: false }, { type: 'none' }],
    ['parallel calls', { parallel_tool_calls: true }, undefined],
  ]
  for (const [what, given, choice] of choices) {
    it(`are selected by ${what}`, () => {
      expect(requestOf({ tools: [weather], ...given }).tool_choice).to.deep.equal(choice)
    })
  }

  it('are sent without a tool choice if the request has no tools', () => {
    const request = requestOf({ tools: [], tool_choice: 'auto', parallel_tool_calls: false })
    expect(request).to.not.have.any.keys('tools', 'tool_choice')
  })

  it('are called in parallel in the conversation, with all results in one user message', () => {
    const messages = messagesOf([
      user,
      {
        role: 'assistant',
        content: 'Looking',
        tool_calls: [callOf('call_1', 'get_weather', '{"city":"Paris"}'), callOf('call_2', 'get_time', '')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '18 °C' },
      {
        role: 'tool',
        tool_call_id: 'call_2',
        content: [text('noon'), { type: 'image_url', image_url: { url: 'https://x/y' } }],
      },
      { role: 'user', content: 'So?' },
    ])
    expect(messages).to.deep.equal([
      hi,
      {
        role: 'assistant',
        content: [
          text('Looking'),
          { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
          { type: 'tool_use', id: 'call_2', name: 'get_time', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: [text('18 °C')] },
          {
            type: 'tool_result',
            tool_use_id: 'call_2',
            content: [text('noon'), { type: 'image', source: { type: 'url', url: 'https://x/y' } }],
          },
          text('So?'),
        ],
      },
    ])
  })

  it('can have an empty result', () => {
    const messages = messagesOf([
      user,
      { role: 'assistant', content: null, tool_calls: [callOf('call_1', 'f', '{}')] },
      { role: 'tool', tool_call_id: 'call_1', content: '' },
    ])
    expect(messages).to.deep.equal([
      hi,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1' }] },
    ])
  })

  it('keep call and result together when an id contains characters that the API refuses', () => {
    const messages = messagesOf([
      { role: 'assistant', tool_calls: [callOf('functions.f:0', 'f', '{}')] },
      { role: 'tool', tool_call_id: 'functions.f:0', content: 'ok' },
    ])
    expect(messages).to.deep.equal([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'functions_f_0', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'functions_f_0', content: [text('ok')] }],
      },
    ])
  })

  it('support the legacy functions, one call at a time', () => {
    const { function: definition } = weather
    const request = requestOf({
      functions: [definition ?? {}],
      function_call: { name: 'get_weather' },
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          function_call: { name: 'get_weather', arguments: '{"city":"Rome"}' },
        },
        { role: 'function', name: 'get_weather', content: 'sun' },
      ],
    })
    expect(request).to.deep.include({
      tools: [weatherTool],
      tool_choice: { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
    })
    expect(request.messages).to.deep.equal([
      hi,
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'function_call_0', name: 'get_weather', input: { city: 'Rome' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'function_call_0', content: [text('sun')] }],
      },
    ])
  })

  const called = (args: string): JsonObject => ({
    messages: [user, { role: 'assistant', tool_calls: [callOf('a', 'f', '{}'), callOf('b', 'f', args)] }],
  })
  const at = '/messages/1/tool_calls/1/function/arguments'
  const refused: [string, JsonObject, string][] = [
    ['arguments that cannot be parsed', called('{"city":'), at],
    ['arguments that are not an object', called('[1]'), at],
    [
      'legacy arguments that cannot be parsed',
      { messages: [user, { role: 'assistant', function_call: { name: 'f', arguments: 'x' } }] },
      '/messages/1/function_call/arguments',
    ],
    [
      'a legacy result without a call',
      { messages: [{ role: 'function', name: 'f', content: 'x' }] },
      '/messages/0/name',
    ],
    ['a tool that is not a function', { tools: [{ type: 'newer', newer: {} }] }, '/tools/0/type'],
    ['a choice among no tools', { tool_choice: 'required' }, '/tool_choice'],
    [
      'a choice that names no tool',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'f' } } },
      '/tool_choice/function/name',
    ],
    [
      'a legacy choice that names no function',
      { functions: [{ name: 'g' }], function_call: { name: 'f' } },
      '/function_call/name',
    ],
    [
      'a choice that the API cannot make',
      { tools: [weather], tool_choice: { type: 'allowed_tools' } },
      '/tool_choice',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what}`, () => {
      expect(gatewayErrorOf(() => requestOf(body))).to.include({ code: 'invalid_body', param })
    })
  }
})
