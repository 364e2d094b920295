/** Chat requests → native chat requests. Source: https://docs.ollama.com/api/chat */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { ChatRequest, Message } from '#kit/dialect/ollama/types'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { callOf, messagesOf, model, requestOf, restOf, weather } from './fixtures.ts'

const png = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }

describe('Ollama requests', () => {
  it('are not streamed by default', () => {
    const request = { model, messages: [{ role: 'user', content: 'Hi' }] }
    expect(requestOf({})).to.deep.equal({ ...request, stream: false })
    expect(requestOf({ stream: true })).to.deep.equal({ ...request, stream: true })
  })

  const messages: [string, JsonObject[], Message[]][] = [
    [
      'system and developer messages where they stand',
      [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hi', name: 'ann' },
      ],
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    ],
    [
      'images next to the text',
      [{ role: 'user', content: [{ type: 'text', text: 'What' }, png, { type: 'text', text: 'is it?' }] }],
      [{ role: 'user', content: 'What\nis it?', images: ['aGk='] }],
    ],
    [
      'calls with their ids, and results with the name of their function',
      [
        { role: 'assistant', content: null, tool_calls: [callOf('a', 'f', '{"x":1}'), callOf('b', 'g', '')] },
        { role: 'tool', tool_call_id: 'b', content: 'two' },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
        { role: 'tool', tool_call_id: 'c', content: 'stray' },
      ],
      [
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { id: 'a', function: { name: 'f', arguments: { x: 1 } } },
            { id: 'b', function: { name: 'g', arguments: {} } },
          ],
        },
        { role: 'tool', content: 'two', tool_name: 'g', tool_call_id: 'b' },
        { role: 'tool', content: 'one', tool_name: 'f', tool_call_id: 'a' },
        { role: 'tool', content: 'stray', tool_call_id: 'c' },
      ],
    ],
  ]
  for (const [what, given, expected] of messages) {
    it(`contain ${what}`, () => expect(messagesOf(given)).to.deep.equal(expected))
  }

  it('contain earlier thinking only without strict compliance', () => {
    const content_blocks = [{ type: 'thinking', thinking: 'Hm.' }]
    const message = { role: 'assistant', content: 'So.', content_blocks }
    expect(messagesOf([message], { strict: false })).to.deep.equal([
      { content: 'So.', thinking: 'Hm.', role: 'assistant' },
    ])
    expect(messagesOf([message])).to.deep.equal([{ content: 'So.', role: 'assistant' }])
  })

  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const parameters: [string, JsonObject, Partial<ChatRequest>][] = [
    [
      "sampling as options, in addition to the caller's own options",
      {
        temperature: 0.5,
        top_p: 0.9,
        top_k: 4,
        seed: 7,
        stop: 'END',
        max_tokens: 9,
        options: { num_ctx: 16384 },
      },
      {
        options: {
          num_ctx: 16384,
          num_predict: 9,
          stop: ['END'],
          temperature: 0.5,
          top_p: 0.9,
          top_k: 4,
          seed: 7,
        },
      },
    ],
    ['JSON mode', { response_format: { type: 'json_object' } }, { format: 'json' }],
    ['a schema', { response_format: { type: 'json_schema', json_schema: { schema } } }, { format: schema }],
    ['a native format', { format: 'json' }, { format: 'json' }],
    ['text', { response_format: { type: 'text' } }, {}],
    ['the native think parameter', { think: false }, { think: false }],
    ['an effort', { reasoning_effort: 'minimal' }, { think: 'low' }],
    ['no effort', { reasoning_effort: 'none' }, { think: false }],
    ['an effort of tomorrow', { reasoning_effort: 'constructor' }, {}],
    ['thinking, which strict compliance leaves out', { thinking: { type: 'enabled' } }, {}],
    ['logprobs', { logprobs: true, top_logprobs: 2 }, { logprobs: true, top_logprobs: 2 }],
    ['how long the model stays', { keep_alive: '5m' }, { keep_alive: '5m' }],
    [
      'nothing that the vendor has no word for',
      { user: 'u', logit_bias: {}, parallel_tool_calls: false },
      {},
    ],
    [
      'tools',
      { tools: [weather], tool_choice: 'auto' },
      { tools: [weather] as unknown as NonNullable<ChatRequest['tools']> },
    ],
    ['no tools when none may be called', { tools: [weather], tool_choice: 'none' }, {}],
  ]
  for (const [what, given, expected] of parameters) {
    it(`contain ${what}`, () => expect(restOf(given)).to.deep.equal(expected))
  }

  it('enable thinking without strict compliance', () => {
    expect(restOf({ thinking: { type: 'enabled' } }, { strict: false })).to.deep.equal({ think: true })
    expect(restOf({ thinking: { type: 'disabled' } }, { strict: false })).to.deep.equal({ think: false })
  })

  const refused: [string, JsonObject, string][] = [
    ['several choices', { n: 2 }, '/n'],
    ['a forced call', { tools: [weather], tool_choice: 'required' }, '/tool_choice'],
    [
      'images by URL, which are fetched before',
      {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://host/a' } }] }],
      },
      '/messages/0/content/0/image_url/url',
    ],
    [
      'audio',
      { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
      '/messages/0/content/0/type',
    ],
    [
      'arguments that are no object',
      { messages: [{ role: 'assistant', tool_calls: [callOf('a', 'f', '[1]')] }] },
      '/messages/0/tool_calls/0/function/arguments',
    ],
    ['other formats', { response_format: { type: 'grammar' } }, '/response_format/type'],
    [
      'an invalid schema',
      { response_format: { type: 'json_schema' } },
      '/response_format/json_schema/schema',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what}`, () => {
      expect(gatewayErrorOf(() => requestOf(body))).to.include({ code: 'invalid_body', param })
    })
  }
})
