/**
 * Chat requests → Cohere's two formats of the service.
 * Sources: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/CohereChatRequest and
 * …/CohereChatRequestV2
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { ContextOptions } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { callOf, chatOf, cohere, user, vision, weather } from './fixtures.ts'

const older = (body: JsonObject) => chatOf({ model: cohere, ...body })
const newer = (body: JsonObject, options: ContextOptions = {}) => chatOf({ model: vision, ...body }, options)
const called: JsonObject = {
  role: 'assistant',
  content: null,
  tool_calls: [callOf('a', 'f', '{"x":1}'), callOf('b', 'g', '')],
}
const results: JsonObject[] = [
  { role: 'tool', tool_call_id: 'a', content: '1' },
  { role: 'tool', tool_call_id: 'b', content: '2' },
]
const toolResults = [
  { call: { name: 'f', parameters: { x: 1 } }, outputs: [{ output: '1' }] },
  { call: { name: 'g', parameters: {} }, outputs: [{ output: '2' }] },
]
const chatbot = {
  role: 'CHATBOT',
  message: '',
  toolCalls: [
    { name: 'f', parameters: { x: 1 } },
    { name: 'g', parameters: {} },
  ],
}

describe("Oracle requests in Cohere's older format", () => {
  it('contain the message and the maximum token limit for the smallest request', () => {
    expect(older({})).to.deep.equal({ apiFormat: 'COHERE', message: 'Hi', maxTokens: 4000 })
  })

  it('contain earlier messages in the history, and the system prompt first', () => {
    expect(
      older({
        messages: [
          { role: 'system', content: 'One' },
          { role: 'user', content: 'Q' },
          { role: 'assistant', content: 'A' },
          { role: 'developer', content: 'Two' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Q' },
              { type: 'text', text: '2' },
            ],
          },
        ],
      }),
    ).to.deep.include({
      message: 'Q2',
      chatHistory: [
        { role: 'USER', message: 'Q' },
        { role: 'CHATBOT', message: 'A' },
      ],
      preambleOverride: 'One\n\nTwo',
    })
  })

  it('contain the results of calls together with an empty message', () => {
    expect(older({ messages: [user, called, ...results] })).to.deep.include({
      message: '',
      chatHistory: [{ role: 'USER', message: 'Hi' }, chatbot],
      toolResults,
    })
  })

  it('keep earlier results together in the history', () => {
    const { chatHistory, message } = older({
      messages: [
        user,
        called,
        ...results,
        { role: 'assistant', content: 'So' },
        { role: 'user', content: 'And?' },
      ],
    })
    expect(message).to.equal('And?')
    expect(chatHistory).to.deep.equal([
      { role: 'USER', message: 'Hi' },
      chatbot,
      { role: 'TOOL', toolResults },
      { role: 'CHATBOT', message: 'So' },
    ])
  })

  it("describe each parameter with the vendor's types", () => {
    const bare: JsonObject = { type: 'function', function: { name: 'now' } }
    expect(older({ tools: [weather, bare] }).tools).to.deep.equal([
      {
        name: 'get_weather',
        description: 'The weather of a city',
        parameterDefinitions: {
          city: { type: 'str', isRequired: true, description: 'Its name\nenum: ["Paris","Rome"]' },
          days: { type: 'int', isRequired: false },
        },
      },
      { name: 'now', description: 'now', parameterDefinitions: {} },
    ])
  })

  it('contain no tools with tool_choice none', () => {
    expect(older({ tools: [weather], tool_choice: 'none' })).to.not.have.property('tools')
    expect(older({ tools: [weather], tool_choice: 'auto' }).tools).to.have.length(1)
  })

  const schema: JsonObject = { type: 'object', properties: {} }
  const parameters: [string, JsonObject, JsonObject][] = [
    ['stop', { stop: 'END' }, { stopSequences: ['END'] }],
    ['a bound', { max_tokens: 5 }, { maxTokens: 5 }],
    [
      'what is beyond Cohere’s ranges',
      { temperature: 1.7, frequency_penalty: -1, presence_penalty: 2 },
      { temperature: 1, frequencyPenalty: 0, presencePenalty: 1 },
    ],
    ['top_k, top_p and seed', { top_k: 5, top_p: 0.2, seed: 1 }, { topK: 5, topP: 0.2, seed: 1 }],
    ['JSON mode', { response_format: { type: 'json_object' } }, { responseFormat: { type: 'JSON_OBJECT' } }],
    [
      'a JSON schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } },
      { responseFormat: { type: 'JSON_OBJECT', schema } },
    ],
    ['what it has no word for', { logprobs: true, logit_bias: {}, user: 'u', reasoning_effort: 'low' }, {}],
  ]
  for (const [what, given, sent] of parameters) {
    it(`translate ${what}`, () => {
      const { apiFormat: _, message: __, ...rest } = older(given)
      expect(rest).to.deep.equal({ maxTokens: 4000, ...sent })
    })
  }

  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } }
  const refused: [string, JsonObject, string][] = [
    ['several choices', { n: 2 }, '/n'],
    ['a forced call', { tools: [weather], tool_choice: 'required' }, '/tool_choice'],
    ['images', { messages: [{ role: 'user', content: [image] }] }, '/messages/0/content/0/type'],
    [
      'an unknown call’s result',
      { messages: [user, { role: 'tool', tool_call_id: 'z', content: '' }] },
      '/messages/1/tool_call_id',
    ],
    [
      'an assistant that has the last word',
      { messages: [user, { role: 'assistant', content: 'A' }] },
      '/messages',
    ],
    [
      'arguments that are no object',
      { messages: [user, { role: 'assistant', tool_calls: [callOf('a', 'f', '[1]')] }] },
      '/messages/1/tool_calls/0/function/arguments',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what} with the path and the provider`, () => {
      const error = gatewayErrorOf(() => older(body))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.contain('oracle')
    })
  }
})

describe("Oracle requests in Cohere's newer format", () => {
  it('keep every message, part and id', () => {
    const url = 'data:image/png;base64,iVBORw0='
    const { messages } = newer({
      messages: [
        { role: 'system', content: 'S' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url, detail: 'low' } },
          ],
        },
        called,
        ...results,
      ],
    })
    const text = (value: string) => [{ type: 'TEXT', text: value }]
    expect(messages).to.deep.equal([
      { role: 'SYSTEM', content: text('S') },
      { role: 'USER', content: [...text('See'), { type: 'IMAGE_URL', imageUrl: { url, detail: 'LOW' } }] },
      {
        role: 'ASSISTANT',
        content: text(' '),
        toolCalls: [
          { type: 'FUNCTION', id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
          { type: 'FUNCTION', id: 'b', function: { name: 'g', arguments: '{}' } },
        ],
      },
      { role: 'TOOL', toolCallId: 'a', content: text('1') },
      { role: 'TOOL', toolCallId: 'b', content: text('2') },
    ])
  })

  it('force a call, also of one named function', () => {
    const other: JsonObject = { type: 'function', function: { name: 'other', strict: true } }
    const named = { type: 'function', function: { name: 'other' } }
    expect(newer({ tools: [weather, other], tool_choice: named })).to.deep.include({
      toolsChoice: 'REQUIRED',
      isStrictToolsEnabled: true,
      tools: [
        { type: 'FUNCTION', function: { name: 'other', parameters: { type: 'object', properties: {} } } },
      ],
    })
    expect(newer({ tools: [weather], tool_choice: 'none' })).to.include({ toolsChoice: 'NONE' })
    expect(newer({ tools: [weather] })).to.not.have.property('toolsChoice')
  })

  const thinking: [string, JsonObject, boolean, unknown][] = [
    [
      'a budget',
      { thinking: { type: 'enabled', budget_tokens: 500 } },
      false,
      { type: 'ENABLED', tokenBudget: 500 },
    ],
    ['switched off', { thinking: { type: 'disabled' } }, false, { type: 'DISABLED' }],
    [
      'a budget under strict compliance',
      { thinking: { type: 'enabled', budget_tokens: 500 } },
      true,
      undefined,
    ],
    ['no effort', { reasoning_effort: 'none' }, true, { type: 'DISABLED' }],
    ['an effort', { reasoning_effort: 'high' }, true, { type: 'ENABLED' }],
    ['nothing said', {}, true, undefined],
  ]
  for (const [what, body, strict, sent] of thinking) {
    it(`set thinking with ${what}`, () => expect(newer(body, { strict }).thinking).to.deep.equal(sent))
  }

  it('request log probabilities', () =>
    expect(newer({ logprobs: true })).to.include({ isLogProbsEnabled: true }))
})
