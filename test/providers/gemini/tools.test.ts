/**
 * Tools, tool choice, tool calls and their results → `generateContent` requests.
 * Source: https://ai.google.dev/gemini-api/docs/function-calling, https://ai.google.dev/gemini-api/docs/thought-signatures
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { Content, FunctionDeclaration, ToolConfig } from '#kit/dialect/gemini/types'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { callOf, contentsOf, requestOf, user, weather, weatherDeclaration } from './fixtures/chat.ts'

const newest = 'gemini-3.8-flash'
const unsigned = 'skip_thought_signature_validator'
const toolOf = (definition: JsonObject) =>
  requestOf({ tools: [{ type: 'function', function: definition }] }).tools

describe('Gemini tools', () => {
  it('are functions with a JSON schema', () => {
    expect(requestOf({ tools: [weather] })).to.deep.include({
      tools: [{ functionDeclarations: [weatherDeclaration] }],
    })
    expect(requestOf({ tools: [weather] })).to.not.have.property('toolConfig')
  })

  const definitions: [string, JsonObject, FunctionDeclaration][] = [
    ['no parameters', { name: 'f' }, { name: 'f' }],
    [
      'parameters without a type',
      { name: 'f', parameters: { properties: { a: {} } } },
      { name: 'f', parametersJsonSchema: { type: 'object', properties: { a: {} } } },
    ],
    [
      'parameters that the API has another word for',
      { name: 'f', parameters: { type: 'object', properties: { a: { const: 'x' } }, $schema: 'y' } },
      { name: 'f', parametersJsonSchema: { type: 'object', properties: { a: { enum: ['x'] } } } },
    ],
  ]
  for (const [what, definition, declaration] of definitions) {
    it(`can contain ${what}`, () => {
      expect(toolOf(definition)).to.deep.equal([{ functionDeclarations: [declaration] }])
    })
  }

  const named = { type: 'function', function: { name: 'get_weather' } }
  const strict = { type: 'function', function: { name: 'f', strict: true } }
  const choices: [string, JsonObject, ToolConfig['functionCallingConfig']][] = [
    ['no choice', {}, undefined],
    ['none', { tool_choice: 'none' }, { mode: 'NONE' }],
    ['auto', { tool_choice: 'auto' }, { mode: 'AUTO' }],
    ['required', { tool_choice: 'required' }, { mode: 'ANY' }],
    ['one function', { tool_choice: named }, { mode: 'ANY', allowedFunctionNames: ['get_weather'] }],
    ['parallel calls or not', { parallel_tool_calls: false }, undefined],
    ['a strict function', { tools: [strict] }, { mode: 'VALIDATED' }],
    ['a strict function and auto', { tools: [strict], tool_choice: 'auto' }, { mode: 'VALIDATED' }],
    ['a strict function that must be called', { tools: [strict], tool_choice: 'required' }, { mode: 'ANY' }],
    ['a strict function of an old model', { tools: [strict], model: 'gemini-2.0-flash' }, undefined],
  ]
  for (const [what, given, config] of choices) {
    it(`are selected by ${what}`, () => {
      const { toolConfig } = requestOf({ tools: [weather], ...given }) as { toolConfig?: ToolConfig }
      expect(toolConfig?.functionCallingConfig).to.deep.equal(config)
    })
  }

  it('are sent without a tool choice if the request has no tools', () => {
    const request = requestOf({ tools: [], tool_choice: 'none', parallel_tool_calls: false })
    expect(request).to.not.have.any.keys('tools', 'toolConfig')
  })

  it("can include the vendor's search", () => {
    expect(requestOf({ web_search_options: {} }).tools).to.deep.equal([{ googleSearch: {} }])
    expect(requestOf({ web_search_options: {}, tools: [weather] }).tools).to.deep.equal([
      { functionDeclarations: [weatherDeclaration] },
      { googleSearch: {} },
    ])
  })

  it('are called in parallel with all results in one content, separate from the next user message', () => {
    const contents: Content[] = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'Looking' },
          { functionCall: { id: 'call_1', name: 'get_weather', args: { city: 'Paris' } } },
          { functionCall: { id: 'call_2', name: 'get_time', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'call_1', name: 'get_weather', response: { output: '18 °C' } } },
          { functionResponse: { id: 'call_2', name: 'get_time', response: { output: 'noon, UTC' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'So?' }] },
    ]
    expect(
      contentsOf([
        user,
        {
          role: 'assistant',
          content: 'Looking',
          tool_calls: [
            callOf('call_1', { name: 'get_weather', args: '{"city":"Paris"}' }),
            callOf('call_2', { name: 'get_time', args: '' }),
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '18 °C' },
        {
          role: 'tool',
          tool_call_id: 'call_2',
          content: [
            { type: 'text', text: 'noon' },
            { type: 'text', text: ', UTC' },
          ],
        },
        { role: 'user', content: 'So?' },
      ]),
    ).to.deep.equal(contents)
  })

  it('can return images in the result for models that support it', () => {
    const messages: JsonObject[] = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [callOf('c', { name: 'look', args: '{}', signature: 'sig' })],
      },
      {
        role: 'tool',
        tool_call_id: 'c',
        content: [
          { type: 'text', text: 'here' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]
    const media = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
    const result = { id: 'c', name: 'look', response: { output: 'here' } }
    expect(contentsOf(messages, { model: newest })[1]?.parts).to.deep.equal([
      { functionResponse: { ...result, parts: [media] } },
    ])
    expect(contentsOf(messages)[1]?.parts).to.deep.equal([{ functionResponse: result }, media])
  })

  it('use the name in the result when the call is missing', () => {
    const messages = [user, { role: 'tool', tool_call_id: 'c', name: 'f', content: 'x' }]
    expect(contentsOf(messages)[1]?.parts).to.deep.equal([
      { functionResponse: { id: 'c', name: 'f', response: { output: 'x' } } },
    ])
  })

  const signatures: [string, string, (string | undefined)[], (string | undefined)[]][] = [
    ['keep their signatures', newest, ['a', undefined], ['a', undefined]],
    ['keep every signature', newest, ['a', 'b'], ['a', 'b']],
    ['say that a step was not signed', newest, [undefined, undefined], [unsigned, undefined]],
    ['say so of the alias of the newest', 'gemini-pro-latest', [undefined], [unsigned]],
    ['keep them for models that do not need them', 'gemini-2.5-pro', ['a', undefined], ['a', undefined]],
    ['have none for models that do not need them', 'gemini-2.5-pro', [undefined], [undefined]],
  ]
  for (const [what, model, given, sent] of signatures) {
    it(`${what} (${model})`, () => {
      const tool_calls = given.map((signature, at) => callOf(`c${at}`, { name: 'f', args: '{}', signature }))
      const [content] = contentsOf([{ role: 'assistant', tool_calls }], { model })
      expect(content?.parts.map((part) => part.thoughtSignature)).to.deep.equal(sent)
    })
  }

  it('support the legacy functions', () => {
    const request = requestOf({
      functions: [weather.function ?? {}],
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
    expect(request).to.deep.equal({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: [{ functionCall: { id: 'function_call_0', name: 'get_weather', args: { city: 'Rome' } } }],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'function_call_0', name: 'get_weather', response: { output: 'sun' } } },
          ],
        },
      ],
      tools: [{ functionDeclarations: [weatherDeclaration] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get_weather'] } },
    })
  })

  const called = (args: string): JsonObject => ({
    messages: [
      user,
      {
        role: 'assistant',
        tool_calls: [callOf('a', { name: 'f', args: '{}' }), callOf('b', { name: 'f', args })],
      },
    ],
  })
  const at = '/messages/1/tool_calls/1/function/arguments'
  const refused: [string, JsonObject, string][] = [
    ['arguments that cannot be parsed', called('{"city":'), at],
    ['arguments that are not an object', called('[1]'), at],
    [
      'a result without a call',
      { messages: [user, { role: 'tool', tool_call_id: 'c', content: 'x' }] },
      '/messages/1/tool_call_id',
    ],
    [
      'a legacy result without a call',
      { messages: [{ role: 'function', name: 'f', content: 'x' }] },
      '/messages/0/name',
    ],
    ['a tool that is not a function', { tools: [{ type: 'newer', newer: {} }] }, '/tools/0/type'],
    ['a choice among no tools', { tool_choice: 'required' }, '/tool_choice'],
    ['a choice that the API cannot make', { tools: [weather], tool_choice: 'some' }, '/tool_choice'],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what}`, () => {
      expect(gatewayErrorOf(() => requestOf(body))).to.include({ code: 'invalid_body', param })
    })
  }
})
