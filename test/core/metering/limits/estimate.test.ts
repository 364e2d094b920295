/** The estimated usage of a request, from its body alone; and the amount of text in a stream. */

import type { EndpointId, JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { compileRateLimit } from '#core/metering/limits/compiled-limit'
import { rateHeaders } from '#core/metering/limits/rate-headers'
import { estimateUsage } from '#core/metering/limits/usage-cost'
import { createLedger } from '#flow/ledger'
import { createSentText } from '#streaming/stream-usage'
import { assertProperty } from '../../../support/assert-property.ts'
import { endpointOf, formatOf } from '../../../support/endpoints.ts'

describe('the estimate of', () => {
  const rows: [what: string, endpoint: EndpointId, body: JsonObject, input: number, output: number][] = [
    ['a chat', 'chatComplete', { messages: [{ role: 'user', content: '12345' }] }, 2, 0],
    ['text beyond ASCII, in bytes', 'chatComplete', { messages: [{ role: 'user', content: 'ééé' }] }, 2, 0],
    [
      'many messages, rounded up once',
      'chatComplete',
      { messages: ['a', 'b', 'c'].map((content) => ({ role: 'user', content })) },
      1,
      0,
    ],
    ['an output of its choices', 'chatComplete', { messages: [], n: 3, max_tokens: 10 }, 0, 30],
    [
      'an output by the newer name',
      'chatComplete',
      { messages: [], max_completion_tokens: 7, max_tokens: 10 },
      0,
      7,
    ],
    ['a response', 'createModelResponse', { input: 'four', max_output_tokens: 5 }, 1, 5],
    ['messages', 'messages', { system: 'four', messages: [], max_tokens: 6 }, 1, 6],
    ['texts to embed', 'embed', { input: ['four', 'four'] }, 2, 0],
    ['tokens to embed', 'embed', { input: [[1, 2, 3], [4]] }, 4, 0],
    [
      'a count of tokens',
      'countTokens',
      { messages: [{ role: 'user', content: 'four' }], max_tokens: 9 },
      0,
      0,
    ],
    ['invalid limits', 'chatComplete', { messages: [], n: null, max_tokens: null }, 0, 0],
  ]
  for (const [what, endpoint, body, input, output] of rows) {
    it(`${what} is ${input} and ${output}`, () => {
      const { promptTokens, completionTokens } = estimateUsage(createLedger(), endpointOf(endpoint), body)
      expect([promptTokens, completionTokens]).to.deep.equal([input, output])
    })
  }

  it('images is the requested number', () => {
    expect(
      estimateUsage(createLedger(), endpointOf('imageGenerate'), { prompt: 'a cat', n: 3 }).units,
    ).to.deep.equal({
      image: 3,
    })
  })
})

describe('the text of a stream', () => {
  const chat = (content: string, more: object = {}) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content, ...more } }] })}\n\n`

  it('is counted without decoding it', () => {
    const sent = createSentText(formatOf('chatComplete'))
    for (let count = 0; count < 50; count += 1) sent.push(Buffer.from(chat('word') + chat('more')))
    expect(sent.textBytes()).to.equal(400)
  })

  it('is empty when no event contained any', () => {
    const sent = createSentText(formatOf('chatComplete'))
    sent.push(Buffer.from('data: {"choices":[]}\n\n'))
    expect(sent.textBytes()).to.equal(0)
  })

  it('is counted in every stream format', () => {
    const sent = createSentText(formatOf('messages'))
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'four' } }
    for (let count = 0; count < 10; count += 1) sent.push(written(event))
    expect(sent.textBytes()).to.equal(40)
  })

  const written = (event: { type?: string }) => {
    const data = `data: ${JSON.stringify(event)}\n\n`
    return Buffer.from(event.type === undefined ? data : `event: ${event.type}\n${data}`)
  }
  const delta = (type: string, members: object) => ({ type, item_id: 'i', output_index: 0, ...members })
  const choice = (members: object) => ({ choices: [{ index: 0, finish_reason: null, ...members }] })
  const block = (members: object) => ({ type: 'content_block_delta', index: 1, delta: members })
  const echo = {
    instructions: 'four'.repeat(1000),
    tools: [{ parameters: { delta: 'four' } }],
    input: 'four',
  }

  /** Events that add four bytes, and events that add nothing. */
  const kinds: [what: string, endpoint: EndpointId, event: object, bytes: 0 | 4][] = [
    ['text of a chat', 'chatComplete', choice({ delta: { role: 'assistant', content: 'four' } }), 4],
    ['reasoning of a chat', 'chatComplete', choice({ delta: { reasoning_content: 'four' } }), 4],
    [
      'reasoning with two names, once',
      'chatComplete',
      choice({ delta: { reasoning_content: 'four', reasoning: 'four' } }),
      4,
    ],
    [
      'arguments of a chat',
      'chatComplete',
      choice({
        delta: { tool_calls: [{ index: 0, id: 'call', function: { name: 'look', arguments: 'four' } }] },
      }),
      4,
    ],
    [
      'the whole message next to a delta',
      'chatComplete',
      choice({ message: { content: 'four four' }, delta: { content: 'four' } }),
      4,
    ],
    ['citations of a chat', 'chatComplete', { ...choice({ delta: {} }), citations: ['four'] }, 0],
    ['a completion', 'complete', choice({ text: 'four' }), 4],
    ['thinking of a message', 'messages', block({ type: 'thinking_delta', thinking: 'four' }), 4],
    ['the input of a tool', 'messages', block({ type: 'input_json_delta', partial_json: '{"":' }), 4],
    ['a signature', 'messages', block({ type: 'signature_delta', signature: 'four' }), 0],
    [
      'a citation',
      'messages',
      block({ type: 'citations_delta', citation: { type: 'char_location', cited_text: 'four' } }),
      0,
    ],
    [
      'the result of a search',
      'messages',
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'web_search_tool_result', content: [{ title: 'four', url: 'four' }] },
      },
      0,
    ],
    ['the start of a message', 'messages', { type: 'message_start', message: { content: [], ...echo } }, 0],
    ['text of a response', 'createModelResponse', delta('response.output_text.delta', { delta: 'four' }), 4],
    [
      'a summary of reasoning',
      'createModelResponse',
      delta('response.reasoning_summary_text.delta', { summary_index: 0, delta: 'four' }),
      4,
    ],
    [
      'arguments of a response',
      'createModelResponse',
      delta('response.function_call_arguments.delta', { delta: 'four' }),
      4,
    ],
    ['audio', 'createModelResponse', delta('response.audio.delta', { delta: 'four' }), 0],
    ['a text that is done', 'createModelResponse', delta('response.output_text.done', { text: 'four' }), 0],
    [
      'an item that is done',
      'createModelResponse',
      delta('response.output_item.done', { item: { type: 'mcp_call', arguments: 'four', output: 'four' } }),
      0,
    ],
    [
      'a created response',
      'createModelResponse',
      { type: 'response.created', response: { ...echo, output: [] } },
      0,
    ],
  ]
  for (const [what, endpoint, event, bytes] of kinds)
    it(`${bytes === 0 ? 'does not include' : 'includes'} ${what}`, () => {
      const sent = createSentText(formatOf(endpoint))
      const times = 5
      for (let count = 0; count < times; count += 1) sent.push(written(event))
      sent.push(Buffer.concat([written(event), written(event)]))
      expect(sent.textBytes()).to.equal((times + 2) * bytes)
    })

  it('is the size of its texts, for any content and any way of reading events', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.constantFrom('', '"', '\\', 'é', '日本', '🙂', 'a\nb'),
      ),
      { maxLength: 12 },
    )
    const isAscii = fc.boolean()
    const reads = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 })
    const id = fc.constantFrom<EndpointId>('chatComplete', 'complete', 'messages', 'createModelResponse')
    const escaped = (bytes: Buffer) =>
      Buffer.from(
        bytes
          .toString('utf8')
          .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
      )
    const made: Partial<Record<EndpointId, (text: string, at: number) => object>> = {
      chatComplete: (content, at) => ({
        id: 'c',
        ...choice({ delta: { content } }),
        padding: 'x'.repeat(at),
      }),
      complete: (text) => choice({ text }),
      messages: (text) => block({ type: 'text_delta', text }),
      createModelResponse: (text, at) =>
        delta('response.output_text.delta', { sequence_number: at * 7, content_index: 0, delta: text }),
    }
    assertProperty(
      fc.property(texts, isAscii, reads, id, (parts, ascii, sizes, endpoint) => {
        const sent = createSentText(formatOf(endpoint))
        const events = parts.map((text, at) => written(made[endpoint]?.(text, at) ?? {}))
        const sentEvents = ascii ? events.map(escaped) : events
        for (let at = 0, read = 0; at < sentEvents.length; read += 1) {
          const size = sizes[read] ?? 1
          sent.push(Buffer.concat(sentEvents.slice(at, at + size)))
          at += size
        }
        const wellFormed = parts.map((text) => Buffer.byteLength(text))
        expect(sent.textBytes()).to.equal(wellFormed.reduce((sum, size) => sum + size, 0))
      }),
    )
  })
})

describe('the rate limit headers', () => {
  const now = Date.parse('2026-11-21T10:00:30.500Z')
  const reading = (
    type: 'requests' | 'tokens',
    {
      unit,
      value,
      used,
      reserved = 0,
    }: { unit: 'rpm' | 'rph'; value: number; used: number; reserved?: number },
  ) => ({
    limit: compileRateLimit({ owner: 'o', param: 'p', label: 'it' }, { type, unit, value }),
    used,
    reserved,
  })

  it('report the tightest limit of each kind, with reservations counted as used', () => {
    const headers = rateHeaders(
      {
        requestRates: [
          reading('requests', { unit: 'rpm', value: 10, used: 2 }),
          reading('tokens', { unit: 'rpm', value: 100, used: 10, reserved: 80 }),
        ],
        targetRates: [reading('requests', { unit: 'rph', value: 50, used: 45 })],
      },
      now,
    )
    expect(headers).to.deep.equal({
      'x-ratelimit-limit-requests': '50',
      'x-ratelimit-remaining-requests': '5',
      'x-ratelimit-reset-requests': '3570',
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '10',
      'x-ratelimit-reset-tokens': '30',
    })
  })

  it('report the later reset of two equal limits, and never less than zero', () => {
    const headers = rateHeaders(
      {
        requestRates: [
          reading('tokens', { unit: 'rpm', value: 5, used: 9 }),
          reading('tokens', { unit: 'rph', value: 5, used: 5 }),
        ],
        targetRates: [],
      },
      now,
    )
    expect(headers).to.include({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '3570' })
  })
})
