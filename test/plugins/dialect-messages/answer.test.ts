/**
 * Chat answers → messages.
 * Source: https://platform.claude.com/docs/en/api/messages, https://platform.openai.com/docs/api-reference/chat/object
 */
import type { Message, TextBlock } from '@anthropic-ai/sdk/resources/messages'
import { expect } from 'chai'
import { gatewayErrorOf } from '../../providers/fixtures/thrown.ts'
import { messageOf } from './chat-fixtures.ts'
import { unreported, unreportedUsage } from './fixtures.ts'

const assistant = (message: object) => ({ message: { role: 'assistant', ...message } })
const call = (id: string, written: string) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: written },
})
const text = (value: string) => ({ type: 'text', text: value })

describe('a chat answer translated to a message', () => {
  it('contains text', () => {
    // The vendor's type requires every member.
    const message: Message = {
      id: 'msg_7',
      type: 'message',
      role: 'assistant',
      model: 'gpt',
      stop_reason: 'end_turn',
      stop_sequence: null,
      ...unreported,
      content: [{ type: 'text', text: 'Hi' } as TextBlock],
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 4,
        ...unreportedUsage,
      },
    }
    expect(messageOf(assistant({ content: 'Hi' }))).to.deep.equal(message)
  })

  it('gets an id and the model when the answer has none', () => {
    const { id, model } = messageOf(assistant({ content: 'Hi' }), { id: undefined, model: undefined })
    expect([id, model]).to.deep.equal(['msg_1', 'm'])
  })

  const contents: [what: string, message: object, content: object[]][] = [
    ['nothing', { content: null }, []],
    ['parts of text', { content: [text('a'), text('b')] }, [text('ab')]],
    [
      'text and calls',
      { content: 'wait', tool_calls: [call('c1', '{"q":1}'), call('c2', '')] },
      [
        text('wait'),
        { type: 'tool_use', id: 'c1', name: 'look', input: { q: 1 } },
        { type: 'tool_use', id: 'c2', name: 'look', input: {} },
      ],
    ],
    [
      'a legacy call',
      { content: null, function_call: { name: 'look', arguments: '{}' } },
      [{ type: 'tool_use', id: 'function_call_0', name: 'look', input: {} }],
    ],
    [
      'reasoning',
      { content: 'a', reasoning_content: 'hm' },
      [{ type: 'thinking', thinking: 'hm', signature: '' }, text('a')],
    ],
    [
      'reasoning by its other name',
      { content: 'a', reasoning: 'hm' },
      [{ type: 'thinking', thinking: 'hm', signature: '' }, text('a')],
    ],
    [
      'thinking blocks',
      {
        content: 'ab',
        reasoning_content: 'hm',
        content_blocks: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'x' },
          { ...text('a'), citations: [{ type: 'char_location', cited_text: 'a' }] },
          text('b'),
        ],
      },
      [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'redacted_thinking', data: 'x' },
        { ...text('a'), citations: [{ type: 'char_location', cited_text: 'a' }] },
        text('b'),
      ],
    ],
    ['a refusal', { content: null, refusal: 'I cannot.' }, [text('I cannot.')]],
  ]
  for (const [what, message, content] of contents) {
    it(`contains ${what}`, () => {
      expect(messageOf(assistant(message)).content).to.deep.equal(content)
    })
  }

  const called = { tool_calls: [call('c', '{}')] }
  const stops: [what: string, choice: object, message: object, stop: object][] = [
    ['stop', { finish_reason: 'stop' }, {}, { stop_reason: 'end_turn' }],
    ['length', { finish_reason: 'length' }, {}, { stop_reason: 'max_tokens' }],
    ['tool_calls', { finish_reason: 'tool_calls' }, called, { stop_reason: 'tool_use' }],
    ['function_call', { finish_reason: 'function_call' }, {}, { stop_reason: 'tool_use' }],
    ['content_filter', { finish_reason: 'content_filter' }, {}, { stop_reason: 'refusal' }],
    ['another word', { finish_reason: 'eos' }, {}, { stop_reason: 'end_turn' }],
    ['no word', { finish_reason: null }, {}, { stop_reason: 'end_turn' }],
    ['stop with calls', { finish_reason: 'stop' }, called, { stop_reason: 'tool_use' }],
    [
      'a word of the format itself',
      { finish_reason: 'stop', provider_finish_reason: 'pause_turn' },
      {},
      { stop_reason: 'pause_turn' },
    ],
    [
      'another vendor’s word',
      { finish_reason: 'length', provider_finish_reason: 'MAX_TOKENS' },
      {},
      { stop_reason: 'max_tokens' },
    ],
    [
      'the sequence that matched',
      { finish_reason: 'stop', stop_reason: 'END' },
      {},
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    [
      'a refusal',
      { finish_reason: 'stop' },
      { refusal: 'No.' },
      {
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: null, explanation: 'No.' },
      },
    ],
  ]
  for (const [what, choice, message, stop] of stops) {
    it(`has the stop reason of ${what}`, () => {
      const answer = messageOf({ ...assistant(message), ...choice }, {}, { stop_sequences: ['END'] })
      expect(answer).to.deep.include({ stop_sequence: null, ...stop })
    })
  }

  it('counts cached input tokens separately', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 5 },
      cache_creation_input_tokens: 30,
    }
    expect(messageOf(assistant({ content: 'a' }), { usage }).usage).to.deep.equal({
      ...unreportedUsage,
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 60,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 5 },
    })
  })

  it('contains the first of several choices', () => {
    const choices = ['a', 'b'].map((content, index) => ({
      index,
      finish_reason: 'stop',
      ...assistant({ content }),
    }))
    expect(messageOf({}, { choices }).content).to.deep.equal([text('a')])
  })

  it('accepts arguments truncated by the token limit, and no other invalid arguments', () => {
    const broken = assistant({ content: null, tool_calls: [call('c', '{"q":')] })
    expect(messageOf({ ...broken, finish_reason: 'length' })).to.deep.include({
      stop_reason: 'max_tokens',
      content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }],
    })
    expect(gatewayErrorOf(() => messageOf({ ...broken, finish_reason: 'tool_calls' })).code).to.equal(
      'upstream_invalid_response',
    )
  })

  for (const body of [
    { choices: [] },
    { choices: null },
    { choices: [null] },
    { choices: [{ message: 'x' }] },
    {},
  ]) {
    it(`is refused for ${JSON.stringify(body)}`, () => {
      const rest = { choices: undefined, ...body }
      expect(gatewayErrorOf(() => messageOf({}, rest)).code).to.equal('upstream_invalid_response')
    })
  }

  it('ignores members of unexpected types', () => {
    const odd = { content: 7, tool_calls: [null, { function: 3 }], content_blocks: [null, 4], refusal: {} }
    expect(messageOf(assistant(odd), { usage: 'x', id: 5, model: null }).type).to.equal('message')
  })
})
