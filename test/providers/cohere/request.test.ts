/** Chat requests → v2 chat requests. Source: https://docs.cohere.com/reference/chat */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { ChatMessage, ChatRequest } from '#kit/dialect/cohere/types'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { callOf, messagesOf, model, requestOf, restOf } from './fixtures/chat.ts'

const png = 'data:image/png;base64,aGk='

describe('Cohere requests', () => {
  it('contain the model, the messages and only the requested parameters', () => {
    expect(requestOf({})).to.deep.equal({ model, messages: [{ role: 'user', content: 'Hi' }] })
  })

  const messages: [string, JsonObject[], ChatMessage[]][] = [
    [
      'system and developer messages where they stand',
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi', name: 'ann' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'One.' },
            { type: 'text', text: 'Two.' },
          ],
        },
      ],
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        {
          role: 'system',
          content: [
            { type: 'text', text: 'One.' },
            { type: 'text', text: 'Two.' },
          ],
        },
      ],
    ],
    [
      'images by URL and as base64',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'https://host/a.png', detail: 'high' } },
            { type: 'image_url', image_url: { url: png } },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'https://host/a.png', detail: 'high' } },
            { type: 'image_url', image_url: { url: png } },
          ],
        },
      ],
    ],
    [
      'calls, the text next to them, and results',
      [
        {
          role: 'assistant',
          content: 'I will look.',
          tool_calls: [callOf('a', 'get_weather', '{"city":"Paris"}'), callOf('b', 'get_time', '')],
        },
        { role: 'tool', tool_call_id: 'a', content: '20°C' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'noon' }] },
      ],
      [
        {
          role: 'assistant',
          tool_plan: 'I will look.',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
            { id: 'b', type: 'function', function: { name: 'get_time', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '20°C' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'noon' }] },
      ],
    ],
    [
      'documents as results that can be cited',
      [
        {
          role: 'tool',
          tool_call_id: 'a',
          content: [{ type: 'document', document: { id: '1', data: { title: 'T' } } }],
        },
      ],
      [
        {
          role: 'tool',
          tool_call_id: 'a',
          content: [{ type: 'document', document: { id: '1', data: { title: 'T' } } }],
        },
      ],
    ],
    [
      'a refusal of before as text',
      [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }],
      [{ role: 'assistant', content: 'No.' }],
    ],
  ]
  for (const [what, given, expected] of messages) {
    it(`contain ${what}`, () => expect(messagesOf(given)).to.deep.equal(expected))
  }

  it('contain earlier thinking only without strict compliance', () => {
    const content_blocks = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'So.' },
    ]
    const message = { role: 'assistant', content: 'So.', content_blocks }
    expect(messagesOf([message], { strict: false })).to.deep.equal([
      { role: 'assistant', content: content_blocks },
    ])
    expect(messagesOf([message])).to.deep.equal([{ role: 'assistant', content: 'So.' }])
  })

  it('keep thinking with tool calls', () => {
    const content_blocks = [{ type: 'thinking', thinking: 'Hm.' }]
    const message = { role: 'assistant', content: null, content_blocks, tool_calls: [callOf('a', 'f', '{}')] }
    expect(messagesOf([message], { strict: false })).to.deep.equal([
      {
        role: 'assistant',
        content: content_blocks,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ])
  })

  const parameters: [string, JsonObject, Partial<ChatRequest>][] = [
    [
      'max_completion_tokens before max_tokens',
      { max_tokens: 5, max_completion_tokens: 7 },
      { max_tokens: 7 },
    ],
    ['one stop sequence', { stop: 'END' }, { stop_sequences: ['END'] }],
    ['many stop sequences', { stop: ['a', 'b'] }, { stop_sequences: ['a', 'b'] }],
    [
      'sampling',
      { temperature: 0.5, top_p: 0.9, top_k: 4, seed: 7 },
      { temperature: 0.5, p: 0.9, k: 4, seed: 7 },
    ],
    ['ranges above', { temperature: 1.8, top_p: 1, top_k: 900 }, { temperature: 1, p: 0.99, k: 500 }],
    [
      'ranges below',
      { top_p: 0, frequency_penalty: -2, presence_penalty: 2 },
      { p: 0.01, frequency_penalty: 0, presence_penalty: 1 },
    ],
    ['logprobs, of which there are no alternatives', { logprobs: true, top_logprobs: 3 }, { logprobs: true }],
    ['JSON mode', { response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    ['text', { response_format: { type: 'text' } }, {}],
    ['effort', { reasoning_effort: 'low' }, { thinking: { type: 'enabled' } }],
    ['no effort', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['thinking, which strict compliance leaves out', { thinking: { type: 'enabled', budget_tokens: 9 } }, {}],
    ['a stream', { stream: true, stream_options: { include_usage: true } }, { stream: true } as object],
    [
      "the vendor's own",
      { safety_mode: 'STRICT', documents: ['d'], citation_options: { mode: 'FAST' }, priority: 1 },
      { safety_mode: 'STRICT', documents: ['d'], citation_options: { mode: 'FAST' }, priority: 1 },
    ],
    [
      'nothing that the vendor has no word for',
      { user: 'u', logit_bias: { 1: 2 }, parallel_tool_calls: false, metadata: { a: 'b' }, n: 1 },
      {},
    ],
  ]
  for (const [what, given, expected] of parameters) {
    it(`contain ${what}`, () => expect(restOf(given)).to.deep.equal(expected))
  }

  const thinking: [JsonObject, JsonObject][] = [
    [
      { type: 'enabled', budget_tokens: 9 },
      { type: 'enabled', token_budget: 9 },
    ],
    [{ type: 'enabled' }, { type: 'enabled' }],
    [{ type: 'disabled' }, { type: 'disabled' }],
  ]
  for (const [given, expected] of thinking) {
    it(`contain thinking ${JSON.stringify(given)} without strict compliance`, () => {
      expect(restOf({ thinking: given }, { strict: false })).to.deep.equal({ thinking: expected })
    })
  }

  const refused: [string, JsonObject, string][] = [
    ['several choices', { n: 2 }, '/n'],
    ['audio', userPart({ type: 'input_audio', input_audio: { data: 'x' } }), '/messages/0/content/0/type'],
    ['files', userPart({ type: 'file', file: { file_data: 'x' } }), '/messages/0/content/0/type'],
    [
      'an image that is not a URL',
      userPart({ type: 'image_url', image_url: { url: 'a.png' } }),
      '/messages/0/content/0/image_url/url',
    ],
    [
      'a data URL that is not an image',
      userPart({ type: 'image_url', image_url: { url: 'data:text/plain;base64,aGk=' } }),
      '/messages/0/content/0/image_url/url',
    ],
    [
      'images of the system',
      { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: png } }] }] },
      '/messages/0/content/0/type',
    ],
    ['other formats', { response_format: { type: 'grammar' } }, '/response_format/type'],
    [
      'an invalid schema',
      { response_format: { type: 'json_schema', json_schema: {} } },
      '/response_format/json_schema/schema',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what}`, () => {
      const error = gatewayErrorOf(() => requestOf(body))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.contain('provider cohere')
    })
  }
})

function userPart(part: JsonObject): JsonObject {
  return { messages: [{ role: 'user', content: [part] }] }
}
