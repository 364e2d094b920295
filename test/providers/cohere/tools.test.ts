/** Tools, choices and the deprecated functions. Source: https://docs.cohere.com/docs/tool-use-usage-patterns */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { ChatRequest } from '#kit/dialect/cohere/types'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import {
  answerOf,
  callOf,
  clock,
  messageOf,
  messagesOf,
  requestOf,
  restOf,
  weather,
} from './fixtures/chat.ts'

const weatherTool: NonNullable<ChatRequest['tools']>[number] = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const clockTool: NonNullable<ChatRequest['tools']>[number] = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: {} } },
}
const tools = [weather, clock]
const both = [weatherTool, clockTool]

describe('Cohere tools', () => {
  const choices: [string, JsonObject, Partial<ChatRequest>][] = [
    ['no choice', { tools }, { tools: both }],
    ['auto', { tools, tool_choice: 'auto' }, { tools: both }],
    ['none', { tools, tool_choice: 'none' }, { tools: both, tool_choice: 'NONE' }],
    ['required', { tools, tool_choice: 'required' }, { tools: both, tool_choice: 'REQUIRED' }],
    [
      'a function, which is then the only one',
      { tools, tool_choice: { type: 'function', function: { name: 'get_time' } } },
      { tools: [clockTool], tool_choice: 'REQUIRED' },
    ],
    ['none without tools', { tool_choice: 'none' }, {}],
    [
      'strictness of one, which is that of all',
      { tools: [{ ...clock, function: { name: 'get_time', strict: true } }, weather] },
      { tools: [clockTool, weatherTool], strict_tools: true },
    ],
    [
      'functions of before',
      { functions: [{ name: 'get_time' }], function_call: { name: 'get_time' } },
      { tools: [clockTool], tool_choice: 'REQUIRED' },
    ],
    [
      'functions that are not called',
      { functions: [{ name: 'get_time' }], function_call: 'none' },
      {
        tools: [clockTool],
        tool_choice: 'NONE',
      },
    ],
  ]
  for (const [what, body, expected] of choices) {
    it(`contain ${what}`, () => expect(restOf(body)).to.deep.equal(expected))
  }

  const refused: [string, JsonObject, string][] = [
    ['a forced call without tools', { tool_choice: 'required' }, '/tool_choice'],
    [
      'a choice of an unknown tool',
      { tools, tool_choice: { type: 'function', function: { name: 'f' } } },
      '/tool_choice/function/name',
    ],
    ['tools of another type', { tools: [{ type: 'web_search' }] }, '/tools/0/type'],
    [
      'calls of another type',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'newer', newer: {} }] }] },
      '/messages/0/tool_calls/0/type',
    ],
    [
      'a result of a function that was not called',
      { messages: [{ role: 'function', name: 'f', content: '1' }] },
      '/messages/0/name',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what}`, () => {
      expect(gatewayErrorOf(() => requestOf(body))).to.include({ code: 'invalid_body', param })
    })
  }

  it('keep a legacy call and its result together', () => {
    const messages = messagesOf([
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'one' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":2}' } },
      { role: 'function', name: 'f', content: 'two' },
    ])
    const call = (id: string, args: string) => ({ role: 'assistant', tool_calls: [callOf(id, 'f', args)] })
    expect(messages).to.deep.equal([
      call('function_call_0', '{"a":1}'),
      { role: 'tool', tool_call_id: 'function_call_0', content: 'one' },
      call('function_call_1', '{"a":2}'),
      { role: 'tool', tool_call_id: 'function_call_1', content: 'two' },
    ])
  })

  const called = answerOf({
    finish_reason: 'TOOL_CALL',
    message: {
      role: 'assistant',
      tool_plan: 'I will look.',
      tool_calls: [
        { id: 'w_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
        { id: 't_1', type: 'function', function: { name: 'get_time', arguments: 'null' } },
      ],
    },
  })

  it('are called with their ids, arguments as text, and the plan as content', () => {
    expect(messageOf(called)).to.deep.equal({
      role: 'assistant',
      content: 'I will look.',
      refusal: null,
      tool_calls: [callOf('w_1', 'get_weather', '{"city":"Paris"}'), callOf('t_1', 'get_time', '{}')],
    })
    expect((called.choices as JsonObject[])[0]).to.include({ finish_reason: 'tool_calls' })
  })

  it('use the legacy function_call for a legacy request', () => {
    const request = { functions: [{ name: 'f' }] }
    const message = {
      role: 'assistant' as const,
      tool_calls: [{ id: 'a', type: 'function' as const, function: { name: 'f', arguments: '{}' } }],
    }
    const answer = answerOf({ finish_reason: 'TOOL_CALL', message }, { request })
    expect((answer.choices as JsonObject[])[0]).to.deep.equal({
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        function_call: { name: 'f', arguments: '{}' },
      },
      logprobs: null,
      finish_reason: 'function_call',
    })
  })
})
