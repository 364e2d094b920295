/** The estimated usage of a request, from its body alone; and the amount of text in a stream. */

import type { EndpointId, JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { endpointOf } from '#core/endpoints/index'
import { createLedger } from '#core/flow/ledger'
import { compileRateLimit } from '#core/metering/limits/compiled-limit'
import { rateHeaders } from '#core/metering/limits/rate-headers'
import { estimateUsage } from '#core/metering/limits/usage-cost'
import { createSentText } from '#core/streaming/stream-usage'
import { formatOf } from '../../../support/endpoints.ts'

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
    for (let count = 0; count < 10; count += 1)
      sent.push(Buffer.from(`event: content_block_delta\ndata: ${JSON.stringify(event)}\n\n`))
    expect(sent.textBytes()).to.equal(40)
  })
})

describe('the rate limit headers', () => {
  const now = Date.parse('2026-11-21T10:00:30.500Z')
  const reading = (
    type: 'requests' | 'tokens',
    unit: 'rpm' | 'rph',
    value: number,
    used: number,
    reserved = 0,
  ) => ({
    limit: compileRateLimit({ owner: 'o', param: 'p', label: 'it' }, { type, unit, value }),
    used,
    reserved,
  })

  it('report the tightest limit of each kind, with reservations counted as used', () => {
    const headers = rateHeaders(
      {
        requestRates: [reading('requests', 'rpm', 10, 2), reading('tokens', 'rpm', 100, 10, 80)],
        targetRates: [reading('requests', 'rph', 50, 45)],
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
        requestRates: [reading('tokens', 'rpm', 5, 9), reading('tokens', 'rph', 5, 5)],
        targetRates: [],
      },
      now,
    )
    expect(headers).to.include({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '3570' })
  })
})
