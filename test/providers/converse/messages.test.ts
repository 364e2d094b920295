/**
 * The conversation on its way to the vendor.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_RequestSyntax
 */
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import {
  callOf,
  messagesOf,
  requestOf,
  user,
  type WireMessage,
  type WireRequest,
  weather,
  weatherSpec,
} from './fixtures/chat.ts'

describe('Converse messages', () => {
  it('contain one text each, and the system prompt from any position is separate', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      user,
      { role: 'assistant', content: 'Hello' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', content: 'Who are you?' },
    ]
    const expected: WireRequest = {
      system: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hi' }] },
        { role: 'assistant', content: [{ text: 'Hello' }] },
        { role: 'user', content: [{ text: 'Who are you?' }] },
      ],
    }
    expect(requestOf({ messages })).to.deep.equal(expected)
  })

  it('keep the order of thinking, text and calls of an earlier answer', () => {
    const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: 's' })
    const reasoning = (text: string) => ({ reasoningContent: { reasoningText: { text, signature: 's' } } })
    const answer = {
      role: 'assistant',
      content: 'so then',
      tool_calls: [callOf('a', 'get_weather', ''), callOf('b', 'get_weather', '')],
      content_blocks: [
        thought('one'),
        { type: 'text', text: 'so ' },
        { type: 'tool_use', id: 'a' },
        thought('two'),
      ],
    }
    const sent = requestOf({ messages: [user, answer], tools: [weather] }, { strict: false })
    expect(sent.messages?.[1]?.content).to.deep.equal([
      reasoning('one'),
      { text: 'so ' },
      { toolUse: { toolUseId: 'a', name: 'get_weather', input: {} } },
      reasoning('two'),
      { text: 'then' },
      { toolUse: { toolUseId: 'b', name: 'get_weather', input: {} } },
    ])
  })

  it('of one role are merged when they are consecutive, as the API requires alternating turns', () => {
    const messages = [user, { role: 'user', content: 'again' }, { role: 'assistant', content: 'A' }]
    const expected: WireMessage[] = [
      { role: 'user', content: [{ text: 'Hi' }, { text: 'again' }] },
      { role: 'assistant', content: [{ text: 'A' }] },
    ]
    expect(messagesOf(messages)).to.deep.equal(expected)
  })

  it('drop blank texts, which the API refuses', () => {
    const messages = [
      { role: 'system', content: ' ' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '\n' },
          { type: 'text', text: 'Hi' },
        ],
      },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'there' },
    ]
    expect(requestOf({ messages })).to.deep.equal({
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { text: 'there' }] }],
    })
  })

  it('contain parallel calls with their ids, and all results in one turn', () => {
    const messages = [
      user,
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          callOf('call_1', 'get_weather', '{"city":"Paris"}'),
          callOf('call.2', 'get_weather', ''),
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call.2', content: '' },
    ]
    const expected: WireMessage[] = [
      { role: 'user', content: [{ text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { text: 'Looking.' },
          { toolUse: { toolUseId: 'call_1', name: 'get_weather', input: { city: 'Paris' } } },
          { toolUse: { toolUseId: 'call_2', name: 'get_weather', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'call_1', content: [{ text: 'sunny' }] } },
          { toolResult: { toolUseId: 'call_2', content: [{ text: '' }] } },
        ],
      },
    ]
    expect(messagesOf(messages, { tools: [weather] })).to.deep.equal(expected)
  })

  it('contain images and files in a result', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } }
    const messages = [
      user,
      { role: 'assistant', tool_calls: [callOf('c', 'get_weather', '{}')] },
      { role: 'tool', tool_call_id: 'c', content: [image, file] },
    ]
    const expected: WireMessage = {
      role: 'user',
      content: [
        {
          toolResult: {
            toolUseId: 'c',
            content: [
              { image: { format: 'png', source: { bytes: 'iVBO' } } },
              { document: { format: 'pdf', name: 'a', source: { bytes: 'JVBE' } } },
            ],
          },
        },
      ],
    }
    expect(messagesOf(messages, { tools: [weather] })?.[2]).to.deep.equal(expected)
  })

  it('keep call and result together when their id is longer than the API allows', () => {
    const id = 'x'.repeat(80)
    const sent = messagesOf(
      [
        user,
        {
          role: 'assistant',
          tool_calls: [callOf(id, 'get_weather', '{}'), callOf(`${id}y`, 'get_weather', '{}')],
        },
        { role: 'tool', tool_call_id: id, content: 'a' },
      ],
      { tools: [weather] },
    )
    const ids = sent?.[1]?.content?.map((block) => block.toolUse?.toolUseId)
    expect(ids?.[0])
      .to.match(/^[a-zA-Z0-9_-]{1,64}$/)
      .and.not.equal(ids?.[1])
    expect(sent?.[2]?.content?.[0]?.toolResult?.toolUseId).to.equal(ids?.[0])
  })

  const called = [
    user,
    { role: 'assistant', content: null, tool_calls: [callOf('call_1', 'get_weather', '{"city": "Paris"}')] },
    { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
  ]
  for (const [what, tools] of Object.entries({
    'without tools': {},
    'with a choice of none': { tools: [weather], tool_choice: 'none' },
  })) {
    it(`contain calls and results as text ${what}, as the API refuses their blocks then`, () => {
      const expected: WireRequest = {
        messages: [
          { role: 'user', content: [{ text: 'Hi' }] },
          { role: 'assistant', content: [{ text: '[Tool call call_1: get_weather({"city":"Paris"})]' }] },
          { role: 'user', content: [{ text: '[Result of tool call call_1:]' }, { text: 'sunny' }] },
        ],
      }
      expect(requestOf({ messages: called, ...tools })).to.deep.equal(expected)
    })
  }

  it('support the legacy functions as tools', () => {
    const { function: definition } = weather
    const messages = [
      user,
      {
        role: 'assistant',
        content: null,
        function_call: { name: 'get_weather', arguments: '{"city":"Paris"}' },
      },
      { role: 'function', name: 'get_weather', content: 'sunny' },
    ]
    const request = requestOf({
      messages,
      functions: [definition ?? null],
      function_call: { name: 'get_weather' },
    })
    expect(request.toolConfig).to.deep.equal({
      tools: [weatherSpec],
      toolChoice: { tool: { name: 'get_weather' } },
    })
    const [, use, result] = request.messages ?? []
    expect(use?.content?.[0]?.toolUse?.toolUseId).to.be.a('string')
    expect(result?.content?.[0]?.toolResult?.toolUseId).to.equal(use?.content?.[0]?.toolUse?.toolUseId)
  })

  const thought = {
    role: 'assistant',
    content: 'Paris.',
    content_blocks: [
      { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZGF0YQ==' },
      { type: 'text', text: 'Paris.' },
    ],
  }
  it('send reasoning back with its signature only without strict compliance', () => {
    const said = { text: 'Paris.' }
    const expected: WireMessage = {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
        { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
        said,
      ],
    }
    expect(messagesOf([user, thought], {}, { strict: false })?.[1]).to.deep.equal(expected)
    expect(messagesOf([user, thought])?.[1]).to.deep.equal({ role: 'assistant', content: [said] })
  })

  const refused: [string, string, Parameters<typeof messagesOf>[0]][] = [
    ['only system prompts', '/messages', [{ role: 'system', content: 'x' }]],
    [
      'an image in a system prompt',
      '/messages/0/content/0/type',
      [
        { role: 'system', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
        user,
      ],
    ],
    [
      'arguments that are no object',
      '/messages/1/tool_calls/0/function/arguments',
      [user, { role: 'assistant', tool_calls: [callOf('c', 'f', '[1]')] }],
    ],
    [
      'a call of a tool that is not a function',
      '/messages/1/tool_calls/0/type',
      [user, { role: 'assistant', tool_calls: [{ id: 'c', type: 'newer', newer: {} }] }],
    ],
  ]
  for (const [what, param, messages] of refused) {
    it(`are refused with ${what}`, () => {
      const error = gatewayErrorOf(() => messagesOf(messages, { tools: [weather] }))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.include('bedrock')
    })
  }
})
